// Carries questions to the kernel of a notebook, as messages of a widget (anywidget).
import type { Transport } from "./client";
import { refusalOf } from "./refusal";

/** What a message needs of the widget's model. */
export interface Messenger {
  send(question: Question): void;
  on(event: "msg:custom", callback: (reply: Reply) => void): void;
  off(event: "msg:custom", callback: (reply: Reply) => void): void;
}

export interface Question {
  id: string;
  route: string;
  body: unknown;
}

/** The answer to the question with this id, as JSON. */
export interface Reply {
  id: string;
  is_error: boolean;
  text: string;
}

export interface Messages {
  transport: Transport;
  /** Hear no more answers. */
  end(): void;
}

export function overMessages(model: Messenger): Messages {
  // Two views of one model hear each other's answers: their ids never meet.
  const view = Math.random().toString(36).slice(2);
  let n_asked = 0;
  const waiting = new Map<string, (reply: Reply) => void>();
  const onReply = (reply: Reply) => waiting.get(reply.id)?.(reply);
  model.on("msg:custom", onReply);
  return { transport, end: () => model.off("msg:custom", onReply) };

  function transport(route: string, body: unknown, signal?: AbortSignal): Promise<unknown> {
    n_asked += 1;
    const id = `${view}-${n_asked}`;
    return new Promise<unknown>((resolve, reject) => {
      waiting.set(id, ({ is_error, text }) =>
        is_error ? reject(refusalOf(text)) : resolve(JSON.parse(text)),
      );
      signal?.addEventListener("abort", () => reject(signal.reason));
      model.send({ id, route, body });
    }).finally(() => waiting.delete(id));
  }
}
