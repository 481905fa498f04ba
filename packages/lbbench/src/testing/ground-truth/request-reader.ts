/** One request that was read to its last byte. */
export interface ReadRequest {
  readonly method: string;
  readonly path: string;
  /** Request line and headers as they came, without the empty line. */
  readonly head: string;
  readonly body: Buffer;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/**
 * Takes what a socket reads and gives the requests that are complete with it: head and `Content-Length` bytes of body. `atHead`: gives
 * them, without a body, as soon as their head is complete.
 */
export function createRequestReader(atHead = false): (chunk: Buffer) => readonly ReadRequest[] {
  let pending: Buffer = Buffer.alloc(0);
  /** Bytes of bodies that are not given. */
  let skipped = 0;
  return (read) => {
    const chunk = read.subarray(skipped);
    skipped -= read.length - chunk.length;
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const complete: ReadRequest[] = [];
    for (let headEnd = pending.indexOf(HEAD_END); headEnd !== -1; headEnd = pending.indexOf(HEAD_END)) {
      const head = pending.toString("latin1", 0, headEnd);
      const bodyStart = headEnd + HEAD_END.length;
      const end = bodyStart + Number(/^content-length: *(\d+)$/im.exec(head)?.[1] ?? 0);
      if (atHead) skipped = Math.max(0, end - pending.length);
      else if (pending.length < end) break;
      const [method = "", path = ""] = head.split(" ", 2);
      complete.push({ method, path, head, body: pending.subarray(bodyStart, atHead ? bodyStart : end) });
      pending = pending.subarray(end);
    }
    return complete;
  };
}
