/**
 * The parts of a client of autocannon 9.0.0 that the measuring client builds on or replaces. They are not documented,
 * which is why the version is pinned; the ground-truth tests fail when one of them changes its meaning.
 */
declare module "autocannon/lib/httpClient.js" {
  namespace Client {
    /** What http-parser-js tells when the head of an answer is complete. */
    interface AnswerHead {
      readonly statusCode: number;
      readonly versionMajor: number;
      readonly versionMinor: number;
      /** Names and values in turn. */
      readonly headers: readonly string[];
      /** Whether the connection can be used again, as far as the parser knows: it takes every HEAD for a GET. */
      readonly shouldKeepAlive: boolean;
    }

    /** http-parser-js, its callbacks set by number. */
    interface AnswerParser {
      /** Called with the head; `true` says that no body follows. */
      2: (head: AnswerHead) => boolean | void;
      3: (chunk: Buffer, start: number, length: number) => void;
      4: () => void;
      /** What is left of a body whose length is known; `NaN` or less than nothing where the length was no number. */
      readonly body_bytes: number | null;
      /** How far the bytes of now are read, and where they end. */
      readonly offset: number;
      readonly end: number;
      readonly reinitialize: (type: "RESPONSE") => void;
      /** Returns an error where the bytes are not HTTP. */
      readonly execute: (chunk: Buffer) => number | Error;
      readonly finish: () => Error | undefined;
    }
  }

  class Client {
    /** Calls `setupClient` with itself; then sets its callbacks of the parser, starts its timeout and calls `_connect`. */
    constructor(options: { readonly setupClient: (client: Client) => void });
    readonly parser: Client.AnswerParser;
    readonly timeoutTicker: { readonly clear: () => void };
    _connect: () => void;
  }
  export = Client;
}
