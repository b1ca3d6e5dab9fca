// The history of a tab, kept by the browser for that tab alone: a reload loses nothing.
import type { Studio } from "../api/types";
import type { History } from "./history";

export function kept(studio: Studio): History | null {
  try {
    const text = sessionStorage.getItem(place(studio));
    const found = text === null ? null : (JSON.parse(text) as History);
    return found && found.entries[found.place] ? found : null;
  } catch {
    return null;
  }
}

export function keep(studio: Studio, history: History): void {
  try {
    sessionStorage.setItem(place(studio), JSON.stringify(history));
  } catch {
    // Without storage a reload begins anew; nothing else is lost.
  }
}

function place(studio: Studio): string {
  const { table, target, n_rows, max_rules, max_terms, regularization } = studio;
  return JSON.stringify(["samrule", table, target, n_rows, max_rules, max_terms, regularization]);
}
