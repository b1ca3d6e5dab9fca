import { expect, it } from "vitest";
import { overMessages, type Question, type Reply } from "./messages";
import { isAbandoned } from "./refusal";

/** A kernel that answers when told to. */
function kernel() {
  const asked: Question[] = [];
  const hearing = new Set<(reply: Reply) => void>();
  return {
    asked,
    hearing,
    send: (question: Question) => void asked.push(question),
    on: (_: string, callback: (reply: Reply) => void) => void hearing.add(callback),
    off: (_: string, callback: (reply: Reply) => void) => void hearing.delete(callback),
    reply(place: number, answer: unknown, is_error = false) {
      const reply = { id: asked[place]?.id ?? "", is_error, text: JSON.stringify(answer) };
      for (const callback of hearing) callback(reply);
    },
  };
}

it("gives every question its own answer, whatever their order", async () => {
  const model = kernel();
  const { transport } = overMessages(model);
  const answers = [transport("edit", { steps: [] }), transport("studio", null)];
  expect(model.asked.map(({ route, body }) => [route, body])).toEqual([
    ["edit", { steps: [] }],
    ["studio", null],
  ]);
  model.reply(1, "second");
  model.reply(0, "first");
  expect(await Promise.all(answers)).toEqual(["first", "second"]);
});

it("throws what was refused, and what was given up", async () => {
  const model = kernel();
  const { transport } = overMessages(model);
  const refused = transport("edit", {});
  model.reply(0, { error: { message: "no", hint: "try again" } }, true);
  await expect(refused).rejects.toMatchObject({ message: "no", hint: "try again" });
  const abandon = new AbortController();
  const givenUp = transport("edit", {}, abandon.signal);
  abandon.abort();
  expect(isAbandoned(await givenUp.catch((error: unknown) => error))).toBe(true);
  model.reply(1, "late");
});

it("hears nothing after its end", () => {
  const model = kernel();
  overMessages(model).end();
  expect(model.hearing.size).toBe(0);
});
