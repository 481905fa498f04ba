import { HttpClient } from "@actions/http-client";

/** Asks GitHub's API for something, `GET /user`; resolves with the answer, parsed, `undefined` for one without a body. Rejects with a {@link GitHubError}. */
export type CallGitHub = (method: string, path: string, body?: object) => Promise<unknown>;

/** What GitHub says in place of what it was asked for. */
export class GitHubError extends Error {
  override readonly name = "GitHubError";

  constructor(
    message: string,
    /** Of the answer. */
    readonly status: number,
  ) {
    super(message);
  }
}

/** Returns what calls GitHub's API with a token, through the proxy that the runner is set to use. */
export function connectGitHub(token: string, apiUrl: string): CallGitHub {
  const client = new HttpClient("lbbench");
  const headers = { accept: "application/vnd.github+json", authorization: `Bearer ${token}` };
  return async (method, path, body) => {
    const response = await client.request(
      method,
      `${apiUrl}${path}`,
      body === undefined ? null : JSON.stringify(body),
      body === undefined ? headers : { ...headers, "content-type": "application/json" },
    );
    const status = response.message.statusCode ?? 0;
    const text = await response.readBody();
    if (status >= 200 && status < 300) return text === "" ? undefined : JSON.parse(text);
    throw new GitHubError(messageOf(text) ?? `GitHub answered with status ${status}.`, status);
  };
}

/** What an answer says of itself; one that is no JSON is of a proxy. */
function messageOf(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}
