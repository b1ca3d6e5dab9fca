// What must be: columns that are forbidden or required, and a way to say more.
import { useState } from "preact/hooks";
import { useEdited } from "../api/useEdited";
import type { Said, Step } from "../api/types";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { ColumnSelect } from "../ui/ColumnSelect";
import { Icon } from "../ui/Icon";
import { Price } from "../ui/Price";

export function Wishes() {
  const { view } = useStudio();
  const [column, setColumn] = useState("");
  const isSaid = view.said.some(({ what }) => "column" in what && what.column === column);
  return (
    <section class="wishes" aria-labelledby="wishes-title">
      <h2 id="wishes-title">What must be</h2>
      {view.said.length > 0 && (
        <ul class="chips">
          {view.said.map((one) => (
            <Chip key={JSON.stringify(one)} said={one} />
          ))}
        </ul>
      )}
      {view.other_constraints.length > 0 && (
        <p class="soft">It was also learned to obey: {shown(view.other_constraints.join("; "))}.</p>
      )}
      <div class="say">
        <label>
          <span class="unseen">Column to forbid or require</span>
          <ColumnSelect chosen={column} onChoose={setColumn} />
        </label>
        {isSaid && <span class="soft">Take back what you said of it first.</span>}
        {column !== "" && !isSaid && (
          <>
            <SayButton verb="forbid" column={column} onSaid={() => setColumn("")} />
            <SayButton verb="require" column={column} onSaid={() => setColumn("")} />
          </>
        )}
        {column === "" && view.said.length === 0 && (
          <span class="soft">Nothing is forbidden or required yet.</span>
        )}
      </div>
    </section>
  );
}

function Chip({ said }: { said: Said }) {
  const { say } = useStudio();
  const words = shown(said.text);
  return (
    <li class={`chip ${said.verb}`}>
      <Icon name={said.verb} />
      <span>{words}</span>
      <button
        type="button"
        class="bare"
        aria-label={`Take back: ${words}`}
        title="Take it back"
        onClick={() => void say(`Take back: ${words}`, [{ step: "allow", what: said.what }])}
      >
        <Icon name="remove" />
      </button>
    </li>
  );
}

const WORDS = { forbid: "Never use it", require: "Always use it" } as const;

interface SayProps {
  verb: "forbid" | "require";
  column: string;
  onSaid(): void;
}

/** Forbids or requires a column; its price is asked for before anybody clicks. */
function SayButton({ verb, column, onSaid }: SayProps) {
  const { view, say } = useStudio();
  const step: Step = { step: verb, what: { column } };
  const ahead = useEdited([...view.steps, step, { step: "reoptimize" }]);
  async function onClick() {
    if (await say(`${verb === "forbid" ? "Forbid" : "Require"} ${shown(column)}`, [step])) onSaid();
  }
  return (
    <button type="button" onClick={() => void onClick()}>
      <Icon name={verb} />
      <span>{WORDS[verb]}</span>
      {ahead.isFresh && ahead.data && <Price loss={ahead.data.loss} than={view.loss} />}
      {ahead.isFresh && ahead.refusal && <small class="soft">not possible</small>}
    </button>
  );
}
