import { describe, expect, it } from "vitest";
import { count, loss, percent, plain, several, signedPercent } from "./numbers";

describe("numbers as people read them", () => {
  it("groups thousands of rows", () => {
    expect(count(32561)).toBe("32,561");
  });
  it("shows four digits of a loss", () => {
    expect(loss(0.146_73)).toBe("0.1467");
    expect(plain(5100)).toBe("5100");
    expect(plain(Number.NaN)).toBe("-");
  });
  it("writes shares with a space, and a dash without rows", () => {
    expect(percent(0.12)).toBe("12.0\u00a0%");
    expect(percent(null)).toBe("-");
  });
  it("never calls a small change nothing", () => {
    expect(signedPercent(0)).toBe("±0");
    expect(signedPercent(0.00001)).toBe("+<0.01\u00a0%");
    expect(signedPercent(0.004)).toBe("+0.4\u00a0%");
    expect(signedPercent(-0.0123)).toBe("−1.2\u00a0%");
    expect(signedPercent(0.456)).toBe("+46\u00a0%");
    expect(signedPercent(Infinity)).toBe("+∞");
  });
  it("counts things", () => {
    expect(several(1, "rule")).toBe("1 rule");
    expect(several(3, "rule")).toBe("3 rules");
  });
});
