// Rules to choose from that are found by words: a field, and the best of what fits.
import type { Answer } from "../api/useAnswer";
import type { Candidate, Step } from "../api/types";
import { Trouble } from "../ui/Trouble";
import { Candidates } from "./Candidates";

const MANY = 40;
// So long nobody types before rules are looked for.
const PAUSE = 150;

interface Props {
  words: string;
  onWords(words: string): void;
  answer: Answer<unknown>;
  found: readonly Candidate[] | undefined;
  caption: string;
  verb: string;
  onChoose(one: Candidate): void;
}

export function Finder({ words, onWords, answer, found, caption, verb, onChoose }: Props) {
  const { refusal, isFresh } = answer;
  return (
    <>
      <label class="field">
        <span>Find</span>
        <input
          type="search"
          value={words}
          placeholder="a column or a value"
          onInput={(event) => onWords(event.currentTarget.value)}
        />
      </label>
      {refusal && <Trouble refusal={refusal} />}
      <div class={isFresh ? "" : "stale"}>
        {found ? (
          <Candidates caption={caption} candidates={found} verb={verb} onChoose={onChoose} />
        ) : (
          !refusal && <p class="soft waiting">Trying all conditions …</p>
        )}
      </div>
    </>
  );
}

interface Asked {
  steps: Step[];
  number: number;
  limit: number;
  contains?: string;
}

/** What to ask for rules of this number with these words, and how long to wait before. */
export function findable(steps: Step[], number: number, words: string): [Asked, number] {
  const asked = { steps, number, limit: MANY };
  return words ? [{ ...asked, contains: words }, PAUSE] : [asked, 0];
}
