// The list at hand and everything people can do to it. Actions wait for each other, so that two
// quick clicks are two changes, in their order.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useClient } from "../api/client";
import { asRefusal, type Refusal } from "../api/refusal";
import type { EditView, Step, Studio } from "../api/types";
import { added, at, before, here, type Entry, type History } from "./history";
import type { Shelf } from "./shelf";

export interface Session {
  studio: Studio;
  view: EditView;
  history: History;
  /** The entry before the one shown, to compare losses with. */
  before: Entry | undefined;
  isBusy: boolean;
  /** What people chose in panels, by name. */
  choices: Map<string, unknown>;
  refusal: Refusal | null;
  dismiss(): void;
  /** Whether what is pinned, forbidden or required changes the list at once. */
  follows: boolean;
  setFollows(follows: boolean): void;
  /** Take steps, as one entry of the history. */
  act(label: string, steps: Step[]): Promise<boolean>;
  /** Say what must be, and look for the best list that obeys if the list follows. */
  say(label: string, steps: Step[]): Promise<boolean>;
  go(place: number): void;
  load(name: string, text: string): void;
}

const REOPTIMIZE: Step = { step: "reoptimize" };

export function useSession(
  studio: Studio,
  first: EditView,
  restored: History,
  shelf: Shelf,
): Session {
  const { ask, edited } = useClient();
  const [state, setState] = useState({ view: first, history: restored });
  const [waiting, setWaiting] = useState(0);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [follows, setFollows] = useState(true);
  const now = useRef(state);
  const choices = useRef(new Map<string, unknown>());
  const queue = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => shelf.keep(state.history), [shelf, state.history]);

  const actions = useMemo(() => {
    function run(change: () => Promise<{ view: EditView; history: History }>): Promise<boolean> {
      setWaiting((n) => n + 1);
      const done = queue.current.then(async () => {
        try {
          now.current = await change();
          setState(now.current);
          setRefusal(null);
          return true;
        } catch (error) {
          setRefusal(asRefusal(error));
          return false;
        } finally {
          setWaiting((n) => n - 1);
        }
      });
      queue.current = done;
      return done;
    }
    return {
      act: (label: string, steps: Step[]) =>
        run(async () => {
          const { history } = now.current;
          const view = await edited([...here(history).steps, ...steps]);
          return { view, history: added(history, label, view) };
        }),
      go: (place: number) =>
        void run(async () => {
          const history = at(now.current.history, place);
          return { view: await edited(here(history).steps), history };
        }),
      load: (name: string, text: string) =>
        void run(async () => {
          const view = await ask("load", { text });
          return { view, history: added(now.current.history, `Open ${name}`, view) };
        }),
    };
  }, []);

  return {
    studio,
    ...state,
    before: before(state.history),
    isBusy: waiting > 0,
    choices: choices.current,
    refusal,
    dismiss: () => setRefusal(null),
    follows,
    setFollows,
    ...actions,
    say: (label, steps) => actions.act(label, follows ? [...steps, REOPTIMIZE] : steps),
  };
}
