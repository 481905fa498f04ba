/** What a run says in the end; the words of the output `verdict`. */
export const VERDICTS = ["pass", "inconclusive", "fail"] as const;

/** One of {@link VERDICTS}, from best to worst. */
export type Verdict = (typeof VERDICTS)[number];

/** The worst of several verdicts; `pass` of none. */
export function worstVerdict(verdicts: readonly Verdict[]): Verdict {
  return VERDICTS.findLast((verdict) => verdicts.includes(verdict)) ?? "pass";
}
