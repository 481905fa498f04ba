import type { Finding } from "../model/finding.js";

type Noticed = Pick<Finding, "code" | "args">;

/**
 * Returns a `KNEE` with {then}, the code of the finding by which goodput falls beyond it, where there is one: more load does
 * not only wait longer then.
 */
export function nameFall(knee: Noticed, response: readonly Noticed[]): Noticed {
  const fall = response.find(({ code }) => code === "CLIFF" || code === "DEGRADES");
  return fall === undefined ? knee : { ...knee, args: { ...knee.args, then: fall.code } };
}
