// How good the list is now, in a sentence that screen readers hear after every change.
import { useStudio } from "../session/context";
import { count, loss, percent } from "../text/numbers";
import { capital, lossMeaning } from "../text/meaning";
import { shown } from "../text/shown";
import { above, changeSentence, gapSentence, tone } from "../text/price";
import { LossScale } from "./LossScale";

export function Verdict() {
  const { studio, view, before, history } = useStudio();
  const label = history.entries[history.place]?.label;
  const change = before && changeSentence(view.loss, before.loss);
  const kind = before ? tone(above(view.loss, before.loss)) : "same";
  return (
    <>
      <section class="verdict" aria-labelledby="verdict-title">
        <h2 id="verdict-title" class="unseen">
          How good it is
        </h2>
        <div role="status" aria-live="polite" aria-atomic="true">
          <p class="figure">
            <span class="unseen">{label}. </span>
            <span class="soft">{capital(studio.loss_name)}</span> <strong>{loss(view.loss)}</strong>
          </p>
          <p class="words">
            {change !== undefined && <span class={`change ${kind}`}>{change}, </span>}
            {gapSentence(view.worse_than_best)}
            {!view.certificate.proven && " on the rows in memory"}
            {view.test && (
              <span class="soft">
                . Right in {percent(view.test.accuracy)} of {count(view.test.n_rows)} held-out rows
              </span>
            )}
            .
          </p>
        </div>
        <LossScale best={view.lower_bound} now={view.loss} before={before?.loss} />
      </section>
      <details class="proof">
        <summary>What it means, and what is proven</summary>
        <p class="soft">
          {lossMeaning(studio)} {shown(view.certificate.sentence)}
        </p>
      </details>
    </>
  );
}
