/**
 * Returns whether a status code is among the expected ones, given as in a scenario: codes and classes, separated by
 * commas (`2xx`, `200,304`). The `OK` of gRPC is of the class 2xx. An entry that is neither matches nothing; the configuration refuses it beforehand.
 */
export function expectedStatus(list: string): (status: number | string) => boolean {
  const entries = new Set(list.split(",").map((entry) => entry.trim().toLowerCase()));
  const isOfClass = (status: number | string): boolean =>
    status === "OK" ? entries.has("2xx") : entries.has(`${Math.floor(Number(status) / 100)}xx`);
  return (status) => entries.has(String(status).toLowerCase()) || isOfClass(status);
}
