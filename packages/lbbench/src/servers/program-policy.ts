import { parsePolicy } from "@lbbench/proxy/parse-policy";

/** What requests with the same value of go to the same backend, where a policy looks at that. */
export interface PolicyKey {
  readonly kind: "path" | "header" | "cookie";
  /** Of the header, in lower case, or of the cookie; empty for the path. */
  readonly name: string;
}

/** Says a policy in the words of a program. Throws an Error for a key that the program cannot read. */
export type PolicyWords<Words> = (key: PolicyKey) => Words;

/**
 * Translates a policy as lbbench writes it, such as `consistent-hash:header:x-user`, into the words of a program. Throws
 * an Error that says what was expected for one that there is not, or that the program cannot do.
 *
 * @param program its name, for the message.
 * @param dictionary its words for each policy it can do.
 */
export function translatePolicy<Words>(
  text: string,
  program: string,
  dictionary: ReadonlyMap<string, PolicyWords<Words>>,
): Words {
  const can = `${program} can do ${[...dictionary.keys()].join(", ")}`;
  if (/^[./@]/.test(text)) throw new Error(`expected a policy that ${program} has itself, not a module: ${can}`);
  parsePolicy(text);
  const [name = "", option, ...rest] = text.split(":");
  const words = dictionary.get(name);
  if (words === undefined) throw new Error(`expected a policy that ${program} has: ${can}`);
  if (option === "seed") throw new Error(`expected no seed, because ${program} draws as it likes: ${can}`);
  return words(toKey(option, rest.join(":")));
}

function toKey(kind: string | undefined, name: string): PolicyKey {
  if (kind === "header") return { kind, name: name.toLowerCase() };
  if (kind === "cookie") return { kind, name };
  return { kind: "path", name: "" };
}
