// What a rule predicts: the class that fits its rows, or the one that people choose.
import type { RuleView, Value } from "../api/types";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";

const FITS = "fits";

export function Prediction({ rule }: { rule: RuleView }) {
  const { studio, view, act } = useStudio();
  const isDefault = rule.number === view.rules.length;
  const place = studio.classes.findIndex((one) => one.text === rule.prediction_text);
  const name = isDefault ? "the default" : `rule ${rule.number}`;

  function onChange(chosen: string) {
    const value: Value = chosen === FITS ? null : (studio.classes[Number(chosen)]?.value ?? null);
    const words = chosen === FITS ? "what fits" : shown(studio.classes[Number(chosen)]?.text ?? "");
    const label = `${isDefault ? "The default" : `Rule ${rule.number}`} predicts ${words}`;
    void act(label, [{ step: "relabel", number: rule.number, value }]);
  }

  return (
    <label class="prediction">
      <span class="lead">{isDefault ? "" : "then"}</span>
      <span class="unseen">Class that {name} predicts</span>
      <span class={`swatch class-${place % 8}`} />
      <select
        value={rule.chosen ? String(place) : FITS}
        title={rule.chosen ? "Chosen by you" : "What fits the rows that it decides"}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        <option value={FITS}>
          {rule.chosen ? "what fits its rows" : shown(rule.prediction_text)}
        </option>
        {studio.classes.map(
          (one, other) =>
            (rule.chosen || other !== place) && (
              <option key={other} value={String(other)}>
                {shown(one.text)}
              </option>
            ),
        )}
      </select>
      {rule.chosen && <span class="tag">yours</span>}
    </label>
  );
}
