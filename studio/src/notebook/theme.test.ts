import { expect, it } from "vitest";
import { isLight } from "./theme";

it("tells light letters from dark ones", () => {
  expect(isLight("rgb(255, 255, 255)")).toBe(true);
  expect(isLight("rgba(255, 255, 255, 0.87)")).toBe(true);
  expect(isLight("rgb(27, 31, 36)")).toBe(false);
  expect(isLight("rgba(0, 0, 0, 0.87)")).toBe(false);
});
