// The rows that a rule decides, in a line: by class, how many, how often it is right.
import type { ComponentChildren } from "preact";
import type { RuleView } from "../api/types";
import { ClassBar } from "../charts/ClassBar";
import { useStudio } from "../session/context";
import { count, percent } from "../text/numbers";

interface Props {
  rule: RuleView;
  /** Rows that earlier rules decide. */
  skipped: number;
  /** What else is known of it. */
  children?: ComponentChildren;
}

export function RuleRows({ rule, skipped, children }: Props) {
  const { studio } = useStudio();
  return (
    <div class="rule-rows">
      <ClassBar
        counts={rule.class_counts}
        classes={studio.classes}
        total={studio.n_rows}
        skipped={skipped}
      />
      <span title={`${count(rule.n_rows)} rows`}>
        <span class="unseen">covers </span>
        {percent(rule.coverage)}
      </span>
      <span>
        <span class="unseen">right in </span>
        {percent(rule.accuracy)}
      </span>
      {children}
    </div>
  );
}
