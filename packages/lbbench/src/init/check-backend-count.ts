/** Processes of a program that are started on one machine. */
const MOST_BACKENDS = 100;

/** What is wrong with the number of backends that was typed; `undefined` for one that can be started. */
export function checkBackendCount(text: string): string | undefined {
  const isCount = /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_BACKENDS;
  return isCount ? undefined : `expected a whole number from 1 to ${MOST_BACKENDS}, got ${JSON.stringify(text)}`;
}
