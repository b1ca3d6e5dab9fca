import { expect, it } from "vitest";
import { movedNumbers, ruleKeys } from "./keys";

it("names equal rules apart", () => {
  expect(ruleKeys(["a", "b", "a"])).toEqual(["a#1", "b#1", "a#2"]);
});

it("writes the present numbers in their new order", () => {
  expect(movedNumbers(3, 0, 2)).toEqual([2, 3, 1]);
  expect(movedNumbers(3, 2, 0)).toEqual([3, 1, 2]);
});
