import { expect, it } from "vitest";
import { keyedBorder, nearestBorder } from "./cut";

it("snaps to the nearest border", () => {
  // Four bins of 10 pixels from 100: borders at 110, 120, 130.
  expect(nearestBorder(112, 100, 10, 3)).toBe(0);
  expect(nearestBorder(127, 100, 10, 3)).toBe(2);
  expect(nearestBorder(-50, 100, 10, 3)).toBe(0);
  expect(nearestBorder(999, 100, 10, 3)).toBe(2);
});

it("moves by keys and stays within the ends", () => {
  expect(keyedBorder("ArrowRight", 1, 3)).toBe(2);
  expect(keyedBorder("ArrowRight", 2, 3)).toBe(2);
  expect(keyedBorder("Home", 2, 3)).toBe(0);
  expect(keyedBorder("a", 2, 3)).toBeNull();
});
