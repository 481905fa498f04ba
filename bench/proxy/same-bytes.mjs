import { randomBytes } from "node:crypto";

const POSTED = randomBytes(10_240);

const REQUESTS = [
  { path: "/small", method: "GET" },
  { path: "/100k", method: "GET" },
  { path: "/echo", method: "POST", body: POSTED },
];

/** Each request this often, so that a connection that is used again is seen too. */
const TIMES = 3;

async function ask(url, { path, ...request }) {
  const response = await fetch(`${url}${path}`, { ...request, signal: AbortSignal.timeout(5000) });
  const body = Buffer.from(await response.arrayBuffer());
  // The paced generator tells by it where an answer ends.
  return { status: response.status, body, length: response.headers.get("content-length") };
}

function difference(expected, got) {
  if (got.status !== expected.status) return `status ${expected.status} expected, got ${got.status}`;
  if (!got.body.equals(expected.body))
    return `${got.body.length} bytes that differ from the ${expected.body.length} expected`;
  if (got.length !== expected.length) return `Content-Length ${expected.length} expected, got ${got.length}`;
  return undefined;
}

async function differences(contender, request, expected) {
  for (let time = 0; time < TIMES; time += 1) {
    const got = await ask(contender.url, request).catch((error) => error);
    const found = got instanceof Error ? (got.cause?.message ?? got.message) : difference(expected, got);
    if (found) return [`${contender.name}: ${request.method} ${request.path}: ${found}`];
  }
  return [];
}

/**
 * Asks the backend and every contender for a small answer, for 100 KB, and to echo 10 KB. Resolves to how many answers
 * were compared; rejects with every difference in status, length or bytes.
 */
export async function checkSameBytes(backendUrl, contenders) {
  const found = [];
  for (const request of REQUESTS) {
    const expected = await ask(backendUrl, request);
    if (expected.status !== 200) throw new Error(`The backend answers ${request.path} with ${expected.status}.`);
    if (request.body && !expected.body.equals(request.body))
      throw new Error("The backend does not echo what it is sent.");
    for (const contender of contenders) found.push(...(await differences(contender, request, expected)));
  }
  if (found.length > 0) throw new Error(`Not the bytes of the backend:\n  ${found.join("\n  ")}`);
  return REQUESTS.length * TIMES * contenders.length;
}
