import * as z from "zod";
import type { BackendGroup } from "../model/scenario.js";
import { handlerOption, processesOption } from "./options.js";

const isHttpUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);

const group = z
  .strictObject({
    name: z.string().trim().min(1).nullable().default(null),
    server: z.string(),
    options: z.record(z.string(), z.unknown()).default({}),
    count: processesOption.default(1),
    weight: z.number().positive().default(1),
  })
  .transform((given): BackendGroup => given);

/** A URL of a server that is running, or the name of a server that needs no options. */
const word = z.string().transform((text): BackendGroup => {
  const choice = isHttpUrl(text) ? { server: "url", options: { url: text } } : { server: text, options: {} };
  return { name: null, ...choice, count: 1, weight: 1 };
});

/**
 * Option `backends` of whatever stands in front of others: how many sample servers, or a list of what is to stand there:
 * URLs, names of servers, or `{server, options, count, weight, name}`.
 */
export const backendsOption = z.union(
  [processesOption, z.array(z.union([word, group])).min(1)],
  'expected a number of sample servers, or a list of URLs, names of servers and {"server": ..., "options": ...}',
);

/** The options by which a balancer is told its backends. */
export interface BackendsChoice {
  readonly backends: number | readonly BackendGroup[];
  /** What sample servers do with a request. */
  readonly handler?: string | undefined;
  /** How one of them is picked. */
  readonly policy: string;
}

/** The option `handler` beside `backends`; without a default, to tell whether it was given. */
export const backendHandlerOption = handlerOption.unwrap().optional();

/** The groups that were asked for; a number becomes one of sample servers. */
export function toGroups(
  { backends, handler }: Omit<BackendsChoice, "policy">,
  defaultHandler: string,
): readonly BackendGroup[] {
  if (typeof backends !== "number") return backends;
  return [
    { name: null, server: "single", options: { handler: handler ?? defaultHandler }, count: backends, weight: 1 },
  ];
}

/** Adds an issue for what does not go together: a handler for servers that have their own, two backends of one name, or weights that the policy does not look at. */
export function checkBackends({ backends, handler, policy }: BackendsChoice, context: z.RefinementCtx): void {
  if (typeof backends === "number") return;
  if (handler !== undefined) {
    context.addIssue({
      code: "custom",
      path: ["handler"],
      message: "expected no handler beside a list of backends, whose servers have options of their own",
      input: handler,
    });
  }
  const names = backends.flatMap(({ name }) => name ?? []);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    context.addIssue({
      code: "custom",
      path: ["backends"],
      message: "expected a different name for each",
      input: twice,
    });
  }
  const uneven = backends.find(({ weight }) => weight !== backends[0]?.weight);
  if (uneven !== undefined && policy === "round-robin") {
    context.addIssue({
      code: "custom",
      path: ["backends"],
      message: "expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight",
      input: uneven.weight,
    });
  }
}
