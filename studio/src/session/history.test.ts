import { expect, it } from "vitest";
import type { EditView, Step } from "../api/types";
import { added, at, before, begun, here } from "./history";

const view = (steps: Step[], loss: number) => ({ steps, loss, rules: [{}] }) as EditView;
const remove: Step = { step: "remove", number: 1 };

it("goes back and forth without losing what was undone", () => {
  const start = begun(view([], 0.1));
  const once = added(start, "Remove rule 1", view([remove], 0.2));
  const undone = at(once, 0);
  expect(here(undone).steps).toEqual([]);
  expect(here(at(undone, 1)).loss).toBe(0.2);
  expect(before(undone)).toBeUndefined();
  expect(before(once)?.label).toBe("As learned");
});

it("forgets what was undone when something else is done", () => {
  const once = added(begun(view([], 0.1)), "first", view([remove], 0.2));
  const other = added(at(once, 0), "second", view([remove, remove], 0.3));
  expect(other.entries.map((one) => one.label)).toEqual(["As learned", "second"]);
});

it("stays within its ends", () => {
  expect(at(begun(view([], 0)), 7).place).toBe(0);
  expect(at(begun(view([], 0)), -1).place).toBe(0);
});
