// Hands the session to every component below.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Session } from "./useSession";

const Context = createContext<Session | null>(null);

export const SessionProvider = Context.Provider;

export function useStudio(): Session {
  const session = useContext(Context);
  if (session === null) throw new Error("useStudio is for components inside the studio");
  return session;
}
