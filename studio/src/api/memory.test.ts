import { expect, it } from "vitest";
import { remembered } from "./memory";

it("asks once, also while the answer is under way", async () => {
  let times = 0;
  const twice = remembered(async (n: number) => {
    times += 1;
    return 2 * n;
  });
  expect(await Promise.all([twice(1), twice(1), twice(2)])).toEqual([2, 2, 4]);
  expect(await twice(1)).toBe(2);
  expect(times).toBe(2);
});

it("asks again for what failed", async () => {
  let times = 0;
  const fails = remembered(async () => {
    times += 1;
    throw new Error("no");
  });
  await expect(fails(0)).rejects.toThrow("no");
  await expect(fails(0)).rejects.toThrow("no");
  expect(times).toBe(2);
});

it("forgets the oldest", async () => {
  let times = 0;
  const same = remembered(async (n: number) => {
    times += 1;
    return n;
  });
  for (let n = 0; n <= 200; n += 1) await same(n);
  await same(200);
  expect(times).toBe(201);
  await same(0);
  expect(times).toBe(202);
});
