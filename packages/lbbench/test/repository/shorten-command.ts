/** Flags of a load, with what makes it short. */
const SHORTER = new Map<string, (value: string) => string>([
  ["-n", (list) => shortList(list, 200)],
  ["-c", (list) => shortList(list, 20)],
  ["-r", (list) => shortList(list, 1000)],
  ["--trials", (count) => String(Math.min(Number(count), 2))],
  ["--over", () => "1s"],
]);

/** What is added where a command leaves it to the defaults, which are long. */
const ADDED = new Map<string, readonly { readonly unless: readonly string[]; readonly flags: readonly string[] }[]>([
  [
    "sweep",
    [
      { unless: ["-c", "-r"], flags: ["-c", "1,4"] },
      { unless: ["--trials"], flags: ["--trials", "1"] },
      { unless: ["--warmup"], flags: ["--warmup", "0"] },
    ],
  ],
  ["ramp", [{ unless: ["--hold"], flags: ["--hold", "300ms"] }]],
  [
    "max",
    [
      { unless: ["--start"], flags: ["--start", "8"] },
      { unless: ["--most"], flags: ["--most", "16"] },
      { unless: ["--trials"], flags: ["--trials", "1"] },
      { unless: ["--warmup"], flags: ["--warmup", "0"] },
    ],
  ],
]);

/** Programs that take whole seconds. */
const WHOLE_SECONDS = new Set(["ab", "wrk"]);

/**
 * The words of an lbbench command as a document shows it, with less load: fewer levels, requests and trials, and less time. What is
 * resumed, helped with or not a load stays as it is.
 */
export function shortenCommand(words: readonly string[]): readonly string[] {
  const [name = ""] = words;
  const added = ADDED.get(name);
  if (added === undefined || words.includes("--resume") || words.includes("--help")) return words;
  const shown = words.map((word, index) => SHORTER.get(words[index - 1] ?? "")?.(word) ?? word);
  const missing = added.flatMap(({ unless, flags }) => (unless.some((flag) => words.includes(flag)) ? [] : flags));
  return [...withoutDuration(shown), ...missing, ...duration(words)];
}

function withoutDuration(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => word !== "-d" && words[index - 1] !== "-d");
}

function duration(words: readonly string[]): readonly string[] {
  if (words[0] === "ramp" || words.includes("-n")) return [];
  const engine = words[words.indexOf("--engine") + 1] ?? "";
  return ["-d", words.includes("--engine") && WHOLE_SECONDS.has(engine) ? "1s" : "150ms"];
}

/** Two elements at most, each of them not above `most`; a range becomes its first two values. */
function shortList(list: string, most: number): string {
  const [from, , step] = list.split(":").map(Number);
  const values = from !== undefined && step !== undefined ? [from, from + step] : list.split(",").map(Number);
  return [...new Set(values.slice(0, 2).map((value) => Math.min(value, most)))].join(",");
}
