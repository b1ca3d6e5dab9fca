import { expect, it } from "vitest";
import { above, changeSentence, gapSentence, tone } from "./price";

it("says what a change costs", () => {
  expect(changeSentence(0.1004, 0.1)).toBe("0.4\u00a0% worse than before");
  expect(changeSentence(0.09, 0.1)).toBe("10\u00a0% better than before");
  expect(changeSentence(0.1, 0.1)).toBe("as before");
});

it("says how far from the best a list can be", () => {
  expect(gapSentence(0.012)).toBe("at most 1.2\u00a0% worse than the best possible");
  expect(gapSentence(-0.1)).toBe("better than any list of the shape that was learned");
  expect(gapSentence(0)).toBe("no list of this shape is better");
  expect(gapSentence(null)).toBe("the best possible has no loss at all");
});

it("knows a loss of nothing", () => {
  expect(above(0, 0)).toBe(0);
  expect(above(0.1, 0)).toBe(Infinity);
  expect(tone(-0.1)).toBe("better");
});
