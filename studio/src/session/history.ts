// What was done in this tab: each action with all steps up to it, so that going back is choosing.
import type { EditView, Step } from "../api/types";

export interface Entry {
  /** What the person did, in words. */
  label: string;
  /** All steps since the list was learned. */
  steps: Step[];
  loss: number;
  n_rules: number;
}

export interface History {
  entries: readonly Entry[];
  /** The entry that is shown. */
  place: number;
}

export function begun(view: EditView): History {
  return { entries: [entry("As learned", view)], place: 0 };
}

/** The history with one more action; what had been undone is forgotten. */
export function added(history: History, label: string, view: EditView): History {
  const kept = history.entries.slice(0, history.place + 1);
  return { entries: [...kept, entry(label, view)], place: kept.length };
}

export function at(history: History, place: number): History {
  return { ...history, place: Math.max(0, Math.min(place, history.entries.length - 1)) };
}

export function here(history: History): Entry {
  return history.entries[history.place] as Entry;
}

/** The entry before the one shown; undefined at the beginning. */
export function before(history: History): Entry | undefined {
  return history.entries[history.place - 1];
}

function entry(label: string, view: EditView): Entry {
  return { label, steps: view.steps, loss: view.loss, n_rules: view.rules.length - 1 };
}
