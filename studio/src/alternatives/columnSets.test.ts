import { expect, it } from "vitest";
import type { GoodList } from "../api/types";
import { COLOURS, columnSets } from "./columnSets";

const using = (...columns: string[]) => ({ columns }) as GoodList;

it("gives the most frequent sets a colour each, whatever their order", () => {
  const { sets, of } = columnSets([using("a"), using("b", "a"), using("a", "b")]);
  expect(sets).toEqual([
    { columns: ["a", "b"], n_lists: 2 },
    { columns: ["a"], n_lists: 1 },
  ]);
  expect(of).toEqual([1, 0, 0]);
});

it("lets the rest share one", () => {
  const lists = Array.from({ length: 9 }, (_, place) => using(String(place)));
  expect(columnSets(lists).of.filter((place) => place === COLOURS)).toHaveLength(3);
});
