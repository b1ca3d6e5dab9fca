// Talks to the server that served this page, and to no other.
import { remembered } from "./memory";
import type { EditView, Routes, Step, Studio } from "./types";

/** The server did not do what was asked; the message and the hint are for people. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly hint: string | null,
  ) {
    super(message);
  }
}

export function studio(): Promise<Studio> {
  return answer<Studio>("/api/studio", {});
}

export function ask<Name extends keyof Routes>(
  name: Name,
  body: Routes[Name]["asks"],
  signal?: AbortSignal,
): Promise<Routes[Name]["answers"]> {
  return answer(`/api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

/** What steps make of the list: the same steps always make the same, so it is asked once. */
export const edited: (steps: Step[]) => Promise<EditView> = remembered((steps: Step[]) =>
  ask("edit", { steps }),
);

/** Whether a request was given up because its answer is no longer wanted. */
export function isAbandoned(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

async function answer<T>(path: string, options: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, { ...options, credentials: "same-origin" });
  } catch (error) {
    if (isAbandoned(error)) throw error;
    throw new Refusal(
      "The server does not answer: it has ended, or its terminal was closed.",
      "Start samrule studio again; your changes are kept in this tab until you close it.",
    );
  }
  if (response.ok) return (await response.json()) as T;
  throw await refusal(response);
}

async function refusal(response: Response): Promise<Refusal> {
  try {
    const { error } = (await response.json()) as {
      error: { message: string; hint: string | null };
    };
    return new Refusal(error.message, error.hint);
  } catch {
    return new Refusal(`The server answered with status ${response.status}.`, null);
  }
}
