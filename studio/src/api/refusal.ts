// What is thrown in place of an answer.

/** Python did not do what was asked; the message and the hint are for people. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly hint: string | null,
  ) {
    super(message);
  }
}

export function asRefusal(error: unknown): Refusal {
  return error instanceof Refusal ? error : new Refusal(String(error), null);
}

/** What an answer says that is an error: ErrorAnswer of src/samrule/studio/views.py. */
export function refusalOf(text: string): Refusal {
  const { error } = JSON.parse(text) as { error: { message: string; hint: string | null } };
  return new Refusal(error.message, error.hint);
}

/** Whether a question was given up because its answer is no longer wanted. */
export function isAbandoned(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
