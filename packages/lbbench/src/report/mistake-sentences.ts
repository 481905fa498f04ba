import { countThings } from "./count-things.js";
import { describeRequests } from "./describe-requests.js";
import type { Figures } from "./finding-figures.js";
import { unitOf } from "./finding-unit.js";

/** Says by how much the bytes of answers differ, and why. */
export function bytesSentence(of: Figures): string {
  const other = of.text("other");
  const by = of.has("engine") ? ` (engine ${of.text("engine")}, there ${of.text("otherEngine")})` : "";
  const whole = `${of.count("received")} bytes per answer were counted, and ${of.count("otherReceived")} of ${other}`;
  switch (of.text("reason")) {
    case "body":
      return `its answers have ${countThings(of, "body", "byte")} of body, those of ${other} ${of.count("otherBody")}${by}`;
    case "counting":
      return `${whole}${by}: only one of the two counts head and body`;
    case "head":
      return `${whole}${by}, although the bodies are alike`;
    default:
      return `${whole}${by}: the answers differ, or the engines count different things`;
  }
}

/** Says what a tool would show that takes failed answers for good ones. */
export function fastFailuresSentence(of: Figures): string {
  const failed = `${of.count("count")} of ${countThings(of, "answers", "answer")} (${of.percent("share")}) failed, half of what failed within ${of.time("failedP50")}`;
  const medians = `a median of at most ${of.time("mixedP50")} in place of ${of.time("p50")}`;
  const means = of.has("mixedMean") ? `, and a mean of ${of.time("mixedMean")} in place of ${of.time("mean")}` : "";
  const lighter = of.has("lighter")
    ? `, as if it were faster than with ${of.count("lighter")} (${of.time("lighterP50")})`
    : "";
  return `${failed}; mixed with the good ones they would give ${medians}${means}${lighter}`;
}

/** Says which differences the trials do not tell from noise. */
export function noiseSentence(of: Figures): string {
  const metric = of.text("metric");
  const parts = [
    { size: "highest", word: "above", where: "higher" },
    { size: "lowest", word: "below", where: "lower" },
  ].flatMap(({ size, word, where }) =>
    of.has(where)
      ? [
          `up to ${of.percent(size).replace("-", "")} ${word} that of ${of.text("reference")} at ${of.counts(where)} ${unitOf(of, of.text(where))}${amountsOf(of, `${where}Requests`)}`,
        ]
      : [],
  );
  return `${metric} was measured ${parts.join(" and ") || "?"}, but ${of.count("trials")} trials do not tell that from noise`;
}

/** Of a matrix, the numbers of requests of these levels. */
function amountsOf(of: Figures, name: string): string {
  return of.has(name) ? ` with ${describeRequests(of.text(name))}` : "";
}
