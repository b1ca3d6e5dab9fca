// What it costs never to use a column: the best list without it, proven.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import { useStudio } from "../session/context";
import { short, shown } from "../text/shown";
import { ListOffer } from "../ui/ListOffer";
import { Trouble } from "../ui/Trouble";

export function WithoutColumn() {
  const { studio } = useStudio();
  const [column, setColumn] = useState("");
  const { data, refusal, isFresh } = useAnswer("without", column === "" ? null : { column });
  return (
    <section class="block" aria-labelledby="without-title">
      <h3 id="without-title">The best list without a column</h3>
      <label class="field">
        <span>Without</span>
        <select value={column} onChange={(event) => setColumn(event.currentTarget.value)}>
          <option value="">Choose a column …</option>
          {studio.columns.map((one) => (
            <option key={one.name} value={one.name}>
              {short(one.name)}
            </option>
          ))}
        </select>
      </label>
      {column !== "" && isFresh && refusal && <Trouble refusal={refusal} />}
      {column !== "" && isFresh && data && (
        <>
          <p role="status">{shown(data.sentence)}</p>
          <ListOffer list={data} loss={data.loss} label={`Best list without ${shown(column)}`} />
        </>
      )}
    </section>
  );
}
