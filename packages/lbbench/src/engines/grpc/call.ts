/** What a load asks of a gRPC server: where it is, and which call every user makes. */
import { dirname, resolve } from "node:path";
import { Metadata } from "@grpc/grpc-js";
import { loadSync, type MethodDefinition, type PackageDefinition, type ServiceDefinition } from "@grpc/proto-loader";
import type { HeaderLine, RequestSpec } from "../../model/scenario.js";
import { matchMessage, orExplain, readMessage } from "./message.js";

/** Where calls go. */
export interface GrpcTarget {
  /** As grpc-js wants it: `dns:host:port`. */
  readonly address: string;
  /** Whether it is reached over TLS. */
  readonly secure: boolean;
}

/** Reads `grpc://host:port` or `grpcs://host:port`; throws an `Error` for anything else. */
export function parseGrpcTarget(text: string): GrpcTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const secure = url?.protocol === "grpcs:";
  if (url === undefined || (!secure && url.protocol !== "grpc:") || url.hostname === "" || url.port === "") {
    throw new Error(
      `The engine "grpc" expected a URL with a port, such as grpc://127.0.0.1:50051 (grpcs:// for TLS), got "${text}"`,
    );
  }
  if (!["", "/"].includes(url.pathname) || url.search !== "" || url.username !== "") {
    throw new Error(
      `The engine "grpc" expected a URL of host and port alone, grpc://${url.host}, got "${text}". ` +
        "Which method is called is said by its option call.",
    );
  }
  return { address: `dns:${url.host}`, secure };
}

/** What every call of a run is. */
export interface UnaryCall {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** The request message. */
  readonly message: Buffer;
  readonly metadata: Metadata;
  /** Whether an answer is the expected one. */
  readonly isExpected: (answer: Buffer) => boolean;
}

/** What a call is made of. */
export interface CallSpec {
  readonly options: { readonly proto?: string | undefined; readonly call?: string | undefined };
  readonly request: RequestSpec;
}

/**
 * Reads the `.proto` file and makes the call that a load asks for. Rejects with an `Error` that says what was expected
 * and what there is: for a file that cannot be read, a method that is not there or streams, a body that is not its request
 * message, and expectations that a call cannot have.
 */
export async function resolveCall({ options, request }: CallSpec, folder: string): Promise<UnaryCall> {
  const { expectStatus, expectBody, body, bodyEncoding } = request;
  const method = await resolveMethod(options, folder);
  if (expectStatus !== "2xx") {
    throw new Error(
      `expectStatus: expected 2xx, which for a call is OK, got "${expectStatus}". ` +
        "Calls have no other status of HTTP: leave it out for targets that speak gRPC.",
    );
  }
  const requestType = { ...method.requestType, serialize: method.requestSerialize };
  const responseType = { ...method.responseType, serialize: method.responseSerialize };
  const text = body === null ? "{}" : Buffer.from(body, bodyEncoding).toString("utf8");
  return {
    path: method.path,
    message: readMessage(text, requestType, "body"),
    metadata: readMetadata(request.headers),
    isExpected: matchMessage(
      expectBody === null ? null : readMessage(expectBody, responseType, "expectBody"),
      responseType,
    ),
  };
}

async function resolveMethod({ proto, call }: CallSpec["options"], folder: string): Promise<ProtoMethod> {
  if (proto !== undefined) return findMethod(resolve(folder, proto), call, folder);
  const { GRPC_SAMPLE } = await import("@lbbench/backends");
  const { protoFile, service, method } = GRPC_SAMPLE;
  return findMethod(protoFile, call ?? `${service}/${method}`, folder, "the sample ");
}

/** A method as a `.proto` file declares it. */
export type ProtoMethod = MethodDefinition<object, object>;

interface NamedMethod {
  /** `package.Service/Method`. */
  readonly name: string;
  readonly method: ProtoMethod;
  /** Whether requests or answers are streams, in words; `undefined` of a unary method. */
  readonly streams: string | undefined;
}

/**
 * The unary method of that name in a `.proto` file, `package.Service/Method` or `package.Service.Method`; without a name the only one
 * there is. Throws an `Error` that says what there is instead.
 */
export function findMethod(file: string, call: string | undefined, folder: string, kind = ""): ProtoMethod {
  const methods = Object.entries(loadProto(file, folder)).flatMap(([service, declared]) =>
    isService(declared)
      ? Object.entries(declared).map(([name, method]) => ({
          name: `${service}/${name}`,
          method,
          streams: describeStreams(method),
        }))
      : [],
  );
  const unary = methods.filter(({ streams }) => streams === undefined);
  const expected = `call: expected a unary method of ${kind}${file}`;
  if (call === undefined) {
    const [only] = unary;
    if (only !== undefined && unary.length === 1) return only.method;
    const problem = unary.length === 0 ? "which has no unary method" : `which has ${unary.length} unary methods`;
    throw new Error(`${expected}, ${problem}; got none. ${listMethods(methods)}`);
  }
  const wanted = call.replace(/[./](?=[^./]*$)/, "/");
  const found = methods.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`${expected}, got "${call}". ${listMethods(methods)}`);
  if (found.streams !== undefined) {
    const others = unary.length === 0 ? "It has no unary methods." : listMethods(unary);
    throw new Error(`${expected}, got "${call}", which ${found.streams}. ${others}`);
  }
  return found.method;
}

/** Reads a `.proto` file and what it imports, from the file's own folder or from `folder`; names stay as they are in the file. */
function loadProto(file: string, folder: string): PackageDefinition {
  const types = { longs: String, enums: String, bytes: String };
  return orExplain(
    () => loadSync(file, { keepCase: true, ...types, defaults: true, includeDirs: [dirname(file), folder] }),
    (why) =>
      `proto: expected a .proto file that can be read, with what it imports, got ${file}: ${why}. ` +
      `Imports are looked for in its own folder and in ${folder}.`,
  );
}

/** Messages and enums are told by their `format`, which in a service could only be a method. */
function isService(declared: PackageDefinition[string]): declared is ServiceDefinition {
  return typeof declared.format !== "string";
}

function describeStreams({ requestStream, responseStream }: ProtoMethod): string | undefined {
  if (requestStream) return responseStream ? "streams requests and answers" : "streams requests";
  return responseStream ? "streams answers" : undefined;
}

const MOST_LISTED = 30;

function listMethods(methods: readonly NamedMethod[]): string {
  if (methods.length === 0) return "It has no methods.";
  const names = methods
    .slice(0, MOST_LISTED)
    .map(({ name, streams }) => (streams === undefined ? name : `${name} (${streams})`));
  const more = methods.length - names.length;
  return `It has ${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}.`;
}

/** Headers about one connection (RFC 9113, 8.2.2), and those that gRPC sets by itself. */
const NOT_METADATA: ReadonlySet<string> = new Set(
  "connection content-length host keep-alive proxy-connection te transfer-encoding upgrade user-agent".split(" "),
);

/**
 * The metadata of a call, from the headers of the request; values of names that end in `-bin` are base64. `Content-Type`
 * is left out, as a call has its own: so one request can be sent to HTTP and gRPC targets alike. Throws an `Error` for a
 * header that cannot be sent with a call.
 */
function readMetadata(headers: readonly HeaderLine[]): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (key === "content-type") continue;
    if (NOT_METADATA.has(key) || key.startsWith("grpc-")) {
      throw new Error(
        `headers: expected metadata of a call, got "${name}", which gRPC sets by itself or does not have. Leave it out.`,
      );
    }
    orExplain(
      () => metadata.add(key, key.endsWith("-bin") ? Buffer.from(value, "base64") : value),
      (why) => `headers: expected metadata of a call, got "${name}: ${value}": ${why}`,
    );
  }
  return metadata;
}
