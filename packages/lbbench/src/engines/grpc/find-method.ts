import type { MethodDefinition, PackageDefinition, ServiceDefinition } from "@grpc/proto-loader";

/** A method as a `.proto` file declares it. */
export type ProtoMethod = MethodDefinition<object, object>;

interface NamedMethod {
  /** `package.Service/Method`. */
  readonly name: string;
  readonly method: ProtoMethod;
}

/**
 * The unary method of that name, `package.Service/Method` or `package.Service.Method`; without a name the only one there
 * is. Throws an `Error` that says what there is instead.
 *
 * @param file what the definition was read from, for the message.
 */
export function findMethod(definition: PackageDefinition, call: string | undefined, file: string): ProtoMethod {
  const methods = methodsOf(definition);
  const unary = methods.filter(isUnary);
  if (call === undefined) {
    const [only] = unary;
    if (only !== undefined && unary.length === 1) return only.method;
    const problem = unary.length === 0 ? "which has no unary method" : `which has ${unary.length} unary methods`;
    throw new Error(`call: expected a unary method of ${file}, ${problem}; got none. ${listMethods(methods)}`);
  }
  const wanted = call.replace(/[./](?=[^./]*$)/, "/");
  const found = methods.find(({ name }) => name === wanted);
  if (found === undefined) {
    throw new Error(`call: expected a unary method of ${file}, got "${call}". ${listMethods(methods)}`);
  }
  if (!isUnary(found)) {
    throw new Error(
      `call: expected a unary method of ${file}, got "${call}", which ${describeStreams(found.method)}. ` +
        (unary.length === 0 ? "It has no unary methods." : listMethods(unary)),
    );
  }
  return found.method;
}

function methodsOf(definition: PackageDefinition): readonly NamedMethod[] {
  return Object.entries(definition).flatMap(([service, declared]) =>
    isService(declared)
      ? Object.entries(declared).map(([name, method]) => ({ name: `${service}/${name}`, method }))
      : [],
  );
}

/** Messages and enums are told by their `format`, which in a service could only be a method. */
function isService(declared: PackageDefinition[string]): declared is ServiceDefinition {
  return typeof declared.format !== "string";
}

function isUnary({ method }: NamedMethod): boolean {
  return !method.requestStream && !method.responseStream;
}

function describeStreams({ requestStream, responseStream }: ProtoMethod): string {
  if (requestStream && responseStream) return "streams requests and answers";
  return requestStream ? "streams requests" : "streams answers";
}

const MOST_LISTED = 30;

function listMethods(methods: readonly NamedMethod[]): string {
  if (methods.length === 0) return "It has no methods.";
  const names = methods
    .slice(0, MOST_LISTED)
    .map((one) => (isUnary(one) ? one.name : `${one.name} (${describeStreams(one.method)})`));
  const more = methods.length - names.length;
  return `It has ${names.join(", ")}${more === 0 ? "" : ` and ${more} more`}.`;
}
