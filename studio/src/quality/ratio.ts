// The slider of costs: places on it are ratios, even steps for people, not for arithmetic.

export const RATIOS = [
  0.01, 0.02, 0.05, 0.1, 0.2, 0.33, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100,
] as const;

export const EVEN = RATIOS.indexOf(1);

/** How many of one kind of error weigh as much as one of the other, in words. */
export function ratioWords(ratio: number, first: string, second: string): string {
  if (ratio === 1) return `A missed ${second} costs as much as a missed ${first}.`;
  const [dear, cheap, times] =
    ratio > 1 ? [second, first, ratio] : [first, second, Number((1 / ratio).toPrecision(2))];
  return `A missed ${dear} costs as much as ${times} missed ${cheap}.`;
}

/** The same as the command line takes it: true class, predicted class, cost. */
export function costOption(ratio: number, first: string, second: string): string {
  return ratio >= 1
    ? `${second}:${first}=${ratio}`
    : `${first}:${second}=${Number((1 / ratio).toPrecision(2))}`;
}
