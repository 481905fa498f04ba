/** The compression of header fields in HTTP/2: HPACK (RFC 7541). Texts are latin1: a character a byte. */

import { HTTP2, Http2Error } from "./errors.js";
import type { Fields } from "./fields.js";
import { decodeHuffman, encodeHuffman, huffmanLength } from "./huffman.js";

/** The static table, from index 1 on (RFC 7541, appendix A). */
const STATIC_FIELDS: readonly string[] = (
  ":authority |:method GET|:method POST|:path /|:path /index.html|:scheme http|:scheme https|:status 200|:status 204|" +
  ":status 206|:status 304|:status 400|:status 404|:status 500|accept-charset |accept-encoding gzip, deflate|" +
  "accept-language |accept-ranges |accept |access-control-allow-origin |age |allow |authorization |cache-control |" +
  "content-disposition |content-encoding |content-language |content-length |content-location |content-range |" +
  "content-type |cookie |date |etag |expect |expires |from |host |if-match |if-modified-since |if-none-match |if-range |" +
  "if-unmodified-since |last-modified |link |location |max-forwards |proxy-authenticate |proxy-authorization |range |" +
  "referer |refresh |retry-after |server |set-cookie |strict-transport-security |transfer-encoding |user-agent |vary |" +
  "via |www-authenticate "
).split("|");
const STATIC_NAMES: readonly string[] = STATIC_FIELDS.map((field) => field.slice(0, field.indexOf(" ")));
const STATIC_VALUES: readonly string[] = STATIC_FIELDS.map((field) => field.slice(field.indexOf(" ") + 1));

/** The index of the newest field of a dynamic table. */
const FIRST_DYNAMIC = STATIC_FIELDS.length + 1;
/** What a field counts beyond its name and value, in a table and in a list (RFC 7541, 4.1; RFC 9113, 6.5.2). */
const FIELD_COST = 32;
/** How large dynamic tables are until the settings say otherwise, in bytes. */
const TABLE_BYTES = 4096;

/** How a field begins (RFC 7541, 6), and how many bits of the same byte belong to the number behind. */
const INDEXED = 0x80;
const INDEXED_BITS = 7;
const ADDED = 0x40;
const ADDED_BITS = 6;
const TABLE_SIZE = 0x20;
const TABLE_SIZE_BITS = 5;
const NEVER_INDEXED = 0x10;
const NOT_INDEXED = 0x00;
const NOT_INDEXED_BITS = 4;
/** How a text begins (RFC 7541, 5.2). */
const HUFFMAN = 0x80;
const TEXT_BITS = 7;

/** Fields that were sent before, the newest first: at most `maxBytes` of them (RFC 7541, 2.3.2 and 4). */
class DynamicTable {
  count = 0;
  maxBytes: number;
  /** Another one after each change: what was made from the table is as good as new while it is the same. */
  version = 0;
  /** The number of the newest field. The first field that was added has number 0. */
  newest = -1;
  #bytes = 0;
  /** As many fields as there can be. The place of a field is its number modulo this. */
  readonly #places: number;
  readonly #names: string[] = [];
  readonly #values: string[] = [];

  constructor(mostBytes: number) {
    this.maxBytes = mostBytes;
    this.#places = Math.floor(mostBytes / FIELD_COST);
  }

  /** The number of the field with an index. Also the other way round: the index of the field with a number. */
  numberOf(index: number): number {
    return this.newest + FIRST_DYNAMIC - index;
  }

  name(number: number): string {
    return this.#names[number % this.#places] as string;
  }

  value(number: number): string {
    return this.#values[number % this.#places] as string;
  }

  /** Makes room for a field and adds it. One that is larger than the table only empties it (RFC 7541, 4.4). */
  add(name: string, value: string): void {
    const bytes = name.length + value.length + FIELD_COST;
    this.version++;
    this.#evict(this.maxBytes - bytes);
    if (bytes > this.maxBytes) return;
    const place = ++this.newest % this.#places;
    this.#names[place] = name;
    this.#values[place] = value;
    this.#bytes += bytes;
    this.count++;
  }

  /** `maxBytes`: not more than what the table was made for. */
  resize(maxBytes: number): void {
    if (maxBytes === this.maxBytes) return;
    this.version++;
    this.maxBytes = maxBytes;
    this.#evict(maxBytes);
  }

  /** Told of each field that is leaving. */
  protected forget(_name: string, _value: string, _number: number): void {}

  #evict(mostBytes: number): void {
    while (this.count > 0 && this.#bytes > mostBytes) {
      const number = this.newest - this.count + 1;
      const place = number % this.#places;
      const name = this.#names[place] as string;
      const value = this.#values[place] as string;
      this.#names[place] = "";
      this.#values[place] = "";
      this.#bytes -= name.length + value.length + FIELD_COST;
      this.count--;
      this.forget(name, value, number);
    }
  }
}

/** How many blocks, or lists of fields, are remembered together with what they stand for. */
const REMEMBERED = 4;
/** The longest block that is remembered, in bytes. */
const REMEMBERED_BYTES = 1024;
/** Up to so many bytes it is faster to go through them here than to call the functions of `Buffer`. */
const FEW_BYTES = 64;
const FEW_CHARACTERS = 20;

/** A block, the fields that it stands for, and the version of the table for which that is so. */
interface Remembered {
  fields: Fields;
  block: Buffer;
  length: number;
  version: number;
}

const NO_BYTES: Buffer = Buffer.alloc(0);

function createMemory(): readonly Remembered[] {
  return Array.from({ length: REMEMBERED }, () => ({ fields: [], block: NO_BYTES, length: -1, version: -1 }));
}

function rememberBlock(memory: Remembered, bytes: Buffer, from: number, to: number): void {
  const length = to - from;
  // Twice of what is needed, as the next block may be longer.
  if (memory.block.length < length) memory.block = Buffer.allocUnsafe(Math.min(2 * length, REMEMBERED_BYTES));
  copyBytes(bytes, from, to, memory.block, 0);
  memory.length = length;
}

function copyBytes(bytes: Buffer, from: number, to: number, into: Buffer, at: number): void {
  if (to - from > FEW_BYTES) bytes.copy(into, at, from, to);
  else for (let index = from, place = at; index < to;) into[place++] = bytes[index++] as number;
}

function isSame(block: Buffer, length: number, bytes: Buffer, from: number): boolean {
  if (length > FEW_BYTES) return bytes.compare(block, 0, length, from, from + length) === 0;
  for (let index = 0; index < length; index++) if (block[index] !== bytes[from + index]) return false;
  return true;
}

/** Reads the blocks of header fields of one direction of a connection, one after the other. */
export class HpackDecoder {
  readonly #mostTableBytes: number;
  readonly #headerListBytes: number;
  readonly #table: DynamicTable;
  readonly #memories = createMemory();
  #nextMemory = 0;
  /** Where reading is, and where the block ends. */
  #at = 0;
  #to = 0;

  /**
   * `mostTableBytes`: the SETTINGS_HEADER_TABLE_SIZE that the other side knows of from its first block on.
   * `headerListBytes`: the longest list that is read. Each field counts its name, its value and 32 bytes (RFC 9113, 6.5.2).
   */
  constructor(mostTableBytes = TABLE_BYTES, headerListBytes = 65_536) {
    this.#mostTableBytes = mostTableBytes;
    this.#headerListBytes = headerListBytes;
    this.#table = new DynamicTable(mostTableBytes);
    if (mostTableBytes > TABLE_BYTES) this.#table.resize(TABLE_BYTES);
  }

  /**
   * Reads a whole block. Often returns the SAME array for a block with the same bytes as one before, so that what was made
   * of the fields can be kept with it: do not change it. Returns `"too large"` for a list beyond `headerListBytes`, which is
   * not kept; blocks behind it can be read.
   *
   * @throws {Http2Error} COMPRESSION_ERROR: RFC 7541 does not allow the block. No other block can be read then.
   */
  decode(bytes: Buffer, from: number, to: number): Fields | "too large" {
    const known = this.#recall(bytes, from, to);
    if (known !== undefined) return known;
    const { version } = this.#table;
    this.#at = from;
    this.#to = to;
    this.#readTableSizes(bytes);
    const fields = this.#readFields(bytes);
    if (fields !== "too large" && version === this.#table.version) this.#remember(fields, bytes, from, to);
    return fields;
  }

  #recall(bytes: Buffer, from: number, to: number): Fields | undefined {
    const { version } = this.#table;
    const length = to - from;
    for (const known of this.#memories)
      if (known.length === length && known.version === version && isSame(known.block, length, bytes, from))
        return known.fields;
    return undefined;
  }

  #remember(fields: Fields, bytes: Buffer, from: number, to: number): void {
    if (to - from > REMEMBERED_BYTES) return;
    const memory = this.#memories[this.#nextMemory] as Remembered;
    this.#nextMemory = (this.#nextMemory + 1) % REMEMBERED;
    rememberBlock(memory, bytes, from, to);
    memory.fields = fields;
    memory.version = this.#table.version;
  }

  #readTableSizes(bytes: Buffer): void {
    while (this.#at < this.#to && isTableSize(bytes[this.#at] as number)) {
      const size = this.#readInteger(bytes, TABLE_SIZE_BITS);
      if (size > this.#mostTableBytes)
        throw badBlock(`a dynamic table of ${size} bytes, where ${this.#mostTableBytes} bytes are allowed`);
      this.#table.resize(size);
    }
  }

  #readFields(bytes: Buffer): Fields | "too large" {
    const table = this.#table;
    const fields: string[] = [];
    let listBytes = 0;
    while (this.#at < this.#to) {
      const first = bytes[this.#at] as number;
      let name: string;
      let value: string;
      if (first >= INDEXED) {
        const index = this.#readInteger(bytes, INDEXED_BITS);
        name = this.#nameAt(index);
        value = index < FIRST_DYNAMIC ? (STATIC_VALUES[index - 1] as string) : table.value(table.numberOf(index));
      } else {
        if (isTableSize(first)) throw badBlock("a size of the dynamic table behind a field, not at its beginning");
        const isAdded = first >= ADDED;
        const index = this.#readInteger(bytes, isAdded ? ADDED_BITS : NOT_INDEXED_BITS);
        name = index === 0 ? this.#readText(bytes) : this.#nameAt(index);
        value = this.#readText(bytes);
        if (isAdded) table.add(name, value);
      }
      listBytes += name.length + value.length + FIELD_COST;
      // Beyond the limit the fields are only counted: a block of a few bytes may stand for many megabytes.
      if (listBytes <= this.#headerListBytes) fields.push(name, value);
      else fields.length = 0;
    }
    return listBytes <= this.#headerListBytes ? fields : "too large";
  }

  #nameAt(index: number): string {
    if (index > 0 && index < FIRST_DYNAMIC) return STATIC_NAMES[index - 1] as string;
    const table = this.#table;
    const behind = FIRST_DYNAMIC + table.count;
    if (index === 0 || index >= behind) throw badBlock(`index ${index}, where 1 to ${behind - 1} are in use`);
    return table.name(table.numberOf(index));
  }

  /** RFC 7541, 5.1. Numbers of up to 28 bits and those in the prefix, in at most 4 bytes more. */
  #readInteger(bytes: Buffer, prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = (bytes[this.#at++] as number) & most;
    if (value < most) return value;
    for (let shift = 0; shift < 28; shift += 7) {
      if (this.#at >= this.#to) throw badBlock("an end within a number");
      const byte = bytes[this.#at++] as number;
      value += (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw badBlock("a number of more than 5 bytes");
  }

  /** RFC 7541, 5.2. */
  #readText(bytes: Buffer): string {
    if (this.#at >= this.#to) throw badBlock("an end where a text is to begin");
    const isHuffman = (bytes[this.#at] as number) >= HUFFMAN;
    const length = this.#readInteger(bytes, TEXT_BITS);
    const from = this.#at;
    const to = from + length;
    if (to > this.#to) throw badBlock(`a text of ${length} bytes, of which ${this.#to - from} are there`);
    this.#at = to;
    if (!isHuffman) return bytes.toString("latin1", from, to);
    const text = decodeHuffman(bytes, from, to);
    if (text === undefined) throw badBlock("a text with a wrong Huffman code");
    return text;
  }
}

function isTableSize(first: number): boolean {
  return (first & 0xe0) === TABLE_SIZE;
}

function badBlock(what: string): Http2Error {
  return new Http2Error(
    HTTP2.COMPRESSION_ERROR,
    `expected a block of header fields as in RFC 7541, but it has ${what}`,
  );
}

/** What the encoder knows of a name beforehand. */
interface KnownName {
  /** The first index in the static table; 0 if it is not there. */
  readonly index: number;
  /** Indexes in the static table, by value. */
  readonly values: ReadonlyMap<string, number>;
  /** How a field begins that is in no table: `ADDED`, `NOT_INDEXED` or `NEVER_INDEXED`. */
  readonly indexing: number;
}

/** Their values change with each message, and would drive repeated fields out of the table. */
const CHANGING_NAMES =
  ":path|age|content-length|etag|if-modified-since|if-none-match|location|set-cookie|grpc-message|grpc-timeout|" +
  "traceparent|x-request-id";
/** What may be guessed byte by byte from how well it compresses (RFC 7541, 7.1.3). */
const SECRET_NAMES = "authorization|proxy-authorization";
/** A shorter cookie is easy to guess. */
const SAFE_COOKIE = 20;

const KNOWN_NAMES: ReadonlyMap<string, KnownName> = listKnownNames();

function listKnownNames(): ReadonlyMap<string, KnownName> {
  const changing = CHANGING_NAMES.split("|");
  const secret = SECRET_NAMES.split("|");
  const known = new Map<string, KnownName & { readonly values: Map<string, number> }>();
  for (const name of new Set([...STATIC_NAMES, ...changing])) {
    const indexing = changing.includes(name) ? NOT_INDEXED : secret.includes(name) ? NEVER_INDEXED : ADDED;
    known.set(name, { index: STATIC_NAMES.indexOf(name) + 1, values: new Map(), indexing });
  }
  for (const [place, name] of STATIC_NAMES.entries())
    known.get(name)?.values.set(STATIC_VALUES[place] as string, place + 1);
  return known;
}

/** The numbers of the fields with one name. */
interface NameNumbers {
  newest: number;
  readonly byValue: Map<string, number>;
}

/** A dynamic table in which fields are found by name and value. */
class SearchableTable extends DynamicTable {
  readonly #names = new Map<string, NameNumbers>();

  find(name: string): NameNumbers | undefined {
    return this.#names.get(name);
  }

  override add(name: string, value: string): void {
    super.add(name, value);
    const numbers = this.#names.get(name);
    if (numbers === undefined) {
      this.#names.set(name, { newest: this.newest, byValue: new Map([[value, this.newest]]) });
    } else {
      numbers.newest = this.newest;
      numbers.byValue.set(value, this.newest);
    }
  }

  protected override forget(name: string, value: string, number: number): void {
    const numbers = this.#names.get(name) as NameNumbers;
    numbers.byValue.delete(value);
    if (numbers.newest === number) this.#names.delete(name);
  }
}

/** The most that a field takes beyond its name and value: its first byte and two lengths, of 5 bytes each. */
const BOUND_OF_FIELD = 12;
/** The most that sizes of the table take at the beginning of a block. */
const BOUND_OF_SIZES = 16;

/** A number of bytes that is enough for the block of these fields, with any table of the encoder. */
export function boundOf(fields: Fields): number {
  let bytes = BOUND_OF_SIZES + (fields.length / 2) * BOUND_OF_FIELD;
  for (const text of fields) bytes += text.length;
  return bytes;
}

/** Writes the blocks of header fields of one direction of a connection, one after the other. */
export class HpackEncoder {
  readonly #table = new SearchableTable(TABLE_BYTES);
  readonly #memories = createMemory();
  #nextMemory = 0;
  /** What the next block has to say of the table's size: the least since the last block, and the one that holds. */
  #leastBytes = TABLE_BYTES;
  #mostBytes = TABLE_BYTES;

  /** Takes the other side's SETTINGS_HEADER_TABLE_SIZE. At most 4096 bytes of it are used. The next block says so (RFC 7541, 4.2). */
  setMaxTableBytes(bytes: number): void {
    this.#mostBytes = Math.min(bytes, TABLE_BYTES);
    this.#leastBytes = Math.min(this.#leastBytes, this.#mostBytes);
  }

  /**
   * Writes the block of these fields, for which there are `boundOf(fields)` bytes; returns where it ends. The array may be
   * remembered: do not change it afterwards.
   */
  encode(fields: Fields, into: Buffer, at: number): number {
    const table = this.#table;
    const isSameSize = this.#mostBytes === table.maxBytes && this.#leastBytes === table.maxBytes;
    const known = this.#recall(fields);
    if (isSameSize && known !== undefined && known.version === table.version) {
      copyBytes(known.block, 0, known.length, into, at);
      return at + known.length;
    }
    const { version } = table;
    let end = isSameSize ? at : this.#writeTableSizes(into, at);
    for (let index = 0; index < fields.length; index += 2)
      end = this.#writeField(fields[index] as string, fields[index + 1] as string, into, end);
    if (version === table.version && end - at <= REMEMBERED_BYTES) this.#remember(known, fields, into, at, end);
    return end;
  }

  #recall(fields: Fields): Remembered | undefined {
    for (const memory of this.#memories) if (memory.fields === fields) return memory;
    return undefined;
  }

  /** Remembers the fields the first time, and their block when they come again. */
  #remember(known: Remembered | undefined, fields: Fields, into: Buffer, at: number, end: number): void {
    if (known !== undefined) {
      rememberBlock(known, into, at, end);
      known.version = this.#table.version;
      return;
    }
    const memory = this.#memories[this.#nextMemory] as Remembered;
    this.#nextMemory = (this.#nextMemory + 1) % REMEMBERED;
    memory.fields = fields;
    memory.version = -1;
  }

  #writeTableSizes(into: Buffer, at: number): number {
    const least = this.#leastBytes;
    const most = this.#mostBytes;
    let end = at;
    if (least < most && least < this.#table.maxBytes) {
      this.#table.resize(least);
      end = writeInteger(into, end, TABLE_SIZE, TABLE_SIZE_BITS, least);
    }
    this.#table.resize(most);
    this.#leastBytes = most;
    return writeInteger(into, end, TABLE_SIZE, TABLE_SIZE_BITS, most);
  }

  #writeField(name: string, value: string, into: Buffer, at: number): number {
    const table = this.#table;
    const known = KNOWN_NAMES.get(name);
    let nameIndex = 0;
    let indexing = ADDED;
    if (known !== undefined) {
      const index = known.values.get(value);
      if (index !== undefined) return writeInteger(into, at, INDEXED, INDEXED_BITS, index);
      nameIndex = known.index;
      indexing = name === "cookie" && value.length < SAFE_COOKIE ? NEVER_INDEXED : known.indexing;
    }
    if (indexing === ADDED || (indexing === NOT_INDEXED && nameIndex === 0)) {
      const numbers = table.find(name);
      // A changing field enters the table once, so that its name is there.
      if (numbers === undefined) indexing = ADDED;
      if (numbers !== undefined) {
        const number = numbers.byValue.get(value);
        if (number !== undefined) return writeInteger(into, at, INDEXED, INDEXED_BITS, table.numberOf(number));
        if (nameIndex === 0) nameIndex = table.numberOf(numbers.newest);
      }
      // One large field would drive out all others.
      if (name.length + value.length + FIELD_COST > table.maxBytes * 0.75) indexing = NOT_INDEXED;
    }
    let end = writeInteger(into, at, indexing, indexing === ADDED ? ADDED_BITS : NOT_INDEXED_BITS, nameIndex);
    if (nameIndex === 0) end = writeText(into, end, name, indexing === ADDED);
    end = writeText(into, end, value, indexing === ADDED);
    if (indexing === ADDED) table.add(name, value);
    return end;
  }
}

/** RFC 7541, 5.1. Returns where it ends. */
function writeInteger(into: Buffer, at: number, pattern: number, prefixBits: number, value: number): number {
  const most = (1 << prefixBits) - 1;
  if (value < most) {
    into[at] = pattern | value;
    return at + 1;
  }
  into[at] = pattern | most;
  let end = at + 1;
  let rest = value - most;
  for (; rest >= 0x80; rest >>>= 7) into[end++] = 0x80 | rest;
  into[end++] = rest;
  return end;
}

/**
 * RFC 7541, 5.2. Texts that enter the table are written in Huffman code where that is shorter. It takes both sides about ten
 * times the time of the plain text, which pays for what is sent once. Returns where it ends.
 */
function writeText(into: Buffer, at: number, text: string, isAdded: boolean): number {
  const { length } = text;
  if (isAdded) {
    const coded = huffmanLength(text);
    if (coded < length) return encodeHuffman(text, into, writeInteger(into, at, HUFFMAN, TEXT_BITS, coded));
  }
  const from = writeInteger(into, at, 0, TEXT_BITS, length);
  if (length > FEW_CHARACTERS) into.write(text, from, "latin1");
  else for (let index = 0; index < length; index++) into[from + index] = text.charCodeAt(index);
  return from + length;
}
