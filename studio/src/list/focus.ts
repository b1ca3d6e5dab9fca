// What the panel looks at: a rule, or the place of a new one.

export interface Focus {
  kind: "rule" | "insert";
  number: number;
}

/** Where the rule that was looked at stands in another list; a rule that is gone stays a number. */
export function followed(focus: Focus, before: readonly string[], now: readonly string[]): Focus {
  const last = focus.kind === "rule" ? Math.max(1, now.length) : now.length + 1;
  const text = before[focus.number - 1];
  const place = focus.kind === "rule" && text !== undefined ? now.indexOf(text) : -1;
  const isThere = now[focus.number - 1] === text;
  const number = place >= 0 && !isThere ? place + 1 : Math.min(focus.number, last);
  return number === focus.number ? focus : { ...focus, number };
}
