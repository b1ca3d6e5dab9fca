// Everything that can be asked of Python, whoever carries the question there.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { remembered } from "./memory";
import type { EditView, Routes, Step, Studio } from "./types";

/** Carries a question to a route and its answer back, or throws a Refusal; null asks nothing. */
export type Transport = (route: string, body: unknown, signal?: AbortSignal) => Promise<unknown>;

export interface Client {
  studio(): Promise<Studio>;
  ask<Name extends keyof Routes>(
    name: Name,
    body: Routes[Name]["asks"],
    signal?: AbortSignal,
  ): Promise<Routes[Name]["answers"]>;
  /** What steps make of the list: the same steps always make the same, so it is asked once. */
  edited(steps: Step[]): Promise<EditView>;
}

export function clientOver(transport: Transport): Client {
  const ask = ((name, body, signal) => transport(name, body, signal)) as Client["ask"];
  return {
    studio: () => transport("studio", null) as Promise<Studio>,
    ask,
    edited: remembered((steps: Step[]) => ask("edit", { steps })),
  };
}

const Context = createContext<Client | null>(null);

export const ClientProvider = Context.Provider;

export function useClient(): Client {
  const client = useContext(Context);
  if (client === null) throw new Error("useClient is for components inside the studio");
  return client;
}
