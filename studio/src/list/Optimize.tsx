// The button that finds the best list that obeys; it says beforehand what that brings.
import { useEdited } from "../api/useEdited";
import { useStudio } from "../session/context";
import { Icon } from "../ui/Icon";
import { Price } from "../ui/Price";
import type { Step } from "../api/types";
import { SearchLonger } from "./SearchLonger";

const REOPTIMIZE: Step = { step: "reoptimize" };
// So long nobody changes anything before the price is asked for.
const PAUSE = 200;

export function Optimize() {
  const { view, act, follows, setFollows, isBusy } = useStudio();
  const isDone = view.steps.at(-1)?.step === "reoptimize";
  const ahead = useEdited(isDone ? null : [...view.steps, REOPTIMIZE], PAUSE);
  const isSame = isDone || (ahead.isFresh && ahead.data?.text === view.text && view.obeys);
  const search = isDone ? view.search : ahead.data?.search;
  return (
    <div class="optimize">
      <button
        type="button"
        class="primary"
        disabled={isSame && !isBusy}
        onClick={() => void act("Re-optimize", [REOPTIMIZE])}
      >
        <Icon name="optimize" />
        <span>Re-optimize</span>
        {!isSame && ahead.isFresh && ahead.data && (
          <Price loss={ahead.data.loss} than={view.loss} />
        )}
      </button>
      <label class="check">
        <input
          type="checkbox"
          checked={follows}
          onChange={(event) => setFollows(event.currentTarget.checked)}
        />
        <span>at once, when I pin, forbid or require</span>
      </label>
      <p class="soft state">{state()}</p>
      {isSame && view.obeys && search?.longer != null && (
        <SearchLonger key={JSON.stringify(view.steps)} effort={search.longer} />
      )}
    </div>
  );

  function state(): string {
    if (!view.obeys) return "The list does not obey what you said yet.";
    if (!isSame) return "Re-optimizing finds the best list that obeys what you said.";
    return search?.proven === false
      ? "This is the best list found in the time; a better one may obey what you said."
      : "This is the best list that obeys what you said.";
  }
}
