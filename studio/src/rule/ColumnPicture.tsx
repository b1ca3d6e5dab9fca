// The column of a condition on the rows that reach its rule: a histogram or its levels.
import { useAnswer } from "../api/useAnswer";
import type { ConditionView, RuleView } from "../api/types";
import { useStudio } from "../session/context";
import { count } from "../text/numbers";
import { shown } from "../text/shown";
import { Trouble } from "../ui/Trouble";
import { Histogram } from "./Histogram";
import { Levels } from "./Levels";

interface Props {
  rule: RuleView;
  one: ConditionView;
}

export function ColumnPicture({ rule, one }: Props) {
  const { studio, view, act } = useStudio();
  const { column } = one.condition;
  const { data, refusal } = useAnswer("column", { steps: view.steps, column, number: rule.number });
  if (refusal) return <Trouble refusal={refusal} />;
  if (!data || data.column !== column) return <p class="soft waiting">Counting …</p>;
  const missing = data.missing.reduce((sum, rows) => sum + rows, 0);

  function putIn(other: ConditionView) {
    const conditions = rule.conditions.map((each) => (each === one ? other : each).condition);
    void act(`Rule ${rule.number}: ${shown(other.text)}`, [
      { step: "replace", number: rule.number, conditions },
    ]);
  }

  return (
    <>
      <p class="soft">
        {count(data.n_rows)} rows reach this rule
        {missing > 0 && `; ${shown(column)} is missing in ${count(missing)} of them`}.
        {data.cut && " Drag the cut, or move it with ← and → and press Enter."}
      </p>
      {data.bins.length > 0 ? (
        <Histogram
          key={`${rule.number} ${column}`}
          data={data}
          classes={studio.classes}
          loss={view.loss}
          onCut={(border) =>
            void act(`Move the cut of ${shown(column)} to ${shown(border.text)}`, [
              { step: "move_threshold", number: rule.number, column, value: border.value },
            ])
          }
        />
      ) : (
        <Levels data={data} classes={studio.classes} now={one} onChoose={putIn} />
      )}
      <OtherConditions now={one} all={data.conditions} onChoose={putIn} />
    </>
  );
}

interface OtherProps {
  now: ConditionView;
  all: ConditionView[];
  onChoose(one: ConditionView): void;
}

/** Everything else that may be asked of the column. */
function OtherConditions({ now, all, onChoose }: OtherProps) {
  const others = all.filter((one) => one.text !== now.text);
  if (others.length === 0) return null;
  return (
    <label class="other">
      <span class="soft">Ask something else of it </span>
      <select
        value=""
        onChange={(event) => {
          const chosen = others[Number(event.currentTarget.value)];
          if (event.currentTarget.value !== "" && chosen) onChoose(chosen);
        }}
      >
        <option value="">{shown(now.text)}</option>
        {others.map((one, place) => (
          <option key={one.text} value={String(place)}>
            {shown(one.text)}
          </option>
        ))}
      </select>
    </label>
  );
}
