// Every list that is nearly as good as the best: a map, filters, and the one that was clicked.
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/useAnswer";
import type { GoodList } from "../api/types";
import { useKept } from "../session/useKept";
import { several } from "../text/numbers";
import { short, shown } from "../text/shown";
import { Choice } from "../ui/Choice";
import { Icon } from "../ui/Icon";
import { ListOffer } from "../ui/ListOffer";
import { Trouble } from "../ui/Trouble";
import { columnSets } from "./columnSets";
import { AlternativesMap } from "./AlternativesMap";
import { WithoutColumn } from "./WithoutColumn";

// How long they are looked for, and at most if people ask for more.
const SECONDS = 20;
const MOST_SECONDS = 600;
const WITHIN = [0.01, 0.02, 0.05, 0.1] as const;

export function AlternativesPanel() {
  const [within, setWithin] = useKept<number>("within", 0.02);
  const [without, setWithout] = useKept<readonly string[]>("without", []);
  const [seconds, setSeconds] = useKept<number>("seconds", SECONDS);
  const [chosen, setChosen] = useState<GoodList | null>(null);
  const { data, refusal, isFresh } = useAnswer("alternatives", { within, limit: 1000, seconds });
  const seen = useMemo(
    () =>
      (data?.lists ?? []).filter((one) => without.every((column) => !one.columns.includes(column))),
    [data, without],
  );
  const coloured = useMemo(() => columnSets(seen), [seen]);

  function toggle(column: string) {
    setChosen(null);
    setWithout(
      without.includes(column) ? without.filter((one) => one !== column) : [...without, column],
    );
  }

  return (
    <>
      <h2>All good lists</h2>
      <Choice
        label="Loss within"
        options={WITHIN.map((one) => ({ value: one, label: `${100 * one} %` }))}
        chosen={within}
        onChoose={(value) => {
          setWithin(value);
          setSeconds(SECONDS);
          setChosen(null);
        }}
      />
      {refusal && <Trouble refusal={refusal} />}
      {!data && !refusal && <p class="soft waiting">Looking for every good list …</p>}
      {data && (
        <div class={isFresh ? "" : "stale"}>
          <p>{shown(data.sentence)}</p>
          {data.out_of_time && seconds < MOST_SECONDS && (
            <button type="button" onClick={() => setSeconds(Math.min(3 * seconds, MOST_SECONDS))}>
              <Icon name="optimize" />
              <span>Search longer: up to {Math.min(3 * seconds, MOST_SECONDS)} seconds</span>
            </button>
          )}
          {data.in_some.length > 0 && (
            <fieldset class="filters">
              <legend>Only lists without</legend>
              {data.in_some.map((column) => (
                <label class="toggle" key={column}>
                  <input
                    type="checkbox"
                    checked={without.includes(column)}
                    onChange={() => toggle(column)}
                  />
                  <span>{short(column, 24)}</span>
                </label>
              ))}
            </fieldset>
          )}
          <p class="soft" role="status">
            {without.length > 0 &&
              `${several(seen.length, "list")} of ${data.lists.length} shown. `}
            {data.in_all.length > 0 &&
              `All use ${data.in_all.map((one) => short(one)).join(", ")}.`}
          </p>
          <AlternativesMap
            all={data.lists}
            lists={seen}
            colours={coloured.of}
            chosen={chosen}
            onChoose={setChosen}
          />
          <ul class="legend sets" aria-label="Colours of columns used">
            {coloured.sets.map((set, place) => (
              <li key={place}>
                <span class={`swatch set-${place}`} />
                {set.columns.map((one) => short(one, 20)).join(", ") || "no column"}{" "}
                <span class="soft">{set.n_lists}</span>
              </li>
            ))}
            {coloured.of.includes(coloured.sets.length) && coloured.sets.length > 0 && (
              <li>
                <span class="swatch set-6" />
                others
              </li>
            )}
          </ul>
          {chosen ? (
            <ListOffer list={chosen} loss={chosen.loss} label="Take an alternative" />
          ) : (
            <p class="soft">
              Click a dot, or move among them with the arrow keys, to see its list.
            </p>
          )}
        </div>
      )}
      <WithoutColumn />
    </>
  );
}
