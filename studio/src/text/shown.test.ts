import { expect, it } from "vitest";
import { short, shown } from "./shown";

it("writes out what turns text around", () => {
  expect(shown("a\u202eb")).toBe("a\\u202eb");
  expect(shown("Zürich — 東京")).toBe("Zürich — 東京");
});

it("cuts long names", () => {
  expect(short("x".repeat(50), 10)).toBe(`${"x".repeat(9)}…`);
  expect(short("age")).toBe("age");
});
