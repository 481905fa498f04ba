import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { REPORTERS } from "../report/reporters.js";
import { byWorkers } from "../report/test-support/result-shapes.js";
import { groupBy } from "../stats/group-by.js";
import { ExitCode } from "./io.js";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Real results: of ab, of a ramp over gRPC, of a balancer. And a made one: of workers. */
const RESULTS = [
  ...["r2/by-ab", "r3/stress", "r1/modes"].map((name) =>
    readFileSync(new URL(`../../../../reports/${name}/result.json`, import.meta.url), "utf8"),
  ),
  JSON.stringify(byWorkers()),
];

const MARKUP = '"><img src=x onerror=alert(1)>';
const TEXTS = [
  MARKUP,
  "</script><script>alert(1)</script>",
  "=cmd|' /C calc'!A0",
  "@SUM(1)",
  "\u001b[31mred\u0007",
  "x\ninjected 1\n# injected",
  "](javascript:alert(1))",
  "__proto__",
  "\ud800",
  "",
  "a".repeat(5000),
];
const NUMBERS = [-1, 0, 0.1, 5e-324, 4_294_967_296, 2 ** 53 + 2, 1e21, Number.MAX_VALUE, -1e-9];
const OTHERS: readonly Json[] = [null, true, [], {}, [null], { "": 0 }];

/** Where something stands, without the numbers of items: there are as many steps as one likes, and one `seed`. */
function placesOf(value: Json, at: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[...at, key], ...placesOf(inner, [...at, key])]);
}

/** Another value of the same kind or of any, none, twice, or under another name. */
const change = fc.record({
  shape: fc.nat(),
  item: fc.nat(),
  how: fc.constantFrom("alike", "alike", "alike", "any", "gone", "twice", "renamed"),
  name: fc.constantFrom(...TEXTS),
  number: fc.constantFrom(...NUMBERS),
  other: fc.constantFrom(...OTHERS, ...TEXTS, ...NUMBERS),
});
type Change = typeof change extends fc.Arbitrary<infer One> ? One : never;

/** A result that was changed in up to three places. */
const changed = fc
  .record({ text: fc.constantFrom(...RESULTS), changes: fc.array(change, { minLength: 1, maxLength: 3 }) })
  .map(({ text, changes }) => {
    const result = JSON.parse(text) as Json;
    for (const one of changes) apply(result, one);
    return result;
  });

function apply(result: Json, { shape, item, how, name, number, other }: Change): void {
  const places = groupBy(placesOf(result), (at) => at.map((key) => (/^\d+$/.test(key) ? "#" : key)).join("."));
  const alike = [...places.values()][shape % places.size] ?? [];
  const at = alike[item % alike.length] ?? [];
  const key = at.at(-1) ?? "";
  let parent = result as Record<string, Json>;
  for (const one of at.slice(0, -1)) parent = parent[one] as Record<string, Json>;
  const old = parent[key] as Json;
  if (how === "twice" && Array.isArray(parent)) parent.splice(Number(key), 0, structuredClone(old));
  else if (how === "gone" && Array.isArray(parent)) parent.splice(Number(key), 1);
  else if (how === "gone") delete parent[key];
  else if (how === "renamed" && !Array.isArray(parent)) {
    delete parent[key];
    Object.defineProperty(parent, name, { value: old, enumerable: true, configurable: true, writable: true });
  } else if (how === "alike" && typeof old === "number") parent[key] = number;
  else if (how === "alike" && typeof old === "string") parent[key] = name;
  else parent[key] = structuredClone(other);
}

/** What no file may have from the data, by the end of its name; control characters none may have. */
const FORBIDDEN: Readonly<Record<string, RegExp>> = {
  html: /<img src=x|<\/script><script>alert/,
  // What is escaped, or code, is shown as it is.
  md: /^[^`]*[^`\\](?:<img src|<script>)|^# injected/m,
  csv: /(?:^|,|\n)"?[=@]/,
  xml: /<img src=x|<script>/,
  prom: /^injected/m,
  txt: /^injected/m,
};
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

/** Reports a result, and returns what is wrong with the outcome. */
async function faultsOf(result: Json, formats: string): Promise<readonly string[]> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "result.json"), JSON.stringify(result));
  const words = ["report", "result.json", "-f", formats, "-o", "out", "--charts", "mermaid"];
  const { code, stderr } = await runCommand(words, cwd);
  if (code !== ExitCode.pass) {
    const isRefused = code === ExitCode.usage && stderr.includes(join(cwd, "result.json")) && !CONTROL.test(stderr);
    return isRefused ? [] : [`ended with ${code}: ${stderr}`];
  }
  return readdirSync(join(cwd, "out")).flatMap((name) => {
    const text = readFileSync(join(cwd, "out", name), "utf8");
    const isText = !name.endsWith(".png");
    const forbidden = FORBIDDEN[name.split(".").at(-1) ?? ""];
    return [
      ...(isText && CONTROL.test(text) ? [`${name} has a control character`] : []),
      ...(forbidden?.test(text) === true ? [`${name} has ${forbidden.exec(text)?.[0].slice(-60)}`] : []),
    ];
  });
}

describe("a result that was changed somewhere", () => {
  it.each([
    [[...REPORTERS.keys()].filter((format) => format !== "png").join(","), 25],
    ["png", 4],
  ])(
    "is reported as %s without anything of it but text, or refused with the file and the place",
    async (formats, numRuns) => {
      await fc.assert(
        fc.asyncProperty(changed, async (result) => {
          expect(await faultsOf(result, formats)).toEqual([]);
        }),
        { numRuns, seed: 20_26 },
      );
    },
    60_000,
  );
});
