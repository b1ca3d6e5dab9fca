import { expect, it } from "vitest";
import { costOption, EVEN, RATIOS, ratioWords } from "./ratio";

it("has a middle where errors cost the same", () => {
  expect(RATIOS[EVEN]).toBe(1);
  expect(RATIOS.length).toBe(2 * EVEN + 1);
});

it("says which error is dear", () => {
  expect(ratioWords(1, "no", "yes")).toBe("A missed yes costs as much as a missed no.");
  expect(ratioWords(5, "no", "yes")).toBe("A missed yes costs as much as 5 missed no.");
  expect(ratioWords(0.33, "no", "yes")).toBe("A missed no costs as much as 3 missed yes.");
});

it("is an option of the command line", () => {
  expect(costOption(5, "no", "yes")).toBe("yes:no=5");
  expect(costOption(0.5, "no", "yes")).toBe("no:yes=2");
});
