// The levels of a text or truth column, most frequent first; a level can be asked for instead.
import type { ColumnView, ConditionView } from "../api/types";
import { ClassBar } from "../charts/ClassBar";
import { count } from "../text/numbers";
import { short, shown } from "../text/shown";

interface Props {
  data: ColumnView;
  classes: readonly { text: string }[];
  now: ConditionView;
  onChoose(one: ConditionView): void;
}

export function Levels({ data, classes, now, onChoose }: Props) {
  const most = Math.max(1, ...data.levels.map((one) => sum(one.counts)));
  return (
    <table class="levels">
      <caption class="unseen">Rows by level of {shown(data.column)} and class</caption>
      <tbody>
        {data.levels.map((level) => {
          const asked = data.conditions.find((one) => asksFor(one, level.value));
          const isNow = asksFor(now, level.value);
          return (
            <tr key={level.text} class={isNow ? "now" : ""}>
              <th scope="row">
                {asked && !isNow ? (
                  <button type="button" class="link" onClick={() => onChoose(asked)}>
                    {short(level.text)}
                    <span class="unseen">: ask for it in this rule</span>
                  </button>
                ) : (
                  short(level.text)
                )}
                {isNow && <span class="tag">asked for</span>}
              </th>
              <td class="number">{count(sum(level.counts))}</td>
              <td class="wide">
                <ClassBar counts={level.counts} classes={classes} total={most} />
              </td>
            </tr>
          );
        })}
        {data.others && (
          <tr class="soft">
            <th scope="row">{count(data.others.n_levels)} others</th>
            <td class="number">{count(sum(data.others.counts))}</td>
            <td class="wide">
              <ClassBar counts={data.others.counts} classes={classes} total={most} />
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

/** Whether a condition asks for this very level. */
function asksFor(one: ConditionView, value: unknown): boolean {
  const { op, value: asked } = one.condition;
  if (op === "in") return Array.isArray(asked) && asked.some((each) => same(each, value));
  return op === "==" && same(asked, value);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, rows) => total + rows, 0);
}
