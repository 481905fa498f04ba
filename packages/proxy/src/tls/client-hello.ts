/** Types of what TLS sends (RFC 8446, 5.1 and 4), and of the extension with the name (RFC 6066, 3). */
const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;

/** In front of a record: type, version, length. In front of a message of the handshake: type, length. */
const RECORD_HEAD = 5;
const MESSAGE_HEAD = 4;
/** In a ClientHello: version and random number. */
const FIXED_BYTES = 34;

/** From so much on a beginning is looked at no further; a usual one takes 2 KB. */
const MOST_BYTES = 16_384;

/**
 * The name of the host that a client asks for, read from the beginning of what it sends; "" if it asks for none, or does not begin as TLS does, which is
 * for OpenSSL to refuse. `undefined`: more has to come.
 */
export function nameAskedIn(bytes: Buffer): string | undefined {
  const hello = helloIn(bytes);
  if (hello === undefined) return bytes.length < MOST_BYTES ? undefined : "";
  try {
    return nameIn(hello);
  } catch (error) {
    // A length that points behind the end.
    if (error instanceof RangeError) return "";
    throw error;
  }
}

/** The first message, which may stand in several records; `undefined` if it is not here in whole. */
function helloIn(bytes: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  let size = 0;
  let length = MESSAGE_HEAD;
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== HANDSHAKE) return Buffer.alloc(0);
    if (at + RECORD_HEAD > bytes.length) return undefined;
    const end = at + RECORD_HEAD + bytes.readUInt16BE(at + 3);
    const piece = bytes.subarray(at + RECORD_HEAD, end);
    pieces.push(piece);
    size += piece.length;
    at = end;
    if (size < length) continue;
    const message = Buffer.concat(pieces);
    if (message[0] !== CLIENT_HELLO) return Buffer.alloc(0);
    length = MESSAGE_HEAD + message.readUIntBE(1, 3);
    if (size >= length) return message.subarray(MESSAGE_HEAD, length);
  }
  return undefined;
}

function nameIn(hello: Buffer): string {
  let at = FIXED_BYTES;
  at += 1 + hello.readUInt8(at); // Session
  at += 2 + hello.readUInt16BE(at); // Ciphers
  at += 1 + hello.readUInt8(at); // Compression
  for (at += 2; at < hello.length; at += 4 + hello.readUInt16BE(at + 2)) {
    if (hello.readUInt16BE(at) !== SERVER_NAME) continue;
    // Behind type and length, and the length of the list, whose first entry is the only one that is used.
    const entry = at + 6;
    if (hello.readUInt8(entry) !== HOST_NAME) return "";
    const from = entry + 3;
    return hello.toString("latin1", from, from + hello.readUInt16BE(entry + 1));
  }
  return "";
}
