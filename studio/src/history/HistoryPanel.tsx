// Everything that was done in this tab; go back to any of it, or compare with it.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import { useStudio } from "../session/context";
import { here } from "../session/history";
import { loss, several } from "../text/numbers";
import { Disagreement } from "../ui/Disagreement";
import { Price } from "../ui/Price";
import { RuleLines } from "../ui/RuleLines";
import { Trouble } from "../ui/Trouble";
import { shown } from "../text/shown";

export function HistoryPanel() {
  const { history, view, go } = useStudio();
  const [other, setOther] = useState<number | null>(null);
  const compared = useAnswer(
    "compare",
    other === null || !history.entries[other]
      ? null
      : { steps: here(history).steps, other: history.entries[other].steps },
  );
  return (
    <>
      <h2>What you did</h2>
      <ol class="history" reversed>
        {history.entries
          .map((entry, place) => ({ entry, place }))
          .reverse()
          .map(({ entry, place }) => {
            const earlier = history.entries[place - 1];
            const isNow = place === history.place;
            const kinds = [isNow && "now", place > history.place && "undone"];
            return (
              <li key={place} class={kinds.filter(Boolean).join(" ")}>
                <button
                  type="button"
                  class="entry"
                  aria-current={isNow ? "step" : undefined}
                  onClick={() => go(place)}
                >
                  <span>{entry.label}</span>
                  <small class="soft">
                    loss {loss(entry.loss)}, {several(entry.n_rules, "rule")}
                    {place > history.place && ", undone"}
                  </small>
                </button>
                {earlier && <Price loss={entry.loss} than={earlier.loss} />}
                <button
                  type="button"
                  class="small"
                  disabled={isNow}
                  aria-pressed={other === place && !isNow}
                  aria-label={`Compare with: ${entry.label}`}
                  onClick={() => setOther(other === place ? null : place)}
                >
                  Compare
                </button>
              </li>
            );
          })}
      </ol>
      {other !== null && other !== history.place && (
        <section class="block" aria-labelledby="compare-title">
          <h3 id="compare-title">Your list beside “{history.entries[other]?.label}”</h3>
          {compared.refusal && <Trouble refusal={compared.refusal} />}
          {compared.isFresh && compared.data && (
            <>
              <Disagreement compared={compared.data} />
              <div class="pair">
                <figure>
                  <figcaption>your list, loss {loss(view.loss)}</figcaption>
                  <RuleLines text={shown(view.text, "\n")} />
                </figure>
                <figure>
                  <figcaption>the other, loss {loss(compared.data.other_loss)}</figcaption>
                  <RuleLines text={shown(compared.data.other_text, "\n")} />
                </figure>
              </div>
            </>
          )}
        </section>
      )}
    </>
  );
}
