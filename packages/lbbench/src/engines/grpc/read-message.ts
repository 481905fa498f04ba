import type { MessageTypeDefinition } from "@grpc/proto-loader";

/** A message type with its name and the names of its fields. */
export type MessageType = Pick<MessageTypeDefinition<object, object>, "serialize" | "deserialize" | "type">;

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
  const message = parseObject(text, expected);
  let bytes: Buffer;
  let read: object;
  try {
    bytes = toBuffer(serialize(message));
    read = deserialize(bytes);
  } catch (error) {
    throw new Error(
      `${expected}, got one that cannot be sent: ${error instanceof Error ? error.message : String(error)}`,
      {
        cause: error,
      },
    );
  }
  const problem = findDifference(
    message,
    read,
    name,
    field.map((one) => one.name),
  );
  if (problem !== undefined) throw new Error(`${expected}, ${problem}`);
  return bytes;
}

/** The library returns an `Uint8Array` where it has no `Buffer`; its types say otherwise. */
function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const LONGEST_EXCERPT = 60;

function parseObject(text: string, expected: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${expected}, got ${excerpt(text)}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  if (!isObject(value)) throw new Error(`${expected} such as {}, got ${excerpt(text)}`);
  return value;
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What is written but was not read, in words; `undefined` when there is nothing. */
function findDifference(written: unknown, read: unknown, path: string, names?: readonly string[]): string | undefined {
  if (written === null || written === undefined) return undefined;
  if (Array.isArray(written) && Array.isArray(read)) {
    return first(written, (item, index) => findDifference(item, read[index], `${path}[${index}]`));
  }
  if (isObject(written) && isObject(read)) {
    return first(Object.entries(written), ([name, value]) =>
      Object.hasOwn(read, name) || value === null
        ? findDifference(value, read[name], `${path}.${name}`)
        : `got "${name}", which is no field of ${path}. It has ${(names ?? Object.keys(read)).join(", ") || "none"}.`,
    );
  }
  return isSame(written, read)
    ? undefined
    : `got ${excerpt(JSON.stringify(written))} for ${path}, which would be sent as ${excerpt(JSON.stringify(read))}`;
}

function first<T>(items: readonly T[], find: (item: T, index: number) => string | undefined): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isSame(written: unknown, read: unknown): boolean {
  if (typeof written === "object" || typeof read === "object") return false;
  // Large whole numbers come back as texts.
  if (scalarText(written) === scalarText(read)) return true;
  // A float keeps fewer digits.
  if (typeof written === "number" && typeof read === "number") return Math.fround(written) === read;
  return isSameBase64(written, read);
}

function scalarText(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" || typeof value === "string" ? String(value) : "";
}

/** Bytes may be written with or without padding. */
function isSameBase64(written: unknown, read: unknown): boolean {
  return (
    typeof written === "string" && typeof read === "string" && written.replace(/=+$/, "") === read.replace(/=+$/, "")
  );
}

function excerpt(text: string): string {
  return text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}...` : text;
}
