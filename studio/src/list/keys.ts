// A name for each rule that stays with it while the list changes: cards move instead of blinking.

/** One name per rule; rules with the same words are told apart by their order. */
export function ruleKeys(texts: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return texts.map((text) => {
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return `${text}#${times}`;
  });
}

/** The numbers 1 to n with the one at `from` moved to `to`; places begin at 0. */
export function movedNumbers(n: number, from: number, to: number): number[] {
  const numbers = Array.from({ length: n }, (_, place) => place + 1);
  const [one] = numbers.splice(from, 1);
  if (one !== undefined) numbers.splice(to, 0, one);
  return numbers;
}
