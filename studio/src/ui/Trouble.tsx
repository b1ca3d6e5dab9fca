// What the server would not do, in its own words, and what to do next.
import type { Refusal } from "../api/refusal";
import { shown } from "../text/shown";

export function Trouble({ refusal }: { refusal: Refusal }) {
  return (
    <p class="trouble" role="alert">
      {shown(refusal.message)}
      {refusal.hint !== null && <span class="soft"> Hint: {shown(refusal.hint)}</span>}
    </p>
  );
}
