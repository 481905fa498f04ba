/** What a load asks of a gRPC server: where it is, and which call every user makes. Messages are written as JSON. */
import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { checkFields, type Fields } from "@lbbench/wire";
import { loadSync, type MethodDefinition, type PackageDefinition } from "@grpc/proto-loader";
import { parseJson, readBounded } from "../../config/read-file.js";
import type { HeaderLine, RequestSpec } from "../../model/scenario.js";
import { isRecord } from "../../stats/plain-data.js";

/** Reads `grpc://host:port` or `grpcs://host:port`; throws an `Error` for anything else. `authority`: host and port. */
export function parseGrpcTarget(text: string): { readonly authority: string; readonly secure: boolean } {
  const url = new URL(URL.canParse(text) ? text : "none:");
  const { protocol, host, hostname, port, pathname, search, hash, username, password } = url;
  const isWhole = /^grpcs?:$/.test(protocol) && hostname !== "" && port !== "";
  if (!isWhole || !["", "/"].includes(pathname) || `${search}${hash}${username}${password}` !== "") {
    throw new Error(
      `The engine "grpc" expected a URL of host and port alone, such as grpc://127.0.0.1:50051 (grpcs:// for TLS), got "${text}". ` +
        "Its option call says which method is called.",
    );
  }
  return { authority: host, secure: protocol === "grpcs:" };
}

/** What every call of a run is. */
export type GrpcCall = Awaited<ReturnType<typeof resolveCall>>;

/** What a call is made of. */
export interface CallSpec {
  readonly options: { readonly proto?: string | undefined; readonly call?: string | undefined };
  readonly request: RequestSpec;
}

/**
 * Reads the `.proto` file and makes the call that a load asks for. Rejects with an `Error` that says what was expected
 * and what there is: for a file that cannot be read, a method that is not there or takes a stream, a body that is not its request
 * message, and expectations that a call cannot have.
 */
export async function resolveCall({ options, request }: CallSpec, folder: string) {
  const { expectStatus, expectBody, body, bodyEncoding } = request;
  const { path, requestType, responseType, responseStream } = await resolveMethod(options, folder);
  if (expectStatus !== "2xx") {
    throw new Error(
      `expectStatus: expected 2xx, which for a call is OK, got "${expectStatus}". ` +
        "Calls have no other status of HTTP: leave it out for targets that speak gRPC.",
    );
  }
  const text = body === null ? "{}" : Buffer.from(body, bodyEncoding).toString("utf8");
  const expected = expectBody === null ? null : readMessage(expectBody, responseType, "expectBody");
  return {
    /** `/package.Service/Method`. */
    path,
    message: readMessage(text, requestType, "body"),
    metadata: readMetadata(request.headers),
    /** Whether any number of messages may come as the answer; otherwise it is one. */
    streams: responseStream,
    /** Whether a message of the answer is the expected one; absent if any will do. */
    isExpected: expected === null ? undefined : matchMessage(expected, responseType),
  };
}

/** A method as a `.proto` file declares it. */
export type ProtoMethod = MethodDefinition<object, object>;

async function resolveMethod({ proto, call }: CallSpec["options"], folder: string): Promise<ProtoMethod> {
  if (proto !== undefined) return findMethod(resolve(folder, proto), call, folder);
  const { protoFile, service, method } = (await import("@lbbench/backends")).GRPC_SAMPLE;
  return findMethod(protoFile, call ?? `${service}/${method}`, folder, "the sample ");
}

/** Of a file's methods in a message. */
const MOST_LISTED = 30;

/**
 * The method of that name in a `.proto` file, `package.Service/Method` or `package.Service.Method`, which takes one message; without a name
 * the only unary one there is, or the only one. Throws an `Error` that says what there is instead.
 */
export function findMethod(file: string, call: string | undefined, folder: string, kind = ""): ProtoMethod {
  const methods = Object.entries(loadProto(file, folder)).flatMap(([service, declared]) => {
    // Messages and enums are told by their `format`, which in a service could only be a method.
    if (typeof declared.format === "string") return [];
    return Object.entries(declared as Readonly<Record<string, ProtoMethod>>).map(([name, method]) => {
      const { requestStream, responseStream } = method;
      const streams = [requestStream && "requests", responseStream && "answers"].filter(Boolean).join(" and ");
      return { name: `${service}/${name}`, method, streams };
    });
  });
  const callable = methods.filter(({ method }) => !method.requestStream);
  const unary = callable.filter(({ method }) => !method.responseStream);
  const wanted = call?.replace(/[./](?=[^./]*$)/, "/");
  const only = unary.length > 0 ? unary : callable;
  const found = wanted === undefined ? only.length === 1 && only[0] : methods.find(({ name }) => name === wanted);
  if (found && !found.method.requestStream) return found.method;
  const has = callable.length === 0 ? "none" : `${callable.length} of them`;
  const got = call === undefined ? `which has ${has}; got no name` : `got "${call}"`;
  const why = found ? `, which streams ${found.streams}` : "";
  const names = methods.map(({ name, streams }) => (streams === "" ? name : `${name} (streams ${streams})`));
  const more = names.length - MOST_LISTED;
  const listed = names.slice(0, MOST_LISTED).join(", ") + (more > 0 ? ` and ${more} more` : "");
  throw new Error(
    `call: expected a method that takes one message, of ${kind}${file}, ${got}${why}. It has ${listed || "no methods"}.`,
  );
}

/** Reads a `.proto` file and what it imports, from the file's own folder or from `folder`; names stay as they are in the file. */
function loadProto(file: string, folder: string): PackageDefinition {
  const types = { longs: String, enums: String, bytes: String };
  return orExplain(
    () => {
      // What reads it asks neither what it is nor how large it is.
      readBounded(file);
      return loadSync(file, { keepCase: true, ...types, defaults: true, includeDirs: [dirname(file), folder] });
    },
    (why) =>
      `proto: expected a .proto file that can be read, with what it imports, got ${file}: ${why}. ` +
      `Imports are looked for in its own folder and in ${folder}.`,
  );
}

/** Headers about one connection (RFC 9113, 8.2.2), and headers that gRPC sets itself. */
const NOT_METADATA =
  /^(?:connection|content-length|host|keep-alive|proxy-connection|te|transfer-encoding|upgrade|user-agent|grpc-.*)$/;

/**
 * The metadata of a call, from the headers of the request; values of names that end in `-bin` are base64. `Content-Type`
 * is left out, as a call has its own: so one request can be sent to HTTP and gRPC targets alike.
 */
function readMetadata(headers: readonly HeaderLine[]): Fields {
  return headers.flatMap(([name, text]) => {
    const key = name.toLowerCase();
    if (key === "content-type") return [];
    if (NOT_METADATA.test(key)) {
      throw new Error(
        `headers: expected metadata of a call, got "${name}", which gRPC sets by itself or does not have. Leave it out.`,
      );
    }
    const value = key.endsWith("-bin") ? Buffer.from(text, "base64").toString("base64") : text;
    const why = ASCII.test(value) ? checkFields([key, value], "trailers") : "it has characters that are not ASCII";
    if (why !== undefined) throw new Error(`headers: expected metadata of a call, got "${name}: ${text}": ${why}.`);
    return [key, value];
  });
}

/** What metadata may have that is text: printable characters. */
const ASCII = /^[ -~]*$/;

/** Returns what `act` returns; throws an `Error` with the sentence that `explain` makes of the message of its error. */
function orExplain<T>(act: () => T, explain: (why: string) => string): T {
  try {
    return act();
  } catch (error) {
    throw new Error(explain(error instanceof Error ? error.message : String(error)), { cause: error });
  }
}

type MessageType = ProtoMethod["requestType"];

/**
 * The bytes of a message that is written as JSON, with the names of the `.proto` file and bytes in base64. Throws an
 * `Error` when it is no such message: what is written has to come out again when the bytes are read, because the library
 * leaves out unknown fields without a word and reads a text that is no number as 0.
 *
 * @param place what the text is, for the message: `body`.
 */
function readMessage(text: string, { serialize, deserialize, type }: MessageType, place: string): Buffer {
  const { name, field } = type as { readonly name: string; readonly field: readonly { readonly name: string }[] };
  const expected = `${place}: expected a message ${name}, written as JSON`;
  const written = orExplain(
    () => parseJson(text),
    (why) => `${expected}, got ${excerpt(text)}: ${why}`,
  );
  if (!isRecord(written) || Array.isArray(written)) throw new Error(`${expected} such as {}, got ${excerpt(text)}`);
  // The library returns an `Uint8Array` where it has no `Buffer`; its types say otherwise.
  const [bytes, read] = orExplain(
    () => {
      const serialized = Buffer.from(serialize(written));
      return [serialized, deserialize(serialized)] as const;
    },
    (why) => `${expected}, got one that cannot be sent: ${why}`,
  );
  const names = field.map((one) => one.name);
  const problem = findDifference(written, read, name, names);
  if (problem !== undefined) throw new Error(`${expected}, ${problem}`);
  return bytes;
}

/**
 * Whether bytes are the expected message. Messages are compared, not bytes: fields may come in another order, and what has its
 * default value may be written or left out. Bytes are not kept.
 */
function matchMessage(expected: Buffer, { deserialize }: MessageType): (answer: Buffer) => boolean {
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
    known = Buffer.from(answer);
    return true;
  };
}

/** What is written but was not read, in words; `undefined` when there is nothing. */
function findDifference(written: unknown, read: unknown, path: string, names?: readonly string[]): string | undefined {
  if (written === null || isSame(written, read)) return undefined;
  const isList = Array.isArray(written);
  if (!isRecord(written) || !isRecord(read) || isList !== Array.isArray(read)) {
    return `got ${excerpt(toJson(written))} for ${path}, which would be sent as ${excerpt(toJson(read))}`;
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
