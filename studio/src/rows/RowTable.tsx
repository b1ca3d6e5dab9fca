// Rows of the table, a page at a time; a click explains one.
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import type { SeenRow, WhichRows } from "../api/types";
import { useStudio } from "../session/context";
import { count, several } from "../text/numbers";
import { short, shown } from "../text/shown";
import { Trouble } from "../ui/Trouble";
import { ExplanationView } from "./ExplanationView";

const PAGE = 12;

export function RowTable({ rows }: { rows: WhichRows }) {
  const { view } = useStudio();
  const [rule, setRule] = useState<number | null>(null);
  const [wrong, setWrong] = useState(false);
  const [start, setStart] = useState(0);
  const [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => setStart(0), [view, rule, wrong]);
  const wanted = rule !== null && rule <= view.rules.length ? rule : null;
  const asked = { steps: view.steps, rows, start, count: PAGE, rule: wanted, wrong };
  const { data, refusal, isFresh } = useAnswer("rows", asked);
  const why = useAnswer(
    "explain",
    chosen === null ? null : { steps: view.steps, row: chosen, rows },
  );

  return (
    <>
      <div class="row">
        <label class="field">
          <span>Decided by</span>
          <select
            value={wanted === null ? "" : String(wanted)}
            onChange={(event) =>
              setRule(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))
            }
          >
            <option value="">any rule</option>
            {view.rules.map((one) => (
              <option key={one.number} value={String(one.number)}>
                {one.conditions.length === 0 ? "the default" : `${one.number}: ${short(one.text)}`}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={wrong}
            onChange={(event) => setWrong(event.currentTarget.checked)}
          />
          <span>only errors</span>
        </label>
      </div>
      {refusal && <Trouble refusal={refusal} />}
      {why.refusal && <Trouble refusal={why.refusal} />}
      {chosen !== null && why.isFresh && why.data && <ExplanationView one={why.data} />}
      {chosen === null && <p class="soft">Choose a row to see why it gets its prediction.</p>}
      {data && (
        <div class={isFresh ? "" : "stale"}>
          <div class="scroll" tabIndex={0} role="region" aria-label="Rows">
            <table class="rows">
              <caption class="unseen">Rows, and what the list predicts</caption>
              <thead>
                <tr>
                  <th scope="col">Row</th>
                  <th scope="col">Rule</th>
                  <th scope="col">Predicted</th>
                  <th scope="col">Is</th>
                  {data.columns.map((column) => (
                    <th scope="col" key={column}>
                      {short(column, 20)}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>{data.rows.map(line)}</tbody>
            </table>
          </div>
          <div class="pager">
            <button
              type="button"
              class="small"
              disabled={start === 0}
              onClick={() => setStart(start - PAGE)}
            >
              Earlier
            </button>
            <span class="soft" role="status">
              {data.n_rows === 0
                ? "No such rows"
                : `${count(start + 1)} to ${count(start + data.rows.length)} of ${several(data.n_rows, "row")}`}
            </span>
            <button
              type="button"
              class="small"
              disabled={start + PAGE >= data.n_rows}
              onClick={() => setStart(start + PAGE)}
            >
              Later
            </button>
          </div>
        </div>
      )}
    </>
  );

  function line(one: SeenRow) {
    return (
      <tr key={one.row} class={one.row === chosen ? "now" : ""}>
        <th scope="row">
          <button
            type="button"
            class="link"
            aria-pressed={one.row === chosen}
            aria-label={`Explain row ${one.row}`}
            onClick={() => setChosen(one.row)}
          >
            {one.row}
          </button>
        </th>
        <td>{one.rule === view.rules.length ? "else" : one.rule}</td>
        <td>{short(one.predicted, 20)}</td>
        <td class={one.right ? "" : "worse"}>{short(one.actual, 20)}</td>
        {one.values.map((value, place) => (
          <td key={place} title={shown(value ?? "missing")} class={value === null ? "soft" : ""}>
            {value === null ? "missing" : short(value, 24)}
          </td>
        ))}
      </tr>
    );
  }
}
