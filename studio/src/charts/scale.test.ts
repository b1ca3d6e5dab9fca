import { expect, it } from "vitest";
import { linear, ticks } from "./scale";

it("goes to pixels and back", () => {
  const x = linear(10, 20, 0, 100);
  expect(x(15)).toBe(50);
  expect(x.back(50)).toBe(15);
});

it("draws a single value without dividing by zero", () => {
  expect(linear(3, 3, 0, 100)(3)).toBe(0);
  expect(ticks(3, 3)).toEqual([3]);
});

it("finds round numbers", () => {
  expect(ticks(0.141, 0.16, 4)).toEqual([0.145, 0.15, 0.155, 0.16]);
  expect(ticks(0, 100, 5)).toEqual([0, 20, 40, 60, 80, 100]);
});
