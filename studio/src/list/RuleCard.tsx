// One rule: what it asks, what it predicts, the rows it decides, and what it is worth.
import type { RuleView } from "../api/types";
import { useStudio } from "../session/context";
import { shown } from "../text/shown";
import { Icon } from "../ui/Icon";
import { Price } from "../ui/Price";
import { Prediction } from "./Prediction";
import { RuleRows } from "./RuleRows";
import type { Dragging } from "./useDrag";

interface Props {
  rule: RuleView;
  /** Rows that earlier rules decide. */
  skipped: number;
  isChosen: boolean;
  onChoose(): void;
  onMove(by: number): void;
  onRemove(): void;
  /** Something is done that may move the card: what has this class keeps the keyboard. */
  onLeave(part: "grip" | "pin"): void;
  drag: ReturnType<Dragging["handlers"]>;
}

export function RuleCard(props: Props) {
  const { rule, skipped, isChosen, onChoose, onMove, onRemove, onLeave, drag } = props;
  const { view, say } = useStudio();
  const words = shown(rule.text);
  const name = `rule ${rule.number}`;

  function onGripKey(event: KeyboardEvent) {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    if (by === 0) return;
    event.preventDefault();
    onLeave("grip");
    onMove(by);
  }

  return (
    <>
      <button
        type="button"
        class="bare grip"
        aria-label={`Move ${name}`}
        aria-description="Press the up and down arrows, or drag"
        title="Drag, or press ↑ and ↓"
        onKeyDown={onGripKey}
        {...drag}
      >
        <Icon name="grip" />
      </button>
      <div class="rule-line">
        <span class="lead">{rule.number === 1 ? "if" : "else if"}</span>{" "}
        <button
          type="button"
          class="condition"
          aria-pressed={isChosen}
          aria-label={`Rule ${rule.number}: ${words}`}
          title="Look closer"
          onClick={onChoose}
        >
          {words}
        </button>{" "}
        <Prediction rule={rule} />
      </div>
      <div class="tools">
        <button
          type="button"
          class="bare pin"
          aria-pressed={rule.pinned}
          aria-label={`Pin ${name}`}
          title={rule.pinned ? "Pinned: it stays at the head of the list" : "Pin: keep this rule"}
          onClick={() => {
            onLeave("pin");
            void say(`${rule.pinned ? "Unpin" : "Pin"} “${words}”`, [
              { step: rule.pinned ? "unpin" : "pin", number: rule.number },
            ]);
          }}
        >
          <Icon name="pin" />
        </button>
        <button
          type="button"
          class="bare"
          aria-label={`Remove ${name}`}
          title="Remove this rule"
          onClick={onRemove}
        >
          <Icon name="remove" />
        </button>
      </div>
      <RuleRows rule={rule} skipped={skipped}>
        {rule.loss_without !== null && (
          <span title="What the list would lose without this rule">
            <span class="unseen">without it </span>
            <Price loss={rule.loss_without} than={view.loss} />
          </span>
        )}
      </RuleRows>
    </>
  );
}
