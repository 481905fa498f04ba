/** The status after which the connection speaks something else. */
export const SWITCHING_PROTOCOLS = 101;
const NO_CONTENT = 204;
const NOT_MODIFIED = 304;

/** Whether an answer of this status announces another one; 101 is the last word of its connection. */
export function isInterim(status: number): boolean {
  return status < 200 && status !== SWITCHING_PROTOCOLS;
}

/** Whether an answer of this status ends with its head, whatever that says: a 304 may carry the length of what it stands for. */
export function neverHasBody(status: number): boolean {
  return status < 200 || status === NO_CONTENT || status === NOT_MODIFIED;
}
