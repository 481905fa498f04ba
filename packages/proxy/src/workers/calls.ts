import { BalancerListenError } from "../listen.js";
import { BalancerOptionsError } from "../options/options.js";

/** What one side of a channel may ask the other for. */
export type Functions<Api> = { readonly [Name in keyof Api]: (...args: never[]) => unknown };

/** A message that asks for something; its answer has the same id. */
interface CallMessage {
  readonly call: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

/** How a call ended. */
export type AnswerMessage =
  | { readonly answer: number; readonly value: unknown }
  | { readonly answer: number; readonly error: EncodedError };

/** The asking side of a channel. */
export interface Caller<Api extends Functions<Api>> {
  /** Resolves with what the other side returns; rejects with what it throws, or with the reason given to `end`. */
  readonly call: <Name extends keyof Api & string>(
    name: Name,
    ...args: Parameters<Api[Name]>
  ) => Promise<Awaited<ReturnType<Api[Name]>>>;
  /** Takes a message of the other side; those that are no answer are left alone. */
  readonly receive: (message: unknown) => void;
  /** Rejects every call that has no answer, and those to come. */
  readonly end: (reason: Error) => void;
}

interface Waiting {
  readonly resolve: (value: never) => void;
  readonly reject: (error: Error) => void;
}

/** Makes the asking side of a channel, which keeps messages in their order. */
export function createCaller<Api extends Functions<Api>>(post: (message: CallMessage) => void): Caller<Api> {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ended: Error | undefined;
  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(ended);
        const id = ++lastId;
        waiting.set(id, { resolve, reject });
        post({ call: id, name, args });
      }),
    receive(message) {
      if (!isAnswer(message)) return;
      const settle = waiting.get(message.answer);
      waiting.delete(message.answer);
      if ("error" in message) settle?.reject(decodeError(message.error));
      else settle?.resolve(message.value as never);
    },
    end(reason) {
      ended = reason;
      for (const { reject } of waiting.values()) reject(reason);
      waiting.clear();
    },
  };
}

/** Makes the answering side of a channel: what takes its messages. Those that are no call are left alone. */
export function answerCalls<Api extends Functions<Api>>(
  api: Api,
  post: (message: AnswerMessage) => void,
): (message: unknown) => Promise<void> {
  const functions = new Map<string, (...args: never[]) => unknown>(Object.entries(api));
  return async (message) => {
    if (!isCall(message)) return;
    const answer = message.call;
    try {
      const called = functions.get(message.name);
      if (called === undefined) throw new Error(`${message.name}: there is no such function.`);
      post({ answer, value: await called(...(message.args as never[])) });
    } catch (error) {
      post({ answer, error: encodeError(error) });
    }
  };
}

function isAnswer(message: unknown): message is AnswerMessage {
  return typeof message === "object" && message !== null && "answer" in message;
}

function isCall(message: unknown): message is CallMessage {
  return typeof message === "object" && message !== null && "call" in message;
}

/** An error as it crosses a process boundary, which would else make a plain one of it. */
interface EncodedError {
  readonly name: string;
  readonly message: string;
  /** Code of the system, like `EADDRINUSE`. */
  readonly code: string | undefined;
}

/** Takes down what is needed to make the error again. */
function encodeError(error: unknown): EncodedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), code: undefined };
  const { name, message, code } = error as NodeJS.ErrnoException;
  return { name, message, code };
}

/** Makes the error again: one of the balancer's own kinds is of that kind, another one is a plain `Error`. */
function decodeError({ name, message, code }: EncodedError): Error {
  const coded = code === undefined ? {} : { code };
  if (name === "BalancerOptionsError") return new BalancerOptionsError(message);
  if (name === "BalancerListenError") return new BalancerListenError(message, Object.assign(new Error(message), coded));
  return Object.assign(new Error(message), coded);
}
