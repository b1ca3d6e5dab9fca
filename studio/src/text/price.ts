// What a change costs, always said the same way: as a share of the loss at hand.
import { signedPercent } from "./numbers";

/** How much greater a loss is than another, as a share of that one. */
export function above(loss: number, than: number): number {
  if (loss === than) return 0;
  return than === 0 ? Infinity : loss / than - 1;
}

/** "0.4 % worse than before", "as before". */
export function changeSentence(loss: number, than: number): string {
  const share = above(loss, than);
  if (share === 0) return "as before";
  const size = signedPercent(Math.abs(share)).slice(1);
  return `${size} ${share > 0 ? "worse" : "better"} than before`;
}

/** "at most 1.2 % worse than the best possible". */
export function gapSentence(worseThanBest: number | null): string {
  if (worseThanBest === null) return "the best possible has no loss at all";
  if (worseThanBest < 0) return "better than any list of the shape that was learned";
  if (worseThanBest === 0) return "no list of this shape is better";
  return `at most ${signedPercent(worseThanBest).slice(1)} worse than the best possible`;
}

export type Tone = "better" | "worse" | "same";

export function tone(share: number): Tone {
  return share > 0 ? "worse" : share < 0 ? "better" : "same";
}
