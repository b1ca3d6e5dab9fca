// Where two lists differ, and who is right there.
import type { Compared, Comparison } from "../api/types";
import { count, percent } from "../text/numbers";

export function Disagreement({ compared }: { compared: Compared }) {
  return (
    <div class="disagreement" role="status">
      <Side title="Rows learned from" one={compared.learned} />
      {compared.test && <Side title="Held-out rows" one={compared.test} />}
    </div>
  );
}

function Side({ title, one }: { title: string; one: Comparison }) {
  const neither = one.differ - one.first_right - one.second_right;
  const wide = (rows: number) => ({ width: `${one.differ ? (100 * rows) / one.differ : 0}%` });
  if (one.differ === 0) {
    return (
      <p>
        {title}: both predict the same for all {count(one.n_rows)}.
      </p>
    );
  }
  return (
    <div>
      <p>
        {title}: they differ on {count(one.differ)} of {count(one.n_rows)} (
        {percent(one.differ / one.n_rows)}).
      </p>
      <div class="versus" aria-hidden="true">
        <span class="first" style={wide(one.first_right)} />
        <span class="neither" style={wide(neither)} />
        <span class="second" style={wide(one.second_right)} />
      </div>
      <p class="soft ends">
        <span>your list is right on {count(one.first_right)}</span>
        {neither > 0 && <span>neither on {count(neither)}</span>}
        <span>the other on {count(one.second_right)}</span>
      </p>
    </div>
  );
}
