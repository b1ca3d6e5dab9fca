// Carries questions to the server that served this page, and to no other.
import type { Transport } from "./client";
import { isAbandoned, Refusal, refusalOf } from "./refusal";

export const overHttp: Transport = async (route, body, signal) => {
  const response = await fetched(`/api/${route}`, {
    ...(body === null ? {} : posted(body)),
    ...(signal ? { signal } : {}),
  });
  if (response.ok) return response.json();
  throw await refusal(response);
};

function posted(body: unknown): RequestInit {
  return {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  };
}

async function fetched(path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(path, { ...options, credentials: "same-origin" });
  } catch (error) {
    if (isAbandoned(error)) throw error;
    throw new Refusal(
      "The server does not answer: it has ended, or its terminal was closed.",
      "Start samrule studio again; your changes are kept in this tab until you close it.",
    );
  }
}

async function refusal(response: Response): Promise<Refusal> {
  try {
    return refusalOf(await response.text());
  } catch {
    return new Refusal(`The server answered with status ${response.status}.`, null);
  }
}
