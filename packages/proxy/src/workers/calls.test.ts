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

it("gives each call its own answer, and makes the balancer's own errors again", async () => {
  const { call, receive } = createCaller<Api>((message) => void answer(message));
  const answer = answerCalls<Api>(api, (message) => receive(message));
  expect(await Promise.all([call("double", 1), call("double", 2), call("double", 3)])).toEqual([2, 4, 6]);
  const inUse = Object.assign(new Error("taken"), { code: "EADDRINUSE" });
  const listening = await call("fail", new BalancerListenError("no port", inUse)).catch((error: unknown) => error);
  expect(listening).toBeInstanceOf(BalancerListenError);
  expect(listening).toMatchObject({ message: "no port", code: "EADDRINUSE" });
  await expect(call("fail", new BalancerOptionsError("no weight"))).rejects.toThrow(BalancerOptionsError);
  await expect(call("fail", new RangeError("else"))).rejects.toThrow(new Error("else"));
});

it("refuses what there is no function for, also what every object has, and leaves messages of others alone", async () => {
  const answers: AnswerMessage[] = [];
  const answer = answerCalls<Api>(api, (message) => void answers.push(message));
  for (const message of [undefined, null, "call", 1, {}, { answer: 1, value: 2 }]) await answer(message);
  expect(answers).toEqual([]);
  await answer({ call: 1, name: "constructor", args: [] });
  expect(answers).toMatchObject([{ answer: 1, error: { message: "constructor: there is no such function." } }]);
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
