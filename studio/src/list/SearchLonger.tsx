// Goes on where a search ended too soon to prove its list; everything else works meanwhile.
import { useEffect, useState } from "preact/hooks";
import { useEdited } from "../api/useEdited";
import type { Step } from "../api/types";
import { useStudio } from "../session/context";
import { count } from "../text/numbers";
import { Icon } from "../ui/Icon";
import { Trouble } from "../ui/Trouble";

/** `effort` is how many times longer than usual to search. */
export function SearchLonger({ effort }: { effort: number }) {
  const { view, act } = useStudio();
  const [isAsked, setAsked] = useState(false);
  const step: Step = { step: "reoptimize", effort };
  const found = useEdited(isAsked ? [...view.steps, step] : null);
  const isFound = isAsked && found.isFresh && found.data !== null;

  // What was found is remembered, so that taking it takes no time.
  useEffect(() => {
    if (isFound) void act(`Search ${count(effort)} times longer`, [step]);
  }, [isFound]);

  if (found.isFresh && found.refusal) return <Trouble refusal={found.refusal} />;
  // One button for both, so that it keeps the keyboard.
  return (
    <div class="row">
      <button type="button" onClick={() => setAsked(!isAsked)}>
        <Icon name={isAsked ? "remove" : "optimize"} />
        <span>{isAsked ? "Do not wait" : `Search ${count(effort)} times longer`}</span>
      </button>
      <span class="soft waiting" role="status">
        {isAsked && `Searching ${count(effort)} times longer than usual …`}
      </span>
    </div>
  );
}
