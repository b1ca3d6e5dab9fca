// What it costs never to use a column: the best list without it, proven.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import { shown } from "../text/shown";
import { ColumnSelect } from "../ui/ColumnSelect";
import { ListOffer } from "../ui/ListOffer";
import { Trouble } from "../ui/Trouble";

export function WithoutColumn() {
  const [column, setColumn] = useState("");
  const { data, refusal, isFresh } = useAnswer("without", column === "" ? null : { column });
  return (
    <section class="block" aria-labelledby="without-title">
      <h3 id="without-title">The best list without a column</h3>
      <label class="field">
        <span>Without</span>
        <ColumnSelect chosen={column} onChoose={setColumn} />
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
