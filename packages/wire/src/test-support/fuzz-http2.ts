import type { Draws } from "@lbbench/test-support/draws.js";
import type { Fields } from "../http2/fields.js";
import { FLAG, FRAME, FRAME_HEAD, SETTING } from "../http2/frames.js";
import { boundOf, HpackEncoder } from "../http2/hpack.js";
import { encodeHuffman, huffmanLength } from "../http2/huffman.js";
import {
  frame,
  goaway,
  literalText,
  resetStream,
  settings,
  uint32,
  windowUpdate,
} from "@lbbench/test-support/http2-frames.js";

/** Which side says what is drawn: a client says requests, a server answers. */
export type Said = "requests" | "answers";

/** A message as it was meant, before anything was changed. */
export interface Message {
  readonly id: number;
  readonly heads: readonly Fields[];
  readonly body: string;
  readonly trailers: Fields | undefined;
}

/** What one side says on a connection behind its preface and SETTINGS. */
export interface Conversation {
  /** Methods of the requests to which it has answers; their streams are 1, 3, 5... */
  readonly methods: readonly string[];
  /** The bytes of sequences of frames, one behind the other. */
  readonly sequences: readonly Buffer[];
  /** What it means; `undefined` where something about it is odd. */
  readonly meant: readonly Message[] | undefined;
}

const listOf = (texts: string): readonly string[] => texts.split(" | ");
const METHODS = listOf("GET | GET | POST | POST | HEAD | PUT | OPTIONS | M-SEARCH");
const PATHS = listOf("/ | /index.html | /a?b=c | /%20/../x | /caf\xe9 | //x | /long/path/that/comes/again");
const STATUSES = listOf("200 | 200 | 200 | 204 | 304 | 404 | 500 | 999 | 206");
const FIELDS = listOf(
  "x-a: b | x-a: b | accept: */* | cookie: a=b | cookie: a=b; c=d; long-enough-to-be-indexed=1 | user-agent: x/1 (y) | x-empty: | " +
    'x-latin: \xe9\xff | te: trailers | etag: "x" | authorization: secret | accept-encoding: gzip, deflate | x-tab: a\tb | date: d | ' +
    "x-request-id: 1234567890 | grpc-status: 0 | __proto__: x | constructor: y | 0: 1 | x-long: " +
    "v".repeat(150),
);
const ODD_FIELDS = listOf(
  "X-A: b | x a: b | x-a: \0 | x-a: b\r | x-a: b\nc | x-a:  b | x-a: b  | x-a: b\t | x-a: \x7f | : b | connection: close | " +
    "transfer-encoding: chunked | upgrade: h2c | keep-alive: a | proxy-connection: a | te: gzip | te: trailers, gzip | host: a | host: b | " +
    "content-length: 3 | content-length: 0 | content-length: +3 | content-length: 3,3 | content-length: 03 | content-length:  | " +
    "content-length: 99999999999999999999 | content-length: -1 | x\xe9: b | x:y: b | x-a: \x01 | x(: b | \xff: b",
);
const ODD_PSEUDO = listOf(
  ":path: | :path: a | :path: * | :path: /a b | :path: /\r\n | :path: /\x7f | :method: | :method: G T | :method: CONNECT | " +
    ":method: OPTIONS | :scheme: | :scheme: h\nttp | :scheme: ws | :authority: | :authority: a b | :authority: u@a | " +
    ":authority: \xff | :status: 101 | :status: 100 | :status: 2000 | :status: 099 | :status: 20 | :status: 2x0 | " +
    ":protocol: websocket | :x: y",
);

/** Sizes of the dynamic table: 0, 16, 100, 200, 400 and 4096 bytes (RFC 7541, 6.3). */
const TABLE_SIZES = [[0x20], [0x30], [0x3f, 0x45], [0x3f, 0xa9, 0x01], [0x3f, 0xf1, 0x02], [0x3f, 0xe1, 0x1f]];
/** 4097 bytes. */
const TABLE_TOO_LARGE = [0x3f, 0xe2, 0x1f];

/** Draws what one side says: well-formed sequences of frames, in most of which something is changed then. */
export function drawConversation(draws: Draws, said: Said): Conversation {
  return new Drawing(draws, said).draw();
}

class Drawing {
  readonly #draws: Draws;
  readonly #said: Said;
  readonly #encoder = new HpackEncoder();
  /** Blocks are made without the encoder, which would not know of their fields in the table. */
  readonly #isHandMade: boolean;
  /** How likely something odd is in a message. */
  readonly #oddity: number;
  readonly #mutates: boolean;
  readonly #methods: string[] = [];
  readonly #meant: Message[] = [];

  constructor(draws: Draws, said: Said) {
    this.#draws = draws;
    this.#said = said;
    this.#isHandMade = draws.chance(0.4);
    const isPlain = draws.chance(0.2);
    this.#mutates = !isPlain && draws.chance(0.7);
    this.#oddity = isPlain ? 0 : this.#mutates ? draws.of([0, 0, 0.05]) : draws.of([0.05, 0.2]);
  }

  draw(): Conversation {
    const draws = this.#draws;
    const sequences: Buffer[] = [];
    const count = 2 + draws.below(5);
    for (let sequence = 0; sequence < count; sequence++) {
      const frames = this.#drawSequence();
      if (this.#mutates && draws.chance(0.75))
        do mutate(draws, frames, 2 * this.#methods.length + 1);
        while (draws.chance(0.3));
      sequences.push(Buffer.concat(frames));
    }
    const isPlain = !this.#mutates && this.#oddity === 0;
    return { methods: this.#methods, sequences, meant: isPlain ? this.#meant : undefined };
  }

  #drawSequence(): Buffer[] {
    const draws = this.#draws;
    const streams = Array.from({ length: 1 + draws.below(2) }, () => this.#drawStream());
    const frames: Buffer[] = [];
    const begun = new Set<(() => Buffer[])[]>();
    for (let left = streams; left.length > 0; left = left.filter((stream) => stream.length > 0)) {
      // Streams are opened in the order of their numbers.
      const next = left.find((stream) => !begun.has(stream));
      const stream = draws.of(left.filter((one) => one === next || begun.has(one)));
      begun.add(stream);
      frames.push(...(stream.shift() as () => Buffer[])());
      if (draws.chance(0.15)) frames.push(this.#drawControl());
    }
    return frames;
  }

  /** Parts of a message; each makes the frames that stand together, when it is its turn to be encoded. */
  #drawStream(): (() => Buffer[])[] {
    const draws = this.#draws;
    const isRequest = this.#said === "requests";
    const id = 2 * this.#methods.length + 1;
    const method = draws.of(METHODS);
    this.#methods.push(method);
    const status = draws.of(STATUSES);
    const hasBody = (isRequest || (method !== "HEAD" && status !== "204" && status !== "304")) && draws.chance(0.7);
    const pieces = hasBody ? Array.from({ length: draws.below(4) }, () => "abcdefghi".slice(draws.below(9))) : [];
    const body = pieces.join("");
    const head = isRequest ? this.#drawRequest(method) : [":status", status];
    const hasLength = draws.chance(0.3) && status !== "204";
    const fields = [...head, ...this.#drawFields(), ...(hasLength ? ["content-length", String(body.length)] : [])];
    this.#distort(fields);
    const trailers = draws.chance(0.2) ? ["x-end", "yes", ...this.#drawFields()] : undefined;
    if (trailers !== undefined) this.#distort(trailers);
    const interim = isRequest || draws.chance(0.85) ? [] : [[":status", "103", "link", "x"]];
    const endsEarly = pieces.length === 0 && trailers === undefined;
    this.#meant.push({ id, heads: [...interim, fields], body, trailers });

    const parts = interim.map((one) => () => this.#headers(id, one, false));
    parts.push(() => this.#headers(id, fields, endsEarly));
    for (const [index, piece] of pieces.entries()) {
      const ends = trailers === undefined && index === pieces.length - 1;
      parts.push(() => [this.#data(id, piece, ends)]);
    }
    if (trailers !== undefined) parts.push(() => this.#headers(id, trailers, true));
    if (draws.chance(0.1)) parts.push(() => [windowUpdate(id, 1 + draws.below(1000))]);
    // Behind all that was said: nothing of the message is lost by it.
    if (this.#oddity > 0 && draws.chance(0.1)) parts.splice(1 + draws.below(parts.length), 0, () => [resetStream(id)]);
    return parts;
  }

  #drawRequest(method: string): string[] {
    const draws = this.#draws;
    const pairs = [
      [":method", method],
      [":scheme", draws.of(["http", "https"])],
      [":path", draws.of(PATHS)],
      [":authority", "a"],
    ];
    // Their order is free.
    if (draws.chance(0.3)) pairs.push(pairs.shift() as string[]);
    if (draws.chance(0.2)) {
      pairs.splice(
        pairs.findIndex(([name]) => name === ":authority"),
        1,
      );
      pairs.push(["host", "a"]);
    }
    return pairs.flat();
  }

  #drawFields(): string[] {
    const fields: string[] = [];
    while (this.#draws.chance(0.6)) fields.push(...split(this.#draws.of(FIELDS)));
    return fields;
  }

  /** Does something odd to a list of fields, now and then. */
  #distort(fields: string[]): void {
    const draws = this.#draws;
    while (draws.chance(this.#oddity)) {
      const at = 2 * draws.below(fields.length / 2 + 1);
      const of = 2 * draws.below(Math.max(1, fields.length / 2));
      const way = draws.below(5);
      if (way === 0) fields.push(...split(draws.of(ODD_FIELDS)));
      else if (way === 1) fields.splice(at, 0, ...split(draws.of(ODD_FIELDS)));
      else if (way === 2) fields.splice(of, 2);
      else if (way === 3) fields.splice(at, 0, ...split(draws.of(ODD_PSEUDO)));
      else {
        const [name, value] = split(draws.of(ODD_PSEUDO));
        const place = fields.indexOf(name);
        if (place >= 0 && place % 2 === 0) fields[place + 1] = value;
      }
    }
  }

  #headers(id: number, fields: Fields, ends: boolean): Buffer[] {
    const draws = this.#draws;
    let payload = this.#isHandMade ? this.#handMade(fields) : this.#encode(fields);
    const later: Buffer[] = [];
    while (draws.chance(0.15)) {
      const at = draws.below(payload.length + 1);
      later.unshift(payload.subarray(at));
      payload = payload.subarray(0, at);
    }
    let flags = ends ? FLAG.END_STREAM : 0;
    if (draws.chance(0.15)) {
      flags |= FLAG.PRIORITY;
      payload = Buffer.concat([uint32(draws.of([0, 0, id + 2, 0x80000000])), Buffer.from([draws.below(256)]), payload]);
    }
    if (draws.chance(0.15)) {
      flags |= FLAG.PADDED;
      payload = padded(draws, payload);
    }
    if (later.length === 0) flags |= FLAG.END_HEADERS;
    return [
      frame(FRAME.HEADERS, flags, id, payload),
      ...later.map((piece, index) =>
        frame(FRAME.CONTINUATION, index === later.length - 1 ? FLAG.END_HEADERS : 0, id, piece),
      ),
    ];
  }

  #data(id: number, piece: string, ends: boolean): Buffer {
    const flags = ends ? FLAG.END_STREAM : 0;
    const bytes = Buffer.from(piece);
    if (!this.#draws.chance(0.2)) return frame(FRAME.DATA, flags, id, bytes);
    return frame(FRAME.DATA, flags | FLAG.PADDED, id, padded(this.#draws, bytes));
  }

  #encode(fields: Fields): Buffer {
    const bytes = Buffer.alloc(boundOf(fields));
    return bytes.subarray(0, this.#encoder.encode(fields, bytes, 0));
  }

  /** A block with each kind of field, and now and then something odd (RFC 7541, 6). */
  #handMade(fields: Fields): Buffer {
    const draws = this.#draws;
    const isOdd = this.#oddity > 0 && draws.chance(0.5);
    const pieces: Buffer[] = [];
    while (draws.chance(0.15)) pieces.push(Buffer.from(draws.of(TABLE_SIZES)));
    if (isOdd && draws.chance(0.05)) pieces.push(Buffer.from(TABLE_TOO_LARGE));
    for (let at = 0; at < fields.length; at += 2) {
      pieces.push(Buffer.from([draws.of([0x00, 0x10, 0x40, 0x40])]));
      pieces.push(this.#text(fields[at] as string), this.#text(fields[at + 1] as string));
      if (isOdd && draws.chance(0.2))
        pieces.push(Buffer.from([draws.of([0x80 | draws.below(128), 0xbe + draws.below(6), 0xbe + draws.below(6)])]));
      if (isOdd && draws.chance(0.2))
        pieces.push(Buffer.from([draws.of([0x40, 0x00, 0x10]) | draws.below(64), 1, 0x62]));
    }
    return Buffer.concat(pieces);
  }

  #text(text: string): Buffer {
    const length = huffmanLength(text);
    if (length > 126 || this.#draws.chance(0.5)) return literalText(text);
    const bytes = Buffer.alloc(1 + length);
    bytes[0] = 0x80 | length;
    encodeHuffman(text, bytes, 1);
    return bytes;
  }

  /** A frame of the connection, or about a stream, that says nothing of a message. */
  #drawControl(): Buffer {
    const draws = this.#draws;
    const any = 2 * draws.below(this.#methods.length) + 1;
    return draws.of([
      () => settings([SETTING.INITIAL_WINDOW_SIZE, draws.below(100_000)], [SETTING.MAX_FRAME_SIZE, 16_384]),
      () => settings([SETTING.HEADER_TABLE_SIZE, draws.of([0, 100, 4096, 65_536])], [0xf0, 1]),
      () => frame(FRAME.PING, 0, 0, Buffer.from("12345678")),
      () => windowUpdate(0, 1 + draws.below(1000)),
      () => frame(FRAME.PRIORITY, 0, any, Buffer.from([0, 0, 0, 0, 9])),
      () => frame(draws.of([0x0b, 0x10, 0xfa]), draws.below(256), any, Buffer.from("not known")),
      () => settings(),
    ])();
  }
}

function split(line: string): readonly [name: string, value: string] {
  const at = line.indexOf(": ", 1);
  return at < 0 ? [line.slice(0, line.length - 1), ""] : [line.slice(0, at), line.slice(at + 2)];
}

function padded(draws: Draws, payload: Buffer): Buffer {
  const length = draws.of([0, 1, 7, 255]);
  return Buffer.concat([Buffer.from([length]), payload, Buffer.alloc(length)]);
}

/** Changes one thing about a sequence of frames. `nextId`: of a stream that is not there. */
function mutate(draws: Draws, frames: Buffer[], nextId: number): void {
  const at = draws.below(frames.length);
  const one = frames[at];
  if (one === undefined) return;
  const other = Buffer.from(one);
  const put = (place: number, value: number): void => {
    other[place] = value;
    frames[at] = other;
  };
  const byteAt = (place: number): number => one[place] as number;
  draws.of<() => unknown>([
    () => put(FRAME_HEAD + draws.below(Math.max(1, one.length - FRAME_HEAD)), draws.below(256)),
    () => put(draws.below(one.length), draws.below(256)),
    () => {
      const place = draws.below(one.length);
      put(place, byteAt(place) ^ (1 << draws.below(8)));
    },
    () => put(4, byteAt(4) ^ draws.of([FLAG.END_STREAM, FLAG.END_HEADERS, FLAG.PADDED, FLAG.PRIORITY])),
    () => put(2, byteAt(2) + draws.of([-1, 1, -4, 5])),
    () => {
      other.writeUInt32BE(draws.of([0, 1, 2, 3, nextId, nextId - 2, nextId + 1, 0x80000001]), 5);
      frames[at] = other;
    },
    () => put(3, draws.below(11)),
    () => frames.splice(at, 1),
    () => frames.splice(at, 0, one),
    () => frames.splice(draws.below(frames.length), 0, ...frames.splice(at, 1)),
    () => {
      const cut = one.subarray(FRAME_HEAD, FRAME_HEAD + draws.below(one.length - FRAME_HEAD + 1));
      frames[at] = frame(byteAt(3), byteAt(4), one.readUInt32BE(5), cut);
    },
    () => {
      const [type, flags, stream] = [draws.below(11), draws.below(64), draws.of([0, 1, 3, nextId])];
      frames.splice(at, 0, frame(type, flags, stream, uint32(draws.below(3))));
    },
    () => {
      const isGoaway = draws.chance(0.5);
      const added = isGoaway ? goaway(draws.of([0, 1, 3, 0x7fffffff])) : resetStream(draws.of([1, 3, nextId - 2]));
      frames.splice(at, 0, added);
    },
  ])();
}
