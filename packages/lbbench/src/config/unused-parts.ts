import type { GivenRequest } from "./resolve-request.js";
import type { ParsedSweepInput } from "./sweep-input.js";

type GivenEntry = NonNullable<ParsedSweepInput["mix"]>[number];

/** A part of `request`: a setting of it, or the name of one of its headers. */
export interface RequestPart {
  readonly key: keyof GivenRequest;
  readonly header?: string;
}

/** Returns what of `request` every entry of a mix has one of its own of, so that it is never sent, or asked for. */
export function unusedParts(mix: readonly GivenEntry[], request: GivenRequest): readonly RequestPart[] {
  const isHeader = (name: string, other: string): boolean => name.toLowerCase() === other.toLowerCase();
  const headers = Object.keys(request.headers ?? {}).map((header): RequestPart => ({ key: "headers", header }));
  const others = Object.entries(request).flatMap(([key, value]): readonly RequestPart[] =>
    value === undefined || key === "headers" ? [] : [{ key: key as keyof GivenRequest }],
  );
  return [...others, ...headers].filter(({ key, header }) =>
    mix.every((entry) =>
      header === undefined
        ? hasOwn(entry, key)
        : Object.keys(entry.headers ?? {}).some((name) => isHeader(name, header)),
    ),
  );
}

/** Leaves out of `request` what no entry of a mix has a use for. */
export function withoutUnused(mix: readonly GivenEntry[], request: GivenRequest): GivenRequest {
  const unused = unusedParts(mix, request);
  const keys = new Set<string>(unused.filter(({ header }) => header === undefined).map(({ key }) => key));
  const names = new Set(unused.map(({ header }) => header));
  const kept = Object.fromEntries(Object.entries(request).filter(([key]) => !keys.has(key))) as GivenRequest;
  if (kept.headers === undefined) return kept;
  return { ...kept, headers: Object.fromEntries(Object.entries(kept.headers).filter(([name]) => !names.has(name))) };
}

/** What is sent as the body is one part, whichever way it is given. */
const BODIES = ["body", "bodyFile", "bodies", "bodiesFile"] as const;

function hasOwn(entry: GivenEntry, key: keyof GivenRequest): boolean {
  if (key === "body" || key === "bodyFile" || key === "bodyEncoding")
    return BODIES.some((one) => entry[one] !== undefined);
  return entry[key] !== undefined;
}
