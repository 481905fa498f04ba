import { expect, it } from "vitest";
import { BalancerListenError } from "../balancer-listen-error.js";
import { BalancerOptionsError } from "../options/balancer-options-error.js";
import { answerCalls, createCaller, type AnswerMessage } from "./calls.js";

interface Api {
  readonly double: (value: number) => Promise<number>;
  readonly fail: (error: Error) => void;
}

const api: Api = {
  double: async (value) => value * 2,
  fail: (error) => {
    throw error;
  },
};

/** Both sides of a channel in one process. */
function connected() {
  const caller = createCaller<Api>((message) => void answer(message));
  const answer = answerCalls<Api>(api, (message) => caller.receive(message));
  return caller;
}

it("gives each call its own answer", async () => {
  const { call } = connected();
  expect(await Promise.all([call("double", 1), call("double", 2), call("double", 3)])).toEqual([2, 4, 6]);
});

it("makes the balancer's own errors again", async () => {
  const { call } = connected();
  const inUse = Object.assign(new Error("taken"), { code: "EADDRINUSE" });
  const listening = call("fail", new BalancerListenError("no port", inUse));
  await expect(listening).rejects.toThrow(BalancerListenError);
  await expect(listening).rejects.toMatchObject({ message: "no port", code: "EADDRINUSE" });
  await expect(call("fail", new BalancerOptionsError("no weight"))).rejects.toThrow(BalancerOptionsError);
  await expect(call("fail", new RangeError("else"))).rejects.toThrow(new Error("else"));
});

it("refuses what there is no function for, also what every object has", async () => {
  const answers: AnswerMessage[] = [];
  const answer = answerCalls<Api>(api, (message) => void answers.push(message));
  await answer({ call: 1, name: "constructor", args: [] });
  expect(answers).toMatchObject([{ answer: 1, error: { message: "constructor: there is no such function." } }]);
});

it("leaves messages alone that are of others", async () => {
  const answers: AnswerMessage[] = [];
  const answer = answerCalls<Api>(api, (message) => void answers.push(message));
  for (const message of [undefined, null, "call", 1, {}, { answer: 1, value: 2 }]) await answer(message);
  expect(answers).toEqual([]);
  const caller = createCaller<Api>(() => undefined);
  for (const message of [null, "answer", {}, { answer: 7, value: 1 }]) caller.receive(message);
});

it("rejects what has no answer when the other side ends, and all that is asked after", async () => {
  const caller = createCaller<Api>(() => undefined);
  const waiting = caller.call("double", 1);
  caller.end(new Error("gone"));
  await expect(waiting).rejects.toThrow("gone");
  await expect(caller.call("double", 1)).rejects.toThrow("gone");
});
