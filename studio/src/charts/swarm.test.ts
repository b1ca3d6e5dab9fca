import { expect, it } from "vitest";
import { swarm } from "./swarm";

it("keeps dots apart and near their place", () => {
  const dots = Array.from({ length: 12 }, () => ({ x: 100, y: 50 }));
  const placed = swarm(dots, 4, 60);
  for (const [place, one] of placed.entries()) {
    expect(Math.abs(one.x - 100)).toBeLessThanOrEqual(60);
    for (const other of placed.slice(place + 1)) {
      expect(Math.abs(one.x - other.x)).toBeGreaterThanOrEqual(8);
    }
  }
});

it("stays within reach when there is no room", () => {
  const placed = swarm(
    Array.from({ length: 500 }, () => ({ x: 0, y: 0 })),
    4,
    20,
  );
  expect(Math.max(...placed.map((one) => Math.abs(one.x)))).toBeLessThanOrEqual(20);
});
