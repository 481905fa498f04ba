/**
 * Returns whether a status code is among the expected ones, given as in a scenario: codes and classes, separated by
 * commas (`2xx`, `200,304`). An entry that is neither matches nothing; the configuration refuses it beforehand.
 */
export function expectedStatus(list: string): (status: number) => boolean {
  const entries = new Set(list.split(",").map((entry) => entry.trim().toLowerCase()));
  return (status) => entries.has(String(status)) || entries.has(`${Math.floor(status / 100)}xx`);
}
