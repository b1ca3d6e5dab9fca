// Rules to choose from, each with what the list would lose with it.
import type { Candidate } from "../api/types";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Price } from "../ui/Price";

interface Props {
  caption: string;
  candidates: readonly Candidate[];
  verb: string;
  onChoose(one: Candidate): void;
}

export function Candidates({ caption, candidates, verb, onChoose }: Props) {
  const { view } = useStudio();
  const isForbidden = (one: Candidate) =>
    view.said.some(
      ({ verb, what }) =>
        verb === "forbid" &&
        "column" in what &&
        one.conditions.some((each) => each.condition.column === what.column),
    );
  if (candidates.length === 0) return <p class="soft">Nothing fits.</p>;
  return (
    <ul class="candidates" aria-label={caption}>
      {candidates.map((one) => (
        <li key={one.text}>
          <button type="button" onClick={() => onChoose(one)} title={verb}>
            <span class="what">
              <code>{shown(one.text)}</code> <span class="lead">then</span>{" "}
              {shown(one.prediction_text)}
              {isForbidden(one) && <span class="tag">forbidden</span>}
            </span>
            <Price loss={one.loss} than={view.loss} />
          </button>
        </li>
      ))}
    </ul>
  );
}
