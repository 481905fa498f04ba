import type { StepResult } from "../../model/result.js";
import type { Target, ToldScenario } from "../../model/scenario.js";
import { addressOf } from "../../stats/url-address.js";
import { plainLine } from "../plain-line.js";
import { abLine } from "./ab-lines.js";

/**
 * Returns what of ApacheBench's lines about the server is known: name and port of a target that is a URL. What it calls itself is
 * not kept.
 */
export function abServerLines(scenario: ToldScenario, { target: name }: StepResult): readonly string[] {
  const target = scenario.targets.find((one) => one.name === name);
  const url = target?.server === "url" ? urlOf(target) : undefined;
  if (url === undefined) return [];
  return [abLine("Server Hostname", plainLine(url.hostname)), abLine("Server Port", String(addressOf(url).port))];
}

/**
 * Returns ApacheBench's lines about the document: the path, where there is one and only one, and the length of its body, where that
 * was asked for; else `Variable`, which is what `ab -l` says when lengths are not compared.
 */
export function abDocumentLines(scenario: ToldScenario, step: StepResult): readonly string[] {
  const path = pathOf(scenario, step);
  const expectBody = scenario.request?.expectBody ?? null;
  const isKnown = expectBody !== null && scenario.mix === null && (step.measurement?.requests.ok ?? 0) > 0;
  return [
    ...(path === undefined ? [] : [abLine("Document Path", plainLine(path))]),
    abLine("Document Length", isKnown ? `${new TextEncoder().encode(expectBody).length} bytes` : "Variable"),
  ];
}

function pathOf(scenario: ToldScenario, { target: name, engine }: StepResult): string | undefined {
  const target = scenario.targets.find((one) => one.name === name);
  // A mix has several paths; a call by gRPC has a method.
  if (target === undefined || scenario.mix !== null || engine === "grpc") return undefined;
  const url = SERVERS_AT_URL.has(target.server) ? urlOf(target) : undefined;
  const own = url === undefined ? "/" : url.pathname + url.search;
  return own === "/" ? (scenario.request?.path ?? own) : own;
}

/** Servers whose option `url` says where they answer; a path in it goes before that of the request. */
const SERVERS_AT_URL: ReadonlySet<string> = new Set(["url", "command"]);

function urlOf({ options }: Target): URL | undefined {
  const { url } = options;
  // The port of a command is chosen when it is started.
  const text = typeof url === "string" ? url.replaceAll("{port}", "1") : "";
  return URL.canParse(text) ? new URL(text) : undefined;
}
