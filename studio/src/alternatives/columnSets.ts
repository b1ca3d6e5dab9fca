// Lists by the columns they use: the most frequent sets get a colour each, the rest share one.
import type { GoodList } from "../api/types";

export interface ColumnSet {
  columns: string[];
  n_lists: number;
}

export const COLOURS = 6;

/** The sets that get colours, most frequent first, and the place of each list's; the last is "other". */
export function columnSets(lists: readonly GoodList[]): { sets: ColumnSet[]; of: number[] } {
  const found = new Map<string, ColumnSet>();
  const names = lists.map((one) => JSON.stringify([...one.columns].sort()));
  for (const [place, name] of names.entries()) {
    const known = found.get(name);
    if (known) known.n_lists += 1;
    else found.set(name, { columns: [...(lists[place]?.columns ?? [])].sort(), n_lists: 1 });
  }
  const order = [...found.entries()].sort((one, other) => other[1].n_lists - one[1].n_lists);
  const coloured = order.slice(0, COLOURS);
  const places = new Map(coloured.map(([name], place) => [name, place]));
  return {
    sets: coloured.map(([, set]) => set),
    of: names.map((name) => places.get(name) ?? COLOURS),
  };
}
