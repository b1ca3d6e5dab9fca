// Numbers as people read them: the same words as the report and the terminal.

const counts = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** A number of rows: 32,561. */
export function count(value: number): string {
  return counts.format(value);
}

/** A loss with four digits that matter: 0.1467. */
export function loss(value: number): string {
  return plain(value, 4);
}

/** A number with so many digits that matter, without needless zeros: 0.147, 5100, 0. */
export function plain(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "-";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  return size !== 0 && (size < 1e-6 || size >= 1e15)
    ? rounded.toExponential()
    : rounded.toLocaleString("en-US", { useGrouping: false, maximumFractionDigits: 12 });
}

/** A share of rows: 12.0 %; a dash where there are none. */
export function percent(share: number | null, digits = 1): string {
  if (share === null || !Number.isFinite(share)) return "-";
  return `${(100 * share).toFixed(digits)}\u00a0%`;
}

/** How much more or less, as a share: +0.4 %, −1.2 %, ±0. */
export function signedPercent(share: number): string {
  if (!Number.isFinite(share)) return share > 0 ? "+∞" : "−∞";
  const value = 100 * share;
  const size = Math.abs(value);
  const text = size >= 10 ? size.toFixed(0) : size >= 1 ? size.toFixed(1) : shortest(size);
  if (Number(text) === 0) return size === 0 ? "±0" : value > 0 ? "+<0.01\u00a0%" : "−<0.01\u00a0%";
  return `${value > 0 ? "+" : "−"}${text}\u00a0%`;
}

/** "1 rule", "2 rules". */
export function several(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

function shortest(size: number): string {
  return String(Number(size.toFixed(2)));
}
