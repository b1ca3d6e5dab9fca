// One rule up close: its columns with their cuts, and what could stand in its place.
import type { ConditionView, RuleView, Said } from "../api/types";
import { useStudio } from "../session/context";
import { count, percent } from "../text/numbers";
import { shown } from "../text/shown";
import { Icon } from "../ui/Icon";
import { Additions } from "./Additions";
import { ColumnPicture } from "./ColumnPicture";
import { Replacements } from "./Replacements";

export function RulePanel({ number }: { number: number }) {
  const { view } = useStudio();
  const rule = view.rules.slice(0, -1)[number - 1];
  if (!rule) return <p class="soft">Choose a rule on the list to look closer.</p>;
  return (
    <>
      <h2>
        Rule {rule.number}: <code>{shown(rule.text)}</code>
      </h2>
      <HeldOut rule={rule} />
      {rule.conditions.map((one) => (
        <ConditionBlock key={`${rule.number} ${one.text}`} rule={rule} one={one} />
      ))}
      <Additions key={`and ${rule.number}`} rule={rule} />
      <Replacements key={rule.number} rule={rule} />
    </>
  );
}

function HeldOut({ rule }: { rule: RuleView }) {
  if (!rule.test) return null;
  const { n_rows, accuracy } = rule.test;
  return (
    <p class="soft">
      Of the rows learned from it is right in {percent(rule.accuracy)} of {count(rule.n_rows)}; of
      the held-out ones in {percent(accuracy)} of {count(n_rows)}.
    </p>
  );
}

const LABELS = { forbid: "Forbid", require: "Require" } as const;

function asks(said: Said, verb: Said["verb"], column: string): boolean {
  return said.verb === verb && "column" in said.what && said.what.column === column;
}

function ConditionBlock({ rule, one }: { rule: RuleView; one: ConditionView }) {
  const { view, act, say } = useStudio();
  const { column } = one.condition;
  const name = shown(column);
  const others = rule.conditions.filter((each) => each !== one);

  function leaveOut() {
    const conditions = others.map((each) => each.condition);
    void act(`Rule ${rule.number}: without ${shown(one.text)}`, [
      { step: "replace", number: rule.number, conditions },
    ]);
  }

  return (
    <section class="block" aria-label={`Column ${name}`}>
      <div class="block-head">
        <h3>
          <code>{others.length > 0 ? shown(one.text) : name}</code>
        </h3>
        <div class="buttons">
          {others.length > 0 && (
            <button
              type="button"
              class="small"
              aria-label={`Leave out ${shown(one.text)}`}
              onClick={leaveOut}
            >
              <Icon name="remove" />
              <span>Leave out</span>
            </button>
          )}
          {(["forbid", "require"] as const).map((verb) => (
            <button
              type="button"
              class="small"
              key={verb}
              disabled={view.said.some((each) => asks(each, verb, column))}
              onClick={() =>
                void say(`${LABELS[verb]} ${name}`, [{ step: verb, what: { column } }])
              }
            >
              <Icon name={verb} />
              <span>
                {verb === "forbid" ? "Never" : "Always"} {name}
              </span>
            </button>
          ))}
        </div>
      </div>
      <ColumnPicture rule={rule} one={one} />
    </section>
  );
}
