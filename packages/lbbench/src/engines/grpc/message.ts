/** Messages of gRPC that are written as JSON. */
import { isDeepStrictEqual } from "node:util";
import type { MessageTypeDefinition } from "@grpc/proto-loader";

/** A message type with its name and the names of its fields. */
export type MessageType = Pick<MessageTypeDefinition<object, object>, "serialize" | "deserialize" | "type">;

/** Returns what `act` returns; throws an `Error` with the sentence that `explain` makes of the message of its error. */
export function orExplain<T>(act: () => T, explain: (why: string) => string): T {
  try {
    return act();
  } catch (error) {
    throw new Error(explain(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}

/**
 * The bytes of a message that is written as JSON, with the names of the `.proto` file and bytes in base64. Throws an
 * `Error` when it is no such message: what is written has to come out again when the bytes are read, because the library
 * leaves out unknown fields without a word and makes a 0 of what is no number.
 *
 * @param place what the text is, for the message: `body`.
 */
export function readMessage(text: string, { serialize, deserialize, type }: MessageType, place: string): Buffer {
  const { name, field } = type as { readonly name: string; readonly field: readonly { readonly name: string }[] };
  const expected = `${place}: expected a message ${name}, written as JSON`;
  const message = orExplain<unknown>(
    () => JSON.parse(text),
    (why) => `${expected}, got ${excerpt(text)}: ${why}`,
  );
  if (!isObject(message) || Array.isArray(message)) throw new Error(`${expected} such as {}, got ${excerpt(text)}`);
  const { bytes, read } = orExplain(
    () => {
      const serialized = toBuffer(serialize(message));
      return { bytes: serialized, read: deserialize(serialized) };
    },
    (why) => `${expected}, got one that cannot be sent: ${why}`,
  );
  const names = field.map((one) => one.name);
  const problem = findDifference(message, read, name, names);
  if (problem !== undefined) throw new Error(`${expected}, ${problem}`);
  return bytes;
}

/**
 * Whether the bytes of an answer are the expected message. Messages are compared, not bytes: fields may come in another
 * order, and what has its default value may be written or left out. With `null` any answer will do.
 */
export function matchMessage(expected: Buffer | null, { deserialize }: MessageType): (answer: Buffer) => boolean {
  if (expected === null) return () => true;
  const message = deserialize(expected);
  let known = expected;
  return (answer) => {
    if (known.equals(answer)) return true;
    try {
      if (!isDeepStrictEqual(deserialize(answer), message)) return false;
    } catch {
      return false;
    }
    // A server writes the same message in the same way: the next one need not be read again.
    known = answer;
    return true;
  };
}

/** The library returns an `Uint8Array` where it has no `Buffer`; its types say otherwise. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** What is written but was not read, in words; `undefined` when there is nothing. */
function findDifference(written: unknown, read: unknown, path: string, names?: readonly string[]): string | undefined {
  if (written === null || isSame(written, read)) return undefined;
  const isList = Array.isArray(written);
  if (!isObject(written) || !isObject(read) || isList !== Array.isArray(read)) {
    const [wrote, sent] = [written, read].map((value) => excerpt(toJson(value)));
    return `got ${wrote} for ${path}, which would be sent as ${sent}`;
  }
  for (const [name, value] of Object.entries(written)) {
    if (!isList && value !== null && !Object.hasOwn(read, name)) {
      const known = (names ?? Object.keys(read)).join(", ") || "none";
      return `got "${name}", which is no field of ${path}. It has ${known}.`;
    }
    const found = findDifference(value, read[name], isList ? `${path}[${name}]` : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Large whole numbers come back as texts, those of a float with fewer digits, and bytes with their padding. */
function isSame(written: unknown, read: unknown): boolean {
  if (typeof written === "object" || typeof read === "object") return false;
  if (typeof written === "number" && Math.fround(written) === read) return true;
  const [wrote, came] = [written, read].map((value) => toJson(value).replaceAll(/^"|=*"$/g, ""));
  return wrote === came;
}

/** Where nothing was read, `undefined`. */
function toJson(value: unknown): string {
  return String(JSON.stringify(value));
}

const LONGEST_EXCERPT = 60;

function excerpt(text: string): string {
  return text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}...` : text;
}
