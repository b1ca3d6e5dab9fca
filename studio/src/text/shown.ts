// Names and values as they can be read: marks that nobody sees are written out.

// Control characters, and marks that turn the direction of text or have no width.
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** The text with each unseen mark as its code, as samrule prints it: \u202e; `but` stays. */
export function shown(text: string, but = ""): string {
  return text.replace(UNSEEN, (mark) =>
    mark === but ? mark : `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The beginning of a long text. */
export function short(text: string, most = 40): string {
  const letters = [...shown(text)];
  return letters.length <= most ? letters.join("") : `${letters.slice(0, most - 1).join("")}…`;
}
