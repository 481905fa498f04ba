import type { RequestLogEntry } from "./options/options.js";
import type { ResolvedOptions } from "./options/resolve-options.js";
import type { Warn } from "./observe/warnings.js";
import { type BackendState, eventsOf, type Policy } from "./policies/policy.js";
import { describeError } from "./pool/connect-backend.js";
import { Upstream } from "./pool/upstream.js";

/**
 * The same options with a policy and an `onRequest` that cannot end the process, by throwing or by a promise that rejects.
 * The operator is warned. A `pick` that fails throws an error whose message is for the log of requests. What is told to a policy of
 * requests, and fails there, changes nothing for them.
 */
export function guardPlugins(options: ResolvedOptions, warn: Warn): ResolvedOptions {
  const { policy, onRequest } = options;
  return {
    ...options,
    policy: guardPolicy(policy, warn),
    onRequest: onRequest === undefined ? undefined : guardOnRequest(onRequest, warn),
  };
}

function guardPolicy(policy: Policy, warn: Warn): Policy {
  const complain = (error: unknown): void =>
    warn("policy", `The policy ${JSON.stringify(policy.name)} failed as it was told of a request: ${traceOf(error)}`);
  const fail = (error: unknown): never => {
    const message = `The policy ${JSON.stringify(policy.name)} failed`;
    warn("policy", `${message}: ${traceOf(error)}`);
    throw new Error(`${message}: ${describeError(error)}`, { cause: error });
  };
  return {
    name: policy.name,
    sticks: (request) => {
      try {
        return policy.sticks?.(request) === true;
      } catch (error) {
        return fail(error);
      }
    },
    create: () => {
      const picker = policy.create();
      return {
        ...eventsOf(picker, (event) => (...args) => {
          try {
            ifItRejects(event(...args), complain);
          } catch (error) {
            complain(error);
          }
        }),
        pick<B extends BackendState>(
          backends: readonly B[],
          request: Parameters<typeof picker.pick>[1],
        ): B | undefined {
          let picked: B | undefined;
          try {
            picked = picker.pick(backends, request);
          } catch (error) {
            return fail(error);
          }
          if (picked === undefined || picked instanceof Upstream) return picked;
          ifItRejects(picked, (error) => warn("policy", traceOf(error)));
          return fail(new TypeError(`pick: expected one of the backends or undefined, got ${kindOf(picked)}.`));
        },
      };
    },
  };
}

function guardOnRequest(onRequest: (entry: RequestLogEntry) => unknown, warn: Warn): (entry: RequestLogEntry) => void {
  const complain = (error: unknown): void => warn("onRequest", `onRequest failed: ${traceOf(error)}`);
  return (entry) => {
    try {
      ifItRejects(onRequest(withoutAbsent(entry)), complain);
    } catch (error) {
      complain(error);
    }
  };
}

/** Leaves out the fields that are `undefined`. */
function withoutAbsent(entry: RequestLogEntry): RequestLogEntry {
  return Object.fromEntries(
    Object.entries(entry).filter(([, value]) => value !== undefined),
  ) as unknown as RequestLogEntry;
}

function ifItRejects(value: unknown, onRejected: (error: unknown) => void): void {
  if (value instanceof Promise) value.catch(onRejected);
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  return value === null ? "null" : `something else (${typeof value})`;
}

function traceOf(error: unknown): string {
  return error instanceof Error && error.stack !== undefined ? error.stack : describeError(error);
}
