/** Options that several servers have. */
import { parseHandler, SAMPLE_OPTIONS } from "@lbbench/backends/options";
import * as z from "zod";
import { DEFAULTS } from "../config/defaults.js";
import { isUrl } from "../config/targets.js";
import { parsed } from "../config/validate.js";
import { MOST_PROCESSES } from "../config/values.js";
import type { BackendGroup } from "../model/scenario.js";
import { backendNames } from "../stats/backend-shares.js";
import { isRecord } from "../stats/plain-data.js";

/** A text that is refused with the message of the error that `parse` throws for it. */
export function parsedBy(parse: (text: string) => unknown) {
  return parsed((text) => {
    parse(text);
    return text;
  });
}

/** Option `handler` of the sample servers: a spec that the backends understand, kept as its text. */
export const handlerOption = parsedBy(parseHandler).default(DEFAULTS.handler);

/** Option `port`: 0 takes any free one. */
export const portOption = SAMPLE_OPTIONS.port.default(0);

/** An option that is a number of processes. */
export const processesOption = z.int().min(1).max(MOST_PROCESSES);

/** An option that is a name or a path. */
export const wordOption = z.string().trim().min(1);

const group = z.strictObject({
  name: wordOption.nullable().default(null),
  server: z.string(),
  options: z.record(z.string(), z.unknown()).default({}),
  count: processesOption.default(1),
  weight: z.number().positive().default(1),
});

/** A URL of a server that is running, or the name of a server that needs no options. */
const urlOrName = z.string().transform((text) => {
  const isServerUrl = isUrl(text) && URL.canParse(text);
  return group.parse(isServerUrl ? { server: "url", options: { url: text } } : { server: text });
});

/** `{url, name, weight}`, as the balancer itself takes a backend, is short for the server `url`. */
const groupOrUrl = z.preprocess((given) => {
  if (!isRecord(given) || !("url" in given) || "server" in given || "options" in given) return given;
  const { url, ...rest } = given;
  return { ...rest, server: "url", options: { url } };
}, group);

const backends = z.union(
  [processesOption, z.array(z.union([urlOrName, groupOrUrl])).min(1)],
  'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}',
);

/**
 * Options of whatever stands in front of others. `backends` says how many sample servers, or is a list of what is to stand there: URLs,
 * names of servers, `{url, weight, name}`, or `{server, options, count, weight, name}`. `handler` is that of the sample servers.
 */
export const backendsOptions = {
  backends: backends.default(DEFAULTS.balancedBackends),
  // Without a default, to tell whether it was given.
  handler: handlerOption.unwrap().optional(),
};

interface BackendsChoice {
  readonly backends: z.infer<typeof backends>;
  readonly handler?: string | undefined;
}

/** Options with their backends as groups: a number becomes one group of sample servers. */
export function withGroups<Options extends BackendsChoice>(chosen: Options) {
  const { handler = DEFAULTS.handler, backends: given, ...rest } = chosen;
  const groups: readonly BackendGroup[] =
    typeof given === "number" ? [group.parse({ server: "single", options: { handler }, count: given })] : given;
  return { ...rest, backends: groups };
}

/**
 * Adds an issue for what does not go together: a handler for servers that have their own, two backends of one name, a URL with a path, which
 * is not sent, or weights that the policy does not look at.
 */
export function checkBackends(
  { backends: given, handler, policy }: BackendsChoice & { readonly policy: string },
  context: z.RefinementCtx,
): void {
  if (typeof given === "number") return;
  const refuse = (path: "handler" | "backends", input: unknown, message: string): void => {
    if (input !== undefined) context.addIssue({ code: "custom", path: [path], message, input });
  };
  const names = backendNames(given).flat();
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  const uneven = given.find(({ weight }) => weight !== given[0]?.weight)?.weight;
  refuse("handler", handler, "expected no handler beside a list of backends, whose servers have options of their own");
  const urls = given.flatMap(({ server, options: { url } }) =>
    server === "url" && typeof url === "string" && URL.canParse(url) ? url : [],
  );
  const isBelow = (url: string): boolean => !["", "/"].includes(new URL(url).pathname + new URL(url).search);
  refuse("backends", twice, "expected a different name for each");
  refuse("backends", urls.find(isBelow), "expected the URL of a backend without a path, as every request has its own");
  if (policy !== "round-robin") return;
  const goesByWeight = "weighted-round-robin goes by weight";
  refuse("backends", uneven, `expected the same weight for all with the policy round-robin; ${goesByWeight}`);
}
