const HEAD_END = "\r\n\r\n";

/**
 * Reads answers with a Content-Length off one connection: `read(chunk)` calls `onAnswer(ok)` at the last byte of each;
 * `ok` is whether its status is 2xx. Throws an `Error` on any other framing.
 */
export function createAnswerReader(onAnswer) {
  let head;
  let left = 0;
  let ok = false;

  function readHead(bytes) {
    const end = bytes.indexOf(HEAD_END);
    if (end === -1) return { head: bytes };
    const text = bytes.latin1Slice(0, end);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text);
    if (length === null) throw new Error(`Expected an answer with a Content-Length, got:\n${text}`);
    ok = text[9] === "2";
    left = Number(length[1]);
    return { rest: bytes.subarray(end + HEAD_END.length) };
  }

  return function read(chunk) {
    let bytes = chunk;
    for (;;) {
      if (left === 0) {
        if (bytes.length === 0) return;
        const { head: incomplete, rest } = readHead(head === undefined ? bytes : Buffer.concat([head, bytes]));
        head = incomplete;
        if (rest === undefined) return;
        bytes = rest;
      }
      if (bytes.length < left) {
        left -= bytes.length;
        return;
      }
      bytes = bytes.subarray(left);
      left = 0;
      onAnswer(ok);
    }
  };
}
