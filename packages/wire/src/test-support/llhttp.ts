import { METHODS } from "node:http";
import { createRequire } from "node:module";

/** What llhttp says of the head that it has read. */
interface LlhttpHead {
  readonly isHttp10: boolean;
  readonly method: string | undefined;
  readonly target: string | undefined;
  readonly status: number | undefined;
  readonly isUpgrade: boolean;
  readonly keepAlive: boolean;
}

interface NodeParser {
  [callback: number]: unknown;
  initialize(type: number, resource: object, maxHeaderSize: number, lenientFlags: number): void;
  execute(bytes: Buffer): number | Error;
}

interface NodeParserClass {
  new (): NodeParser;
  readonly REQUEST: number;
  readonly RESPONSE: number;
  readonly kLenientNone: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

const { HTTPParser } = createRequire(import.meta.url)("_http_common") as { readonly HTTPParser: NodeParserClass };

/** llhttp as Node's own servers and clients use it, with no leniency: reads one message after the other. */
export class Llhttp {
  /** Of the message that was read last, or is being read. */
  head: LlhttpHead | undefined;
  /** Name, value, name, value; trailers behind them. */
  headers: string[] = [];
  body = "";
  ended = false;
  readonly #parser = new HTTPParser();
  readonly #type: number;
  #target: string | undefined;

  constructor(what: "requests" | "answers") {
    this.#type = what === "requests" ? HTTPParser.REQUEST : HTTPParser.RESPONSE;
    const parser = this.#parser;
    parser[HTTPParser.kOnHeaders] = (headers: string[], target: string) => {
      this.headers.push(...headers);
      this.#target ??= target;
    };
    // oxlint-disable-next-line max-params -- as the parser calls it
    parser[HTTPParser.kOnHeadersComplete] = (
      _major: number,
      minor: number,
      headers: string[] | undefined,
      method: number | undefined,
      target: string | undefined,
      status: number | undefined,
      _reason: string | undefined,
      isUpgrade: boolean,
      keepAlive: boolean,
    ): number => {
      if (headers !== undefined) this.headers.push(...headers);
      const name = method === undefined ? undefined : methodName(method);
      target ??= this.#target;
      this.head = { isHttp10: minor === 0, method: name, target, status, isUpgrade, keepAlive };
      return 0;
    };
    parser[HTTPParser.kOnBody] = (piece: Buffer) => {
      this.body += piece.toString("latin1");
    };
    parser[HTTPParser.kOnMessageComplete] = () => {
      this.ended = true;
    };
    this.begin();
  }

  /** Begins with another connection. */
  begin(): void {
    this.#parser.initialize(this.#type, {}, 1 << 20, HTTPParser.kLenientNone);
    this.forget();
  }

  /** Forgets what was read, before another message of the same connection. */
  forget(): void {
    this.head = undefined;
    this.headers = [];
    this.body = "";
    this.ended = false;
    this.#target = undefined;
  }

  /** Reads bytes; returns the code of the error that llhttp finds in them. */
  read(bytes: Buffer): string | undefined {
    const result = this.#parser.execute(bytes);
    return result instanceof Error ? String((result as NodeJS.ErrnoException).code) : undefined;
  }
}

let methodNames: Map<number, string> | undefined;

/** Node keeps to itself which of its numbers means which method. */
function methodName(method: number): string | undefined {
  if (methodNames === undefined) {
    const names = (methodNames = new Map<number, string>());
    const parser = new HTTPParser();
    for (const name of METHODS) {
      parser.initialize(HTTPParser.REQUEST, {}, 0, HTTPParser.kLenientNone);
      // oxlint-disable-next-line max-params -- as the parser calls it
      parser[HTTPParser.kOnHeadersComplete] = (_: number, __: number, ___: string[], number: number) => {
        names.set(number, name);
        return 0;
      };
      parser.execute(Buffer.from(`${name} /:1 HTTP/1.1\r\n\r\n`));
    }
  }
  return methodNames.get(method);
}
