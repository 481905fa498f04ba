/** What each program prints: a row for each of its lines, read after the text was cleaned (one space, no indentation). */

/** A program whose text is read; oha prints the lines of hey, and some of its own. */
export type Layout = "ab" | "wrk" | "hey" | "autocannon" | "k6";

/** A line that a program prints. */
export interface Row {
  /** Under which its figures are kept; `null` where none of them is of use. */
  readonly key: string | null;
  readonly pattern: RegExp;
  readonly source: string;
  /**
   * `once` in the output of a run; `by name`, once for each of what it captures first (a percentage, a status); `often`.
   */
  readonly comes: "once" | "by name" | "often";
  /** It has no words of its own, so that it counts only where a line begins, or right after another row. */
  readonly isBare: boolean;
}

const NUMBER = String.raw`(\d+(?:\.\d+)?)`;
const COUNT = String.raw`(\d+)`;
const TIME = String.raw`(\d+(?:\.\d+)?) ?(ns|us|µs|ms|secs?|s|min|m|hr?)`;
const SIZE = String.raw`(\d+(?:\.\d+)?) ?([KMGT]?i?B|kB|bytes)`;

/** Neither begins nor ends within a word or a number. */
const whole = (source: string, flags: string): RegExp =>
  new RegExp(String.raw`(?<![\w,/%-]|\d\.)(?:${source})(?![\w.,]*\w)`, flags);

/** Writes a row; `~` is what stands between a label and its figure, `<N>`, `<C>`, `<T>` and `<S>` are a number, a count, a time and a size. */
function row(key: string | null, text: string, comes: Row["comes"] = "once"): Row {
  const source = text
    .replaceAll("~", ":? ?")
    .replaceAll("<N>", NUMBER)
    .replaceAll("<C>", COUNT)
    .replaceAll("<T>", TIME)
    .replaceAll("<S>", SIZE);
  const isBare = !/[a-z]{4}/i.test(text.replaceAll(/<.>|\\w/g, ""));
  return { key, source, pattern: whole(source, "gi"), comes, isBare };
}

const phase = (name: string): Row => row(name, `${name}: ?<C> <C>(?: <N> <C>)? <C>`);

const AB: readonly Row[] = [
  row("banner", String.raw`This is ApacheBench, Version ([\w.-]+)(?: <[^>]*>)?`),
  row(null, String.raw`Copyright \d+ Adam Twiss.*|Licensed to The Apache.*`),
  row("asked", String.raw`Benchmarking (\S+) (?:\[through \S+\] )?\(be patient\)(?:\.\.\.)?(?:\.*done)?`),
  row(null, String.raw`(?:Completed|Finished) \d+ requests`),
  row("gave up", String.raw`apr_\w+: .*? \(\d+\)|SSL \w+ failed.*|Test aborted after .*`, "often"),
  row("ended", "Total of <C> requests completed"),
  row("software", String.raw`Server Software:(?: (?!Server )\S+)?`),
  row("host", String.raw`Server Hostname~(\S+)`),
  row("port", "Server Port~<C>"),
  row("tls", String.raw`SSL/TLS Protocol~(\S+)`),
  row(null, String.raw`(?:Server Temp Key|TLS Server Name):.*`),
  row("path", String.raw`Document Path~(\S+)`),
  row("length", String.raw`Document Length~(?:<C> bytes|Variable)`),
  row("connections", "Concurrency Level~<C>"),
  row("time", "Time taken for tests~<N> seconds"),
  row("complete", "Complete requests~<C>"),
  row("failed", "Failed requests~<C>"),
  row("failures", String.raw`\(Connect: ?<C>, Receive: ?<C>, Length: ?<C>, Exceptions: ?<C>\)`),
  row(null, String.raw`Write errors~\d+`),
  row("non2xx", "Non-2xx responses~<C>"),
  row("kept alive", "Keep-Alive requests~<C>"),
  row("received", "Total transferred~<C> bytes"),
  row("sent", "Total (?:body sent|PUT|POSTed)~<C>"),
  row("body", "HTML transferred~<C> bytes"),
  row("rate", String.raw`Requests per second~<N>(?: \[#/sec\] \(mean\))?`),
  row("per request", String.raw`Time per request~<N> \[ms\] \(mean\)`),
  row("across", String.raw`Time per request~<N> \[ms\] \(mean, across all concurrent requests\)`),
  row("transfer", String.raw`Transfer rate~<N> (?:\[Kbytes/sec\]|kb/s) received`),
  row(null, String.raw`<N> kb/s (?:sent|total)`),
  row(null, String.raw`Connection Times \(ms\)|min mean\[\+/-sd\] median max|min avg max`),
  ...["connect", "processing", "waiting", "total"].map(phase),
  row(null, String.raw`(?:WARNING|ERROR): The median and mean.*|These results are (?:probably )?not .*`),
  row(null, String.raw`Percentage of the requests served within a certain time \(ms\)`),
  row("percentile", String.raw`(\d{1,3}) ?% ?<C>(?: \(longest request\))?`, "by name"),
];

const WRK: readonly Row[] = [
  row("gave up", "unable to (?:connect to|resolve) .*"),
  row("running", String.raw`Running ${TIME} test @ (\S+)`),
  row("threads", "<C> threads? and <C> connections?"),
  row(null, String.raw`Thread Stats Avg Stdev Max \+/- Stdev|Latency Distribution(?: \(.*\))?`),
  row("latency", String.raw`Latency <T> <T> <T> (?:[\d.]+|-?nan)%`),
  row(null, String.raw`Req/Sec(?: [\d.]+k?){3} (?:[\d.]+|-?nan)%`),
  row("percentile", String.raw`${NUMBER}% ?${TIME}`, "by name"),
  row("summary", "<C> requests in <T>, <S> read"),
  row("errors", "Socket errors: connect <C>, read <C>, write <C>, timeout <C>"),
  row("non2xx", "Non-2xx or 3xx responses~<C>"),
  row("rate", "Requests/sec~<N>"),
  row("transfer", "Transfer/sec~<S>"),
];

/** Of hey, and of oha 0.5 to 1.15, which has other units, a success rate, and two digits after each percentage. */
const HEY: readonly Row[] = [
  row("statuses", "Status code distribution:"),
  row(null, String.raw`Summary:|(?:Response time|Latency|Error) (?:histogram|distribution)(?: \(.*\))?:`),
  row("of oha", String.raw`Success rate: ?([\d.]+)%?`),
  row("of oha too", String.raw`Size/sec: ?<S>|Response time distribution:`, "often"),
  row("time", "Total: ?<T>"),
  row("slowest", "Slowest: ?<T>"),
  row("fastest", "Fastest: ?<T>"),
  row("mean", "Average: ?<T>"),
  row("rate", "Requests/sec~<N>"),
  row("data", "Total data: ?<S>"),
  row(null, "Size/request: ?(?:<S>|NaN)"),
  row(null, String.raw`\d+\.\d{3}(?: \w+)? \[\d+\]`, "often"),
  row("percentile", String.raw`(\d+(?:\.\d+)?) ?% in (?:${TIME}|NaN \w+)`, "by name"),
  row(null, String.raw`Details \(average, fastest, slowest\):`),
  row(null, String.raw`(?:DNS\+dialup|DNS-lookup|req write|resp wait|resp read): .*`, "often"),
  row("status", String.raw`\[(\d{3})\] ?<C> responses`, "by name"),
  row("error", String.raw`\[(\d+)\] (\D.*)`, "often"),
];

const AUTOCANNON: readonly Row[] = [
  row("running", String.raw`Running ${TIME} test @ (\S+)`),
  row("asked", String.raw`Running <C> requests test @ (\S+)`),
  row("connections", String.raw`^<C> connections?(?: with <C> pipelining factor)?$`),
  row(null, String.raw`^\d+ workers$|Stat(?: [\d.]+%){3,4} Avg Stdev (?:Max|Min)|Bytes/Sec .*`),
  row("latency", `Latency${" <N> ms".repeat(7)}`),
  row("rate", String.raw`Req/Sec(?: [\d.,]+){4} ([\d.,]+) [\d.,]+ [\d.,]+`),
  row("samples", "# of samples~<C>"),
  row(null, String.raw`Req/Bytes counts sampled .*|request pipeline was reset .*`),
  row("statuses", "<C> 2xx responses, <C> non 2xx responses"),
  row("summary", "(\\d+k?) requests in <N>s, <S> read"),
  row("errors", String.raw`(\d+k?) errors \((\d+k?) timeouts\)`),
  row("mismatches", String.raw`(\d+k?) requests with mismatched body`),
];

/** What a metric of k6 tells ends where the next one begins, or the line. */
const K6_END = String.raw`(?= [a-z_{][\w{}: ]*\.{2,}:|$)`;
const K6: readonly Row[] = [
  row("metric", String.raw`([a-z_]+|\{ ?expected_response:true ?\})\.{2,}: (.*?)${K6_END}`, "by name"),
  row(null, String.raw`running \([\dhms.]+\), \d+/\d+ VUs, .*`, "often"),
  row(null, String.raw`^(?:THRESHOLDS|TOTAL RESULTS|HTTP|EXECUTION|NETWORK)$|^[a-z]+(?:_[a-z]+)+$|^[✓✗] .*`, "often"),
];

/** The rows of each layout, and whether a text has any of them. Where two could have printed a text, it is of the first. */
export const LAYOUTS = Object.entries({ ab: AB, wrk: WRK, hey: HEY, autocannon: AUTOCANNON, k6: K6 }).map(
  ([layout, rows]) => ({
    layout: layout as Layout,
    rows,
    any: whole(rows.map(({ source }) => source).join("|"), "i"),
  }),
);
