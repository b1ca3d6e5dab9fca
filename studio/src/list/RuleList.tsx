// The list as cards, in order; places between them take new rules.
import { useLayoutEffect, useRef } from "preact/hooks";
import { ClassLegend } from "../charts/ClassBar";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Icon } from "../ui/Icon";
import type { Focus } from "./focus";
import { movedNumbers, ruleKeys } from "./keys";
import { Prediction } from "./Prediction";
import { RuleCard } from "./RuleCard";
import { RuleRows } from "./RuleRows";
import { useDrag } from "./useDrag";
import { useFlow } from "./useFlow";

interface Props {
  focus: Focus;
  onFocus(focus: Focus): void;
}

export function RuleList({ focus, onFocus }: Props) {
  const { studio, view, act } = useStudio();
  const list = useRef<HTMLOListElement>(null);
  const keyboard = useRef<{ key: string; part: string } | null>(null);
  const rules = view.rules.slice(0, -1);
  const last = view.rules.at(-1);
  const keys = ruleKeys(rules.map((rule) => rule.text));
  useFlow(list, view);

  // A card that moves keeps the keyboard: browsers take it from what is moved.
  useLayoutEffect(() => {
    const wanted = keyboard.current;
    keyboard.current = null;
    const cards = [...(list.current?.querySelectorAll<HTMLElement>("[data-key]") ?? [])];
    const card = cards.find((one) => one.dataset.key === wanted?.key);
    if (wanted) card?.querySelector<HTMLElement>(`.${wanted.part}`)?.focus();
  }, [view]);

  function move(from: number, to: number) {
    if (to < 0 || to >= rules.length) return;
    void act(`Move rule ${from + 1} to place ${to + 1}`, [
      { step: "reorder", numbers: movedNumbers(rules.length, from, to) },
    ]);
  }

  function remove(place: number) {
    const heir = keys[place + 1] ?? keys[place - 1];
    if (heir !== undefined) keyboard.current = { key: heir, part: "condition" };
    void act(`Remove “${shown(rules[place]?.text ?? "")}”`, [
      { step: "remove", number: place + 1 },
    ]);
  }

  const drag = useDrag(move);
  let skipped = 0;
  return (
    <section class="list" aria-labelledby="list-title">
      <div class="list-head">
        <h2 id="list-title">The list</h2>
        <ClassLegend classes={studio.classes} />
      </div>
      <div class="rule-rows head" aria-hidden="true">
        <span>rows it decides, by class</span>
        <span>covers</span>
        <span>right in</span>
        <span>without it</span>
      </div>
      <ol class="cards" ref={list}>
        {rules.map((rule, place) => {
          const before = skipped;
          skipped += rule.n_rows;
          const isChosen = focus.kind === "rule" && focus.number === rule.number;
          const shift = drag.shift(place);
          const kinds = ["card", isChosen && "chosen", rule.pinned && "pinned"];
          if (drag.isDragged(place)) kinds.push("dragged");
          return (
            <li
              key={keys[place]}
              data-key={keys[place]}
              data-rule={rule.number}
              class={kinds.filter(Boolean).join(" ")}
              style={{ transform: shift === 0 ? "" : `translateY(${shift}px)` }}
            >
              {insertHere(rule.number)}
              <RuleCard
                rule={rule}
                skipped={before}
                isChosen={isChosen}
                onChoose={() => onFocus({ kind: "rule", number: rule.number })}
                onMove={(by) => move(place, place + by)}
                onRemove={() => remove(place)}
                onLeave={(part) => {
                  keyboard.current = { key: keys[place] ?? "", part };
                }}
                drag={drag.handlers(place)}
              />
            </li>
          );
        })}
        {last && (
          <li key="default" data-key="default" class="card default">
            <div class="rule-line">
              <span class="lead">else</span> <Prediction rule={last} />
            </div>
            <RuleRows rule={last} skipped={skipped} />
          </li>
        )}
      </ol>
      <button
        type="button"
        class="add"
        aria-pressed={focus.kind === "insert" && focus.number === rules.length + 1}
        onClick={() => onFocus({ kind: "insert", number: rules.length + 1 })}
      >
        <Icon name="plus" />
        <span>Add a rule</span>
      </button>
    </section>
  );

  function insertHere(number: number) {
    return (
      <button
        type="button"
        class="insert"
        aria-label={`Insert a rule before rule ${number}`}
        title="Insert a rule here"
        aria-pressed={focus.kind === "insert" && focus.number === number}
        onClick={() => onFocus({ kind: "insert", number })}
      >
        <Icon name="plus" />
      </button>
    );
  }
}
