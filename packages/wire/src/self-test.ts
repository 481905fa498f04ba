/** How long a self-test may take. It takes milliseconds; it is longer only where the machine does something else. */
export const SELF_TEST_LIMIT_MS = 20_000;

export function expectThat(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Error(`A socket did not ${what}.`);
}
