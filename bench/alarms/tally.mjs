/** What the bench `alarms` compares, what is wanted of it, and how rounds are counted. Pure. */
import { markdownTable } from "markdown-table";
import { summarize } from "../table.mjs";

/** Goes up when rounds are made or read in another way, or when lbbench compares in another way: rounds of another method do not count. */
const METHOD = 3;
/** The same, of rounds with as many trials as decide (`--trials auto`). */
const METHOD_OF_AUTO = 4;
/** The same, of rounds by `--margin`, which the intervals of single levels decide as well. */
const METHOD_OF_MARGIN = 5;
/** Comparisons that a row takes to be decided. */
export const WANTED_ROUNDS = 60;
/** What may be worse, of rounds by `--margin` and of every judgement by a margin. */
export const MARGIN = 0.05;
/** A round in which a hypervisor took more of the machine is kept and counted: neighbours are the usual case. */
const MUCH_STEAL = 0.05;
/** Of the intervals of shares: 95 %. */
const Z = 1.959964;

const half = WANTED_ROUNDS / 2;
const equal = (handler, more) => ({ a: handler, b: handler, rounds: half, method: METHOD, ...more });
// Who looks for a loss of 10 % has as many trials as decide it, and needs no thousand connections, of which each waits a second for its answer.
const slower = (more) => ({
  a: "cpu:1ms",
  b: "cpu:1.1ms",
  rounds: WANTED_ROUNDS,
  method: METHOD_OF_AUTO,
  flags: ["--trials", "auto", "-c", "1,5,10,20,50,100"],
  ...more,
});
const byMargin = { method: METHOD_OF_MARGIN, flags: ["--margin", `${MARGIN * 100}%`] };

/**
 * By name: the handlers of the targets `a` and `b`, how many rounds are wanted, and of which method. `flags` go beside the defaults of `sweep`. Of a case that is
 * `compared` each result is compared with that of the round before, too.
 */
export const CASES = {
  "equal-20us": equal("cpu:0.02ms", { compared: true }),
  "equal-1ms": equal("cpu:1ms", { compared: true }),
  slower: slower(),
  "margin-20us": equal("cpu:0.02ms", byMargin),
  "margin-1ms": equal("cpu:1ms", byMargin),
  "neighbour-20us": equal("cpu:0.02ms", { neighbour: true }),
  "neighbour-1ms": equal("cpu:1ms", { neighbour: true }),
  "neighbour-slower": slower({ neighbour: true }),
};

const EQUAL = ["equal-20us", "equal-1ms"];
const NEIGHBOUR = ["neighbour-20us", "neighbour-1ms"];
const isSaid = ({ overall }) => overall !== "~";
const isFound = ({ overall }) => overall === "slower";
const isSaidAnywhere = (round) => isSaid(round) || round.levels.length > 0;
const MOST_ALARMS = 0.05;

/** What is wanted: a share of the rounds of some cases, or the median of a figure of theirs; `says` names those that the README quotes. */
const ROWS = [
  {
    title: "equal targets: `sweep` says faster or slower, overall",
    of: EQUAL,
    is: isSaid,
    atMost: MOST_ALARMS,
  },
  {
    title: "equal targets: the same, or at any level, in any metric",
    says: "told",
    of: EQUAL,
    is: isSaidAnywhere,
    atMost: MOST_ALARMS,
  },
  {
    title: `equal targets: \`sweep ${byMargin.flags.join(" ")}\` fails`,
    of: ["margin-20us", "margin-1ms"],
    is: ({ status }) => status === "fail",
    atMost: MOST_ALARMS,
  },
  {
    title: "two results of equal targets: `compare` fails",
    of: EQUAL,
    counts: ({ compared }) => compared !== undefined,
    is: ({ compared }) => compared === "fail",
    atMost: MOST_ALARMS,
  },
  {
    title: "10 % more work a request: `sweep --trials auto -c 1,5,10,20,50,100` says slower, overall",
    says: "found",
    of: ["slower"],
    is: isFound,
    atLeast: 0.8,
  },
  {
    title: "10 % more work a request: time until this is said",
    of: ["slower"],
    value: ({ seconds }) => seconds,
    unit: "s",
    atMost: 90,
  },
  {
    title: "beside a neighbour, equal targets: says faster or slower, overall",
    of: NEIGHBOUR,
    is: isSaid,
    atMost: MOST_ALARMS,
  },
  {
    title: "beside a neighbour, equal targets: the same, or at any level, in any metric",
    of: NEIGHBOUR,
    is: isSaidAnywhere,
    atMost: MOST_ALARMS,
  },
  {
    title: "beside a neighbour, 10 % more work: says slower, overall",
    of: ["neighbour-slower"],
    is: isFound,
    atLeast: 0.5,
  },
];

/** The share of so many successes with its 95 % interval (E. B. Wilson, 1927), each from 0 to 1; `undefined` of none. */
export function wilson(successes, of) {
  if (of === 0) return undefined;
  const share = successes / of;
  const middle = share + Z ** 2 / (2 * of);
  const reach = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  const scale = 1 + Z ** 2 / of;
  return { share, low: Math.max(0, (middle - reach) / scale), high: Math.min(1, (middle + reach) / scale) };
}

/** The rounds of the method that their case has now. */
export const roundsThatCount = (rounds) => rounds.filter((round) => round.method === CASES[round.case]?.method);

/** How many rounds of a case were made, of 1; below it as long as some are missing. */
export function progressOf(name, rounds) {
  const { rounds: wanted, compared } = CASES[name];
  const own = rounds.filter((round) => round.case === name);
  // The first of a checkout has none before it to be compared with.
  const made = compared ? own.filter((round) => round.compared !== undefined) : own;
  return made.length / wanted;
}

/** Counts rounds; of each row also whether what is wanted is `reached`: `undefined` while there are too few rounds to say. */
export function tally(rounds) {
  return ROWS.map(({ title, says, of, counts = () => true, is, value, unit, atMost, atLeast }) => {
    const own = rounds.filter((round) => of.includes(round.case) && counts(round));
    const wanted = { title, says, unit, atMost, atLeast, rounds: own.length };
    if (value !== undefined) {
      const figure = summarize(own.map(value));
      return { ...wanted, figure, reached: own.length < WANTED_ROUNDS ? undefined : figure.median <= atMost };
    }
    const count = own.filter(is).length;
    return { ...wanted, count, share: wilson(count, own.length), reached: isReached(count, own.length, wanted) };
  });
}

/** What no further round can change is said before all are there. */
function isReached(count, rounds, { atMost, atLeast }) {
  const missing = Math.max(0, WANTED_ROUNDS - rounds);
  const all = rounds + missing;
  const isMissed = atMost === undefined ? count + missing < atLeast * all : count > atMost * all;
  return isMissed ? false : missing > 0 ? undefined : true;
}

/** The table in a sentence: in how many comparisons equal targets were told apart anywhere, and a loss of 10 % was found. */
export function sayAlarms(rounds) {
  const rows = tally(rounds);
  const [equal, found] = ["told", "found"].map((says) => rows.find((row) => row.says === says));
  return `Of ${equal.rounds} comparisons of equal servers ${equal.count} were wrong, and of ${found.rounds} with 10 % more work ${found.count} were found.`;
}

const percent = (share) => `${Number((share * 100).toFixed(1))} %`;
const answer = (reached) => (reached === undefined ? "not enough rounds yet" : reached ? "yes" : "**no**");

function cells({ title, unit, atMost, atLeast, rounds, count, share, figure, reached }) {
  const bound = atMost ?? atLeast;
  const wanted = `${atMost === undefined ? "at least" : "at most"} ${unit === undefined ? percent(bound) : `${bound} ${unit}`}`;
  const number = (value) => String(Number(value.toPrecision(3)));
  const measured =
    figure !== undefined
      ? `median ${number(figure.median)} ${unit} (${number(figure.low)} to ${number(figure.high)})`
      : share === undefined
        ? ""
        : `${percent(share.share)} (${percent(share.low)} to ${percent(share.high)})`;
  return [title, String(rounds), count === undefined ? "" : String(count), measured, wanted, answer(reached)];
}

/** Table and notes of Markdown; a share has its 95 % interval beside it. */
export function renderAlarms(rounds) {
  const head = ["what is said", "rounds", "so often", "share (95 % interval)", "wanted", "reached"];
  const table = markdownTable([head, ...tally(rounds).map(cells)], { align: ["l", "r", "r", "r", "l", "l"] });
  if (rounds.length === 0) return table;
  const distinct = (read) => [...new Set(rounds.map(read))].join(", ");
  const stolen = rounds.filter(({ steal }) => steal > MUCH_STEAL).length;
  const dates = rounds.map(({ date }) => date.slice(0, 10)).toSorted();
  const made =
    `${rounds.length} rounds from ${dates[0]} to ${dates.at(-1)}, on ${distinct(({ cores, cpu }) => `${cores} cores of ${cpu}`)}; ` +
    `commits ${distinct(({ commit }) => commit)}.`;
  const note = `In ${stolen} of them a hypervisor took more than ${percent(MUCH_STEAL)} of the machine. They count, because neighbours are the usual case.`;
  return `${table}\n\n${made} ${note}`;
}
