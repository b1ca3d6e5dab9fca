// A row that people type: only the columns that the list asks for.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Trouble } from "../ui/Trouble";
import { ExplanationView } from "./ExplanationView";

export function TypedRow() {
  const { view } = useStudio();
  const [values, setValues] = useState<Record<string, string | null>>({});
  const typed = Object.fromEntries(
    view.columns.flatMap((column) => {
      const value = values[column];
      return value === undefined || value === "" ? [] : [[column, value]];
    }),
  );
  const isBegun = Object.keys(typed).length > 0;
  const asked = isBegun ? { steps: view.steps, values: typed } : null;
  const { data, refusal, isFresh } = useAnswer("explain", asked, 200);
  return (
    <>
      <div class="typed">
        {view.columns.map((column) => (
          <div class="field" key={column}>
            <label>
              <span>{shown(column)}</span>
              <input
                type="text"
                value={values[column] ?? ""}
                disabled={values[column] === null}
                onInput={(event) => setValues({ ...values, [column]: event.currentTarget.value })}
              />
            </label>
            <label class="check">
              <input
                type="checkbox"
                checked={values[column] === null}
                onChange={(event) =>
                  setValues({ ...values, [column]: event.currentTarget.checked ? null : "" })
                }
              />
              <span>missing</span>
            </label>
          </div>
        ))}
      </div>
      {view.columns.length === 0 && <p class="soft">The list asks for no column.</p>}
      {isBegun && isFresh && refusal && <Trouble refusal={refusal} />}
      {isBegun && isFresh && data && <ExplanationView one={data} />}
    </>
  );
}
