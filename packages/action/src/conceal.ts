/** What is shorter is found in ordinary words, and is no secret. */
const SHORTEST = 4;
const HIDDEN = "***";

/** Those of the secrets of a run that can be told from ordinary words, longest first, as one may be a part of another. */
export function concealable(secrets: readonly string[]): readonly string[] {
  return [...new Set(secrets)].filter(({ length }) => length >= SHORTEST).toSorted((a, b) => b.length - a.length);
}

/** Returns a text in which `***` stands for each of these secrets, the longest of which comes first. */
export function conceal(text: string, secrets: readonly string[]): string {
  return secrets.reduce((hidden, secret) => hidden.replaceAll(secret, HIDDEN), text);
}
