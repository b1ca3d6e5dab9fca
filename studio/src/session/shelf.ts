// Where the history is kept, so that a page that is shown again loses nothing.
import type { Studio } from "../api/types";
import type { History } from "./history";

export interface Shelf {
  kept(): History | null;
  keep(history: History): void;
}

/** Kept by the browser, for this tab alone. */
export function shelfOfTab(studio: Studio): Shelf {
  const place = placeOf(studio);
  return {
    kept() {
      try {
        return checked(JSON.parse(sessionStorage.getItem(place) ?? "null") as History | null);
      } catch {
        return null;
      }
    },
    keep(history) {
      try {
        sessionStorage.setItem(place, JSON.stringify(history));
      } catch {
        // Without storage a reload begins anew; nothing else is lost.
      }
    },
  };
}

/** What keeps values of a widget: its model. */
export interface Keeper {
  get(name: "_history"): unknown;
  set(name: "_history", value: History): void;
  save_changes(): void;
}

/** Kept by the kernel of a notebook, which knows so which list is shown. */
export function shelfOfModel(model: Keeper): Shelf {
  return {
    kept: () => checked(model.get("_history") as History | null),
    keep(history) {
      model.set("_history", history);
      model.save_changes();
    },
  };
}

function checked(history: History | null): History | null {
  return history?.entries[history.place] ? history : null;
}

function placeOf(studio: Studio): string {
  const { table, target, n_rows, max_rules, max_terms, regularization } = studio;
  return JSON.stringify(["samrule", table, target, n_rows, max_rules, max_terms, regularization]);
}
