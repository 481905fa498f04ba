import * as z from "zod";
import type { RefinementCtx } from "zod";
import { isSentAsWritten, pathAsSent } from "./path-as-sent.js";

const header = z
  .string()
  .refine((value) => !/[\r\n\0]/.test(value), "expected the value of a header, without line breaks")
  .refine(
    (value) => !/[^\0-\u00FF]/.test(value),
    "expected the value of a header, of characters up to U+00FF (Latin-1), each of which is sent as one byte: encode the others, as in %E2%82%AC",
  );
const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "expected the name of a header such as Accept");
const file = z.string().min(1, "expected the path of a file");

const parts = {
  method: z
    .string()
    .regex(/^[A-Za-z-]+$/, "expected an HTTP method such as GET or POST")
    .transform((method) => method.toUpperCase())
    .optional(),
  path: z.string().startsWith("/").superRefine(refuseBent).optional(),
  /** By name; several values for a header that is repeated. */
  headers: z.record(headerName, z.union([header, z.array(header)], "expected a text, or a list of texts")).optional(),
  bodyEncoding: z.enum(["utf8", "base64"]).optional(),
  /** File that is the body, as it is. */
  bodyFile: file.optional(),
  expectStatus: z
    .string()
    .regex(/^([1-5]xx|[1-5]\d\d)(,([1-5]xx|[1-5]\d\d))*$/, "expected status codes or classes such as 2xx or 200,304")
    .optional(),
};

/** What every request is, or what those of a mix have in common. */
export const requestInputSchema = z
  .strictObject({ ...parts, body: z.string().optional(), expectBody: z.string().optional() })
  .superRefine(checkBodies);

const LEAST_WEIGHT = 1e-6;
const MOST_WEIGHT = 1e6;
const WEIGHT = `expected a number from 0.000001 to ${MOST_WEIGHT}, such as 2 or 0.5`;

/** All of them are kept, by lbbench, by every generator and in the result. */
export const MOST_BODIES = 10_000;

/** Most entries of a mix: each has figures of its own, in every generator, and lines of its own in the report. */
const MOST_ENTRIES = 100;

/** Requests to send in proportion to weights; what an entry does not say is that of `request`. */
export const mixInputSchema = z
  .array(
    z
      .strictObject({
        /** What it is called in the report: `GET /cart` without it. */
        name: z.string().trim().min(1, "expected a name that is not empty").optional(),
        /** How often it is sent, beside the weights of the others. */
        weight: z.number(WEIGHT).min(LEAST_WEIGHT, WEIGHT).max(MOST_WEIGHT, WEIGHT).optional(),
        ...parts,
        /** Of this and of `expectBody` `null` is none, where `request` has one. */
        body: z.string().nullable().optional(),
        expectBody: z.string().nullable().optional(),
        /** Bodies to send in turn. */
        bodies: z.array(z.string()).min(1).max(MOST_BODIES).optional(),
        /** File of such bodies, one in each line. */
        bodiesFile: file.optional(),
      })
      .superRefine(checkBodies),
  )
  .min(1)
  .max(MOST_ENTRIES);

const BODIES = ["body", "bodyFile", "bodies", "bodiesFile"] as const;

type GivenBodies = {
  readonly body?: string | null | undefined;
  readonly bodyFile?: string | undefined;
  readonly bodies?: readonly string[] | undefined;
  readonly bodiesFile?: string | undefined;
  readonly bodyEncoding?: "utf8" | "base64" | undefined;
};

function checkBodies(given: GivenBodies, context: RefinementCtx): void {
  const refuse = (path: readonly PropertyKey[], message: string): void =>
    context.addIssue({ code: "custom", path: [...path], message });
  const [first, second] = BODIES.filter((key) => given[key] !== undefined);
  const { body, bodies, bodyEncoding } = given;
  if (second !== undefined) return refuse([second], `expected one of ${first} and ${second}, got both`);
  if (bodyEncoding === undefined) return;
  if (first?.endsWith("File") === true) {
    const message = `expected nothing beside ${first}, whose bytes are sent as they are, got ${JSON.stringify(bodyEncoding)}`;
    return refuse(["bodyEncoding"], message);
  }
  if (typeof body !== "string" && bodies === undefined) {
    return refuse(["bodyEncoding"], `expected a body beside it, got ${JSON.stringify(bodyEncoding)} without`);
  }
  if (bodyEncoding !== "base64") return;
  if (typeof body === "string" && !isBase64(body)) refuse(["body"], BASE64);
  for (const [index, one] of (bodies ?? []).entries()) if (!isBase64(one)) refuse(["bodies", index], BASE64);
}

const BASE64 = 'expected base64, such as "aGVsbG8=", as bodyEncoding says';

/** Whether a text is what bytes are written as; `Buffer` itself skips what it cannot read. */
function isBase64(text: string): boolean {
  return Buffer.from(text, "base64").toString("base64") === text;
}

/** What is asked for would be called by one path in the report and sent to another. */
function refuseBent(path: string, context: RefinementCtx): void {
  if (!path.startsWith("/") || isSentAsWritten(path)) return;
  const message = `expected path and query as they are sent, got ${JSON.stringify(path)}, which would be sent as ${JSON.stringify(pathAsSent(path))}`;
  context.addIssue({ code: "custom", message });
}
