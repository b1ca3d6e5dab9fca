import { expect, it } from "vitest";
import { followed } from "./focus";

it("follows a rule to its new place", () => {
  const focus = { kind: "rule", number: 1 } as const;
  expect(followed(focus, ["a", "b"], ["b", "a"]).number).toBe(2);
  expect(followed(focus, ["a", "b"], ["c", "b"]).number).toBe(1);
  expect(followed(focus, ["a", "a"], ["a", "a"])).toBe(focus);
});

it("stays on the list when rules are gone", () => {
  expect(followed({ kind: "rule", number: 3 }, ["a", "b", "c"], ["a"]).number).toBe(1);
  expect(followed({ kind: "rule", number: 1 }, ["a"], []).number).toBe(1);
  expect(followed({ kind: "insert", number: 4 }, ["a", "b", "c"], ["a"]).number).toBe(2);
});
