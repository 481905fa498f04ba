/**
 * Returns path and query as they go out for a `path` that begins with a slash: dot segments resolved, what follows a `#`
 * cut off, and what may not stand in a URL percent-encoded.
 */
export function pathAsSent(path: string): string {
  const { pathname, search } = new URL(`http://localhost${path}`);
  return pathname + search;
}

/** Whether a path goes out as it is written, but for characters that have to be percent-encoded. */
export function isSentAsWritten(path: string): boolean {
  return encode(path) === encode(pathAsSent(path));
}

/** Encodes what is not encoded yet, so that it does not matter whether a URL has done so. */
function encode(path: string): string {
  return encodeURI(Buffer.from(path).toString()).replaceAll("%25", "%").replaceAll("'", "%27");
}
