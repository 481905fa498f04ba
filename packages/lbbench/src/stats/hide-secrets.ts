import { isPlainObject } from "./plain-data.js";

const HIDDEN = "(hidden)";
const HIDDEN_IN_ADDRESS = "***";

/** Names of headers, options, variables and parameters whose values are secret. */
const NAME = String.raw`[\w.-]*(?:authorization|cookie2?|key|token|secret|password|passwd|signature)`;
const SECRET_NAME = new RegExp(`^${NAME}$`, "i");

/** A whole line of a header: `x-api-key: 1234`. */
const HEADER_LINE = new RegExp(String.raw`^(${NAME}: ?)([^]+)$`, "i");
/** A header in a command line, quoted for a shell, or one that needs no quotes. */
const QUOTED_HEADER = new RegExp(String.raw`('${NAME}: ?)((?:[^']|'\\'')+)(')`, "gi");
const DOUBLY_QUOTED_HEADER = new RegExp(String.raw`("${NAME}: ?)([^"]+)(")`, "gi");
const BARE_HEADER = new RegExp(String.raw`((?<![\w.-])(?:-H ?|--header[ =])${NAME}:)([^\s'"]+)`, "gi");
/** A field of JSON, such as a body. */
const FIELD = new RegExp(String.raw`("${NAME}"\s*:\s*")((?:[^"\\]|\\.)+)(")`, "gi");
/** An option with its value behind it; `--key` of lbbench itself is a file. */
const OPTION =
  /((?:^|[\s'"])--?[\w.-]*(?:token|secret|password|passwd|authorization|cookie2?|signature|(?<=\w[-_.]?)key)[ =])('[^']+'|"[^"]+"|[^\s'"]+)()/gi;
/** The same as a word of a list, before that of its value. */
const OPTION_NAME = new RegExp(String.raw`^(?!--?key$)--?${NAME}$`, "i");
/** User and password of an address; a user without a password is one itself. */
const USER_INFO = /((?<![a-z\d+.-])[a-z\d+.-]+:\/\/)([^\s/?#'"`<>@]+(?:@[^\s/?#'"`<>@]+)*)(?=@)/gi;
/** A parameter of an address, or a variable before a command. */
const ASSIGNED = new RegExp(String.raw`((?:^|[?&\s'"])${NAME}=)([^\s&#'"]+)`, "gi");

/**
 * Hides the secrets of a run: values of headers, options and parameters that are named like one (`authorization`, `x-api-key`), and
 * passwords of addresses. It is for reports: `result.json` repeats the run. Data without secrets is returned as it is, not copied.
 */
export function hideSecrets<Data>(data: Data): Data {
  return hideIn(data, () => {}) as Data;
}

/** Returns the secrets that {@link hideSecrets} hides, each once. */
export function secretsOf(data: unknown): readonly string[] {
  const secrets = new Set<string>();
  hideIn(data, (secret) => void secrets.add(secret));
  return [...secrets];
}

type Tell = (secret: string) => void;

function hideIn(value: unknown, tell: Tell, name: string = ""): unknown {
  if (typeof value === "string") return SECRET_NAME.test(name) ? hideWhole(value, tell) : hideInText(value, tell);
  if (Array.isArray(value)) return hideInList(value, tell, name);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value);
  const hidden = entries.map(([key, inner]) => [key, hideIn(inner, tell, key)] as const);
  return hidden.every(([, inner], at) => inner === entries[at]?.[1]) ? value : Object.fromEntries(hidden);
}

function hideInList(list: readonly unknown[], tell: Tell, name: string): readonly unknown[] {
  const [first, second] = list;
  if (list.length === 2 && typeof first === "string" && typeof second === "string" && SECRET_NAME.test(first)) {
    return [first, hideWhole(second, tell)];
  }
  const hidden = list.map((inner, at) => {
    const before = list[at - 1];
    const isValue = typeof before === "string" && OPTION_NAME.test(before);
    return isValue && typeof inner === "string" && !inner.startsWith("-")
      ? hideWhole(inner, tell)
      : hideIn(inner, tell, name);
  });
  return hidden.every((inner, at) => inner === list[at]) ? list : hidden;
}

function hideWhole(secret: string, tell: Tell): string {
  if (secret === "") return secret;
  tell(secret);
  // `Bearer` and `Basic` say nothing, what follows them is used without them as well.
  const [, credentials] = /^\S+\s+(\S+)$/.exec(secret) ?? [];
  if (credentials !== undefined) tell(credentials);
  return HIDDEN;
}

function hideInText(text: string, tell: Tell): string {
  const line = HEADER_LINE.exec(text);
  if (line !== null) return `${line[1] ?? ""}${hideWhole(line[2] ?? "", tell)}`;
  const hideHeader = (_: string, before: string, secret: string, after: string | number): string =>
    `${before}${hideWhole(secret, tell)}${typeof after === "string" ? after : ""}`;
  return text
    .replaceAll(QUOTED_HEADER, hideHeader)
    .replaceAll(DOUBLY_QUOTED_HEADER, hideHeader)
    .replaceAll(BARE_HEADER, hideHeader)
    .replaceAll(FIELD, hideHeader)
    .replaceAll(OPTION, hideHeader)
    .replaceAll(USER_INFO, (_, before: string, user: string) => `${before}${hideUser(user, tell)}`)
    .replaceAll(ASSIGNED, (_, before: string, secret: string) => {
      tell(secret);
      return `${before}${HIDDEN_IN_ADDRESS}`;
    });
}

function hideUser(text: string, tell: Tell): string {
  const [user = "", ...rest] = text.split(":");
  const secret = rest.length === 0 ? user : rest.join(":");
  if (secret === "") return text;
  tell(secret);
  if (/%[\da-f]{2}/i.test(secret)) tell(decode(secret));
  return rest.length === 0 ? HIDDEN_IN_ADDRESS : `${user}:${HIDDEN_IN_ADDRESS}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
