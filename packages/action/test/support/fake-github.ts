import type { IncomingMessage, ServerResponse } from "node:http";
import { text as textOf } from "node:stream/consumers";
import { startTestServer } from "@lbbench/test-support/test-server.js";

/** A comment as GitHub tells it. */
export interface FakeComment {
  readonly id: number;
  readonly body: string;
  readonly user: { readonly login: string; readonly type: "Bot" | "User" };
}

/** What GitHub is in a test. */
export interface FakeGitHub {
  readonly url: string;
  readonly comments: readonly FakeComment[];
  /** Method and path of every request. */
  readonly requests: readonly string[];
}

/** How it behaves. */
export interface FakeGitHubOptions {
  /** Writing is refused, as with the token of a pull request from a fork. */
  readonly isReadOnly?: boolean;
  /** Of a user, who may ask who they are; a workflow may not. */
  readonly login?: string;
  readonly comments?: readonly Omit<FakeComment, "id">[];
  /** Every request fails with this status and this message. */
  readonly status?: number;
  readonly message?: string;
  /** What writes, which may not ask who it is; `github-actions[bot]` by default. */
  readonly bot?: string;
  /** Comments of another run that are written while ours is. */
  readonly meanwhile?: readonly string[];
}

const COMMENTS = /^\/repos\/o\/r\/issues\/7\/comments$/;
const COMMENT = /^\/repos\/o\/r\/issues\/comments\/(\d+)$/;

/** Starts a server that keeps comments of pull request 7 of o/r as GitHub does; it ends with the test. */
export async function startFakeGitHub(options: FakeGitHubOptions = {}): Promise<FakeGitHub> {
  const comments: FakeComment[] = (options.comments ?? []).map((comment, index) => ({ ...comment, id: index + 1 }));
  const requests: string[] = [];
  let lastId = comments.length;
  let others = options.meanwhile ?? [];
  const author =
    options.login === undefined
      ? ({ login: options.bot ?? "github-actions[bot]", type: "Bot" } as const)
      : ({ login: options.login, type: "User" } as const);
  let base = "";
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = "", headers } = request;
    const { pathname, searchParams } = new URL(request.url ?? "", base);
    requests.push(`${method} ${pathname}`);
    const body = await textOf(request);
    const send = (status: number, data: unknown, link?: string): void => {
      response.writeHead(status, { "content-type": "application/json", ...(link === undefined ? {} : { link }) });
      response.end(JSON.stringify(data));
    };
    if (options.status !== undefined) return send(options.status, { message: options.message });
    if (headers.authorization !== "Bearer secret") return send(401, { message: "Bad credentials" });
    const refused = { message: "Resource not accessible by integration" };
    if (pathname === "/user") {
      return options.login === undefined ? send(403, refused) : send(200, { login: options.login });
    }
    if (method === "GET" && COMMENTS.test(pathname)) {
      const [page, size] = [Number(searchParams.get("page") ?? 1), Number(searchParams.get("per_page") ?? 30)];
      const next = `<${base}${pathname}?per_page=${size}&page=${page + 1}>; rel="next"`;
      return send(
        200,
        comments.slice((page - 1) * size, page * size),
        page * size < comments.length ? next : undefined,
      );
    }
    if (options.isReadOnly === true) return send(403, refused);
    const at = comments.findIndex(({ id }) => String(id) === COMMENT.exec(pathname)?.[1]);
    const known = comments[at];
    if (method === "DELETE" && known !== undefined) {
      comments.splice(at, 1);
      response.writeHead(204).end();
      return;
    }
    if (body === "") return send(404, { message: "Not Found" });
    const text = (JSON.parse(body) as { readonly body: string }).body;
    if (method === "POST" && COMMENTS.test(pathname)) {
      for (const other of others) comments.push({ id: (lastId += 1), body: other, user: author });
      others = [];
      comments.push({ id: (lastId += 1), body: text, user: author });
      return send(201, comments.at(-1));
    }
    if (method !== "PATCH" || known === undefined) return send(404, { message: "Not Found" });
    comments[at] = { ...known, body: text };
    send(200, comments[at]);
  };
  const { port } = await startTestServer({ onRequest: (request, response) => void answer(request, response) });
  base = `http://127.0.0.1:${port}`;
  return { url: base, comments, requests };
}
