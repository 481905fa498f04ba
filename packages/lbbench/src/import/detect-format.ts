/** Says where the output of a program begins, by its content. */
export type Beginning =
  | { readonly program: "ab" | "wrk" | "hey" | "json" }
  /** Output that is known, and has too little in it. */
  | { readonly instead: string };

const AB_LABELS = /^(?:Server Software|Server Hostname|Document Path|Document Length):/;
const AB_BANNER = /^This is ApacheBench, Version /;

/** Returns what begins at a line, given the one after it; `undefined` where nothing does. */
export function detectBeginning(line: string, next: string): Beginning | undefined {
  if (/^\uFEFF?\s*\{\s*(?:"|$)/.test(line)) return { program: "json" };
  if (AB_BANNER.test(line) || AB_LABELS.test(line)) return { program: "ab" };
  if (/^Summary:\s*$/.test(line) && /^ {2}Total:\t/.test(next)) return { program: "hey" };
  if (/^Running .+ test @ /.test(line)) {
    return /^\d+ connections/.test(next.trim()) && !/threads?/.test(next)
      ? { instead: "a table of autocannon, expected its JSON: save what autocannon -j prints" }
      : { program: "wrk" };
  }
  if (/^\uFEFF?\s*\[\s*(?:\{|$)/.test(line) && /^\s*[{"]/.test(line.replace(/^\uFEFF?\s*\[\s*/, "") || next)) {
    return { instead: "a list of JSON, expected one object after another: save what jq -c '.[]' makes of it" };
  }
  return INSTEAD.flatMap(([pattern, instead]) => (pattern.test(line) ? [{ instead }] : []))[0];
}

const INSTEAD: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [
    /^\s*http_req_duration\.*:|^\s*█ (?:TOTAL RESULTS|THRESHOLDS)/,
    "a summary of k6 as text, expected it as JSON: k6 run --summary-export FILE",
  ],
  [/^ +min +avg +max$/, "ab without median and deviation (-S), expected both: run ab without -S"],
  [
    /^ *This is ApacheBench, Version .*<br>$|^<tr\b.*>Server Software:<\/th>/,
    "ab in HTML (-w), expected text: run ab without -w",
  ],
  [/^unable to (?:connect to|resolve) /, "wrk giving up, which tells no figures: leave it out"],
  [/^Req\/Bytes counts sampled/, "a table of autocannon, expected its JSON: save what autocannon -j prints"],
  [/^response-time,DNS\+dialup,/, "single requests of hey (-o csv), expected its summary: leave out -o csv"],
];

/** Lines that have figures of a program, and stand in a block of it. */
const FIGURES: readonly (readonly [program: string, pattern: RegExp])[] = [
  [
    "ab",
    /^(?:Concurrency Level|Time taken for tests|Complete requests|Failed requests|Non-2xx responses|Keep-Alive requests|Total transferred|HTML transferred|Requests per second|Time per request|Transfer rate|Connection Times \(ms\)|Connect|Processing|Waiting|Percentage of the requests)\b|^ +\d+% +\d+(?: \(longest request\))?$/,
  ],
  ["wrk", /^ +Thread Stats\b|^ +Latency Distribution|^ +\d+ requests in \S+, |^(?:Requests|Transfer)\/sec: /],
  [
    "hey",
    /^ {2}(?:Total|Slowest|Fastest|Average|Requests\/sec):\t|^(?:Status code|Latency|Error) distribution:|^Response time histogram:/,
  ],
];

/** Names the program that a line has figures of; `undefined` for any other line. */
export function figuresOf(line: string): string | undefined {
  return FIGURES.find(([, pattern]) => pattern.test(line))?.[0];
}
