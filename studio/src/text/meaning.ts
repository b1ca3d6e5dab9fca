// What the loss is, for those who meet it here for the first time.
import type { Studio } from "../api/types";
import { count, plain } from "./numbers";

const WORDS: Record<string, string> = {
  loss: "the share of rows that the list gets wrong",
  cost: "what its errors cost, per row",
  "Brier loss": "the mean squared error of its probabilities",
  "mixed loss": "a mixture of errors and of the Brier score of its probabilities",
  "1 - F1": "1 less the F1 of the rarer class",
};

export function lossMeaning({ loss_name, regularization, n_rows }: Studio): string {
  const what = WORDS[loss_name] ?? "what the list was learned to make small";
  const price = regularization > 0 ? `, plus ${plain(regularization)} for each rule` : "";
  return `The ${loss_name} is ${what}, counted on the ${count(n_rows)} rows learned from${price}.`;
}

/** A name at the beginning of a sentence. */
export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
