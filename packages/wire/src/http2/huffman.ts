/** The Huffman code of HPACK (RFC 7541, 5.2 and appendix B). Texts are latin1: a character a byte. */

/** The bits of each code, from character 0 to 255, and of the end of a string: `a` is 5 bits, `z` is 30. */
const BITS =
  "isxxxxxxxtzxxzxxxxxxxxzxxxxxxxxxbffhibdgffdgdbbbaaabbbbbbbcdkbhfibccccccccccccccccccccccdcdioijbkabababbbaccbbbabcbaabccccckgji" +
  "xprpprrrsrssssststtrstssssqrsrsstrqprrssqsrrtqrssqqrqsrssprrrsrrsvvporsruvvvwwvtuoqvwwvwtqqvvxwwwptpqrqqsrruuttvsvwvvwwwwwxwwwwwvz";
const END_OF_STRING = 256;
const LONGEST_CODE = 30;
/** As many bits as are looked up at once. The characters of most texts have codes of 8 bits at most. */
const LOOKED_UP = 8;

const LENGTHS = Uint8Array.from(BITS, (letter) => letter.charCodeAt(0) - "a".charCodeAt(0) + 5);
const CODES = new Uint32Array(LENGTHS.length);
/** The characters in the order of their codes. */
const BY_CODE = new Uint16Array(LENGTHS.length);
/** For a length of a code: the first code that is longer, as the highest of 32 bits. */
const LONGER_FROM = new Float64Array(LONGEST_CODE + 1);
/** For a length of a code: what to add to a code to get its place in `BY_CODE`. */
const PLACES = new Int32Array(LONGEST_CODE + 1);
/** For each 8 bits: the character that they begin with, and above it the length of its code; 0 if the code is longer. */
const SHORT_CODES = new Uint16Array(1 << LOOKED_UP);

// The code is canonical: codes of one length follow each other in the order of the characters, shorter codes come first.
let nextCode = 0;
let nextPlace = 0;
for (let length = 1; length <= LONGEST_CODE; length++) {
  nextCode *= 2;
  PLACES[length] = nextPlace - nextCode;
  for (let character = 0; character < LENGTHS.length; character++) {
    if (LENGTHS[character] !== length) continue;
    if (length <= LOOKED_UP) {
      const from = nextCode << (LOOKED_UP - length);
      SHORT_CODES.fill((length << 8) | character, from, from + (1 << (LOOKED_UP - length)));
    }
    CODES[character] = nextCode++;
    BY_CODE[nextPlace++] = character;
  }
  LONGER_FROM[length] = nextCode * 2 ** (32 - length);
}

/** Where texts are put together: longer ones get memory of their own. */
const SPARE = Buffer.allocUnsafeSlow(8192);

/** Decodes a text; `undefined` if the bytes are not a Huffman code with the padding that RFC 7541, 5.2 asks for. */
export function decodeHuffman(bytes: Buffer, from: number, to: number): string | undefined {
  const most = Math.floor(((to - from) * 8) / 5);
  const text = most <= SPARE.length ? SPARE : Buffer.allocUnsafe(most);
  let length = 0;
  let at = from;
  /** The bits that have been read and not yet decoded, and above them some that have been decoded. */
  let bits = 0;
  let count = 0;
  for (;;) {
    while (count < LOOKED_UP && at < to) {
      bits = (bits << 8) | (bytes[at++] as number);
      count += 8;
    }
    // Behind the end there are ones, as in the padding.
    const next = count >= LOOKED_UP ? bits >>> (count - LOOKED_UP) : (bits << (LOOKED_UP - count)) | (0xff >>> count);
    const short = SHORT_CODES[next & 0xff] as number;
    if (short !== 0) {
      const codeLength = short >>> 8;
      if (codeLength > count) return undefined;
      text[length++] = short;
      count -= codeLength;
      continue;
    }
    if (count < LOOKED_UP && (next & 0xff) === 0xff) return text.toString("latin1", 0, length);
    const position = at * 8 - count;
    const window = bitsAt(bytes, position, to);
    let codeLength = LOOKED_UP + 1;
    while (window >= (LONGER_FROM[codeLength] as number)) codeLength++;
    if (position + codeLength > to * 8) return undefined;
    const character = BY_CODE[(PLACES[codeLength] as number) + (window >>> (32 - codeLength))] as number;
    if (character === END_OF_STRING) return undefined;
    text[length++] = character;
    const behind = position + codeLength;
    at = Math.ceil(behind / 8);
    count = at * 8 - behind;
    bits = bytes[at - 1] as number;
  }
}

/** The 32 bits from a position in bits on; ones behind the end. */
function bitsAt(bytes: Buffer, position: number, to: number): number {
  const at = position >>> 3;
  const skipped = position & 7;
  const byte = (index: number): number => (index < to ? (bytes[index] as number) : 0xff);
  const four = (byte(at) << 24) | (byte(at + 1) << 16) | (byte(at + 2) << 8) | byte(at + 3);
  return ((four << skipped) | (byte(at + 4) >>> (8 - skipped))) >>> 0;
}

/** How many bytes the code of a text takes. */
export function huffmanLength(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at++) bits += LENGTHS[text.charCodeAt(at) & 0xff] as number;
  return (bits + 7) >>> 3;
}

/** Writes the code of a text, which takes `huffmanLength(text)` bytes; returns where it ends. */
export function encodeHuffman(text: string, into: Buffer, at: number): number {
  let end = at;
  /** The bits that have not been written, and above them some that have been. */
  let bits = 0;
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index) & 0xff;
    let code = CODES[character] as number;
    let length = LENGTHS[character] as number;
    // With up to 7 bits from before, 16 more fit into the 32 bits of a number at any time.
    if (length > 16) {
      length -= 16;
      bits = (bits << length) | (code >>> 16);
      count += length;
      while (count >= 8) into[end++] = bits >>> (count -= 8);
      code &= 0xffff;
      length = 16;
    }
    bits = (bits << length) | code;
    count += length;
    while (count >= 8) into[end++] = bits >>> (count -= 8);
  }
  // Padded with ones, the beginning of the code of the string's end.
  if (count > 0) into[end++] = (bits << (8 - count)) | (0xff >>> count);
  return end;
}
