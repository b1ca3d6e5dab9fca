// A new rule: the best ones for its place, found by words.
import { useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Trouble } from "../ui/Trouble";
import { Candidates } from "./Candidates";

interface Props {
  number: number;
  onInserted(): void;
}

export function InsertPanel({ number, onInserted }: Props) {
  const { view, act } = useStudio();
  const [words, setWords] = useState("");
  const asked = { steps: view.steps, number, limit: 40, ...(words ? { contains: words } : {}) };
  const { data, refusal, isFresh } = useAnswer("insertions", asked, words ? 150 : 0);
  return (
    <>
      <h2>A new rule {number}</h2>
      <label class="field">
        <span>Find</span>
        <input
          type="search"
          value={words}
          placeholder="a column or a value"
          onInput={(event) => setWords(event.currentTarget.value)}
        />
      </label>
      {refusal && <Trouble refusal={refusal} />}
      <div class={isFresh ? "" : "stale"}>
        {data ? (
          <Candidates
            caption={`Rules to insert as number ${number}`}
            candidates={data.insertions}
            verb="Insert it"
            onChoose={async (one) => {
              const conditions = one.conditions.map((each) => each.condition);
              const label = `Insert “${shown(one.text)}” as rule ${number}`;
              if (await act(label, [{ step: "insert", number, conditions }])) onInserted();
            }}
          />
        ) : (
          !refusal && <p class="soft waiting">Trying all conditions …</p>
        )}
      </div>
    </>
  );
}
