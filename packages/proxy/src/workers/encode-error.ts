import { BalancerListenError } from "../balancer-listen-error.js";
import { BalancerOptionsError } from "../options/balancer-options-error.js";

/** An error as it crosses a process boundary, which would else make a plain one of it. */
export interface EncodedError {
  readonly name: string;
  readonly message: string;
  /** Code of the system, like `EADDRINUSE`. */
  readonly code: string | undefined;
}

/** Takes down what is needed to make the error again. */
export function encodeError(error: unknown): EncodedError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), code: undefined };
  const { name, message, code } = error as NodeJS.ErrnoException;
  return { name, message, code };
}

/** Makes the error again: one of the balancer's own kinds is of that kind, another one is a plain `Error`. */
export function decodeError({ name, message, code }: EncodedError): Error {
  const coded = code === undefined ? {} : { code };
  if (name === "BalancerOptionsError") return new BalancerOptionsError(message);
  if (name === "BalancerListenError") return new BalancerListenError(message, Object.assign(new Error(message), coded));
  return Object.assign(new Error(message), coded);
}
