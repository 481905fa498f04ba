import { request } from "node:http";
import { text } from "node:stream/consumers";

/** An answer, read to its end. */
export interface OnceAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Sends one GET over a connection of its own. */
export function requestOnce(url: string | URL, headers: Readonly<Record<string, string>> = {}): Promise<OnceAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, headers }, (answer) => {
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers }), reject);
    });
    sent.on("error", reject);
    sent.end();
  });
}
