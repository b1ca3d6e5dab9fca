// What the server says and is told: the routes of src/samrule/studio, one type each.

/** A value of a table with its type: numbers that JSON bends, and dates, are objects. */
export type Value =
  | null
  | boolean
  | string
  | number
  | { float: string }
  | { integer: string }
  | { decimal: string }
  | { date: string }
  | { datetime: string; zone?: string }
  | { time: string };

export interface Condition {
  column: string;
  op: "==" | "!=" | ">=" | "<" | "within" | "in" | "not in" | "is missing";
  value?: Value | Value[];
  type?: string;
  unit?: string;
}

/** What people forbid or require: a column, a condition, or columns together. */
export type What = { column: string } | { condition: Condition } | { columns: string[] };

export type Step =
  | { step: "replace" | "insert"; number: number; conditions: Condition[] }
  | { step: "add_condition"; number: number; condition: Condition }
  | { step: "remove" | "pin" | "unpin"; number: number }
  | { step: "reorder"; numbers: number[] }
  | { step: "relabel"; number: number; value: Value }
  | { step: "move_threshold"; number: number; column: string; value: Value }
  | { step: "forbid" | "require" | "allow"; what: What }
  | { step: "choose"; rules: ChosenRule[]; default: Value }
  | { step: "reoptimize"; effort?: number };

export interface ChosenRule {
  conditions: Condition[];
  prediction: Value;
}

/** A whole list that can be put in place of the one at hand. */
export interface ChosenList {
  text: string;
  rules: ChosenRule[];
  default: Value;
}

export interface ConditionView {
  condition: Condition;
  text: string;
  has_cut: boolean;
}

/** A rule on the rows held out. */
export interface RuleOnTest {
  n_rows: number;
  coverage: number;
  class_counts: number[];
  accuracy: number | null;
}

export interface RuleView {
  number: number;
  conditions: ConditionView[];
  text: string;
  prediction: Value;
  prediction_text: string;
  chosen: boolean;
  pinned: boolean;
  n_rows: number;
  coverage: number;
  class_counts: number[];
  class_shares: number[];
  accuracy: number | null;
  price: number | null;
  loss_without: number | null;
  test: RuleOnTest | null;
}

export interface Said {
  what: What;
  verb: "forbid" | "require";
  text: string;
}

export interface EditView {
  steps: Step[];
  /** The default is the last one. */
  rules: RuleView[];
  text: string;
  loss: number;
  loss_name: string;
  lower_bound: number;
  worse_than_best: number | null;
  loss_before: number | null;
  worse_than_before: number | null;
  sentence: string;
  certificate: { sentence: string; proven: boolean };
  obeys: boolean;
  said: Said[];
  /** What else the list was learned to obey, in words. */
  other_constraints: string[];
  /** `longer` is the effort of a longer search, if there is one. */
  search: { status: string; proven: boolean; longer: number | null } | null;
  columns: string[];
  test: { n_rows: number; error_rate: number; accuracy: number; loss: number } | null;
}

export interface Studio {
  version: string;
  table: string;
  target: string;
  classes: { value: Value; text: string }[];
  columns: { name: string; type: string; n_conditions: number }[];
  left_out: { column: string; reason: string }[];
  group_columns: { name: string; n_values: number }[];
  n_rows: number;
  n_test_rows: number;
  is_sample: boolean;
  loss_name: string;
  max_rules: number;
  max_terms: number;
  regularization: number;
  n_conditions: number;
  dialects: string[];
  has_costs: boolean;
}

export interface Candidate {
  conditions: ConditionView[];
  text: string;
  prediction: Value;
  prediction_text: string;
  loss: number;
  price: number;
}

export interface Border {
  value: Value;
  text: string;
  position: number;
  is_condition: boolean;
  loss: number | null;
}

export interface ColumnView {
  column: string;
  type: string;
  n_rows: number;
  missing: number[];
  borders: Border[];
  bins: { counts: number[] }[];
  least_text: string | null;
  most_text: string | null;
  cut: { op: ">=" | "<"; value: Value; text: string; border: number } | null;
  levels: { value: Value; text: string; counts: number[] }[];
  others: { n_levels: number; counts: number[] } | null;
  conditions: ConditionView[];
}

export interface GoodList extends ChosenList {
  loss: number;
  n_rules: number;
  columns: string[];
}

export interface Alternatives {
  sentence: string;
  complete: boolean;
  out_of_time: boolean;
  least_loss: number;
  most_loss: number;
  lists: GoodList[];
  in_all: string[];
  in_some: string[];
}

export interface Without extends ChosenList {
  column: string;
  loss: number;
  price: number;
  proven: boolean;
  sentence: string;
}

export interface CurvePoint extends ChosenList {
  n_rules: number;
  loss: number;
  proven: boolean;
  test_error: number | null;
}

export interface Metrics {
  n_rows: number;
  error_rate: number;
  accuracy: number;
  balanced_accuracy: number | null;
  auc: number | null;
  average_precision: number | null;
  log_loss: number | null;
  brier: number | null;
  precision: (number | null)[];
  recall: (number | null)[];
  /** Rows by true class, then by predicted class. */
  confusion: number[][];
  roc: [number, number][] | null;
}

export interface CostOf {
  cost: number;
  n_false_first: number;
  n_false_second: number;
}

export interface Costs {
  ratio: number;
  sentence: string;
  learned: CostOf;
  test: CostOf | null;
  best: ChosenList & { proven: boolean; learned: CostOf; test: CostOf | null };
}

export interface Share {
  n_hits: number;
  n_rows: number;
  value: number | null;
  low: number | null;
  high: number | null;
}

export type WhichRows = "test" | "learned";

export interface Group {
  name: string;
  value: Value;
  n_rows: number;
  errors: Share;
  classes: {
    selected: Share;
    false_positives: Share;
    false_negatives: Share;
    actual: Share;
    expected: number | null;
  }[];
}

export interface Groups {
  column: string;
  rows: WhichRows;
  classes: string[];
  selection_ratios: number[];
  groups: Group[];
}

export interface Comparison {
  n_rows: number;
  differ: number;
  first_right: number;
  second_right: number;
}

export interface Compared {
  sentence: string;
  learned: Comparison;
  test: Comparison | null;
  other_text: string;
  other_loss: number;
}

export interface SeenRow {
  row: number;
  /** In the order of columns; null is missing. */
  values: (string | null)[];
  actual: string;
  predicted: string;
  rule: number;
  right: boolean;
}

export interface Rows {
  n_rows: number;
  columns: string[];
  rows: SeenRow[];
}

export interface Explanation {
  rule: number;
  prediction: Value;
  prediction_text: string;
  probability: number;
  actual: string | null;
  sentences: string[];
  trail: { number: number; text: string; applies: boolean; because: string | null }[];
}

export type ExportKind = "model" | "json" | "sql" | "python" | "markdown" | "report" | "edits";

/** What each route takes and answers. */
export interface Routes {
  edit: { asks: { steps: Step[] }; answers: EditView };
  load: { asks: { text: string }; answers: EditView };
  replacements: {
    asks: { steps: Step[]; number: number; limit?: number };
    answers: { replacements: Candidate[] };
  };
  insertions: {
    asks: { steps: Step[]; number: number; limit?: number; contains?: string };
    answers: { insertions: Candidate[] };
  };
  additions: {
    asks: { steps: Step[]; number: number; limit?: number; contains?: string };
    answers: { additions: Candidate[] };
  };
  column: { asks: { steps: Step[]; column: string; number: number | null }; answers: ColumnView };
  alternatives: {
    asks: { within: number; limit?: number; seconds?: number };
    answers: Alternatives;
  };
  without: { asks: { column: string }; answers: Without };
  curve: { asks: Record<string, never>; answers: { points: CurvePoint[] } };
  metrics: { asks: { steps: Step[] }; answers: { test: Metrics | null; learned: Metrics } };
  costs: { asks: { steps: Step[]; ratio: number }; answers: Costs };
  groups: { asks: { steps: Step[]; column: string; rows: WhichRows }; answers: Groups };
  compare: { asks: { steps: Step[]; other: Step[] }; answers: Compared };
  rows: {
    asks: {
      steps: Step[];
      rows: WhichRows;
      start: number;
      count: number;
      rule: number | null;
      wrong: boolean;
    };
    answers: Rows;
  };
  explain: {
    asks: {
      steps: Step[];
      row?: number;
      rows?: WhichRows;
      values?: Record<string, string | null>;
    };
    answers: Explanation;
  };
  confirm: {
    asks: { steps: Step[] };
    answers: { n_rows: number; error_rate: number; sentence: string };
  };
  export: {
    asks: { steps: Step[]; to: ExportKind; dialect?: string };
    answers: { file_name: string; media_type: string; text: string };
  };
}
