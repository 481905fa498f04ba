import { generatorEngine } from "../generators.js";

/**
 * Closed loop over keep-alive connections, by the clients of autocannon in child processes of their own, with an
 * accounting, a clock and histograms of ours.
 *
 * Its parser forgives what RFC 9112 does not, and `wire` refuses: lines that end with LF alone, an empty line first, folded lines, lines without
 * a name or a colon, NUL and control characters, heads above 64 kB, HTTP/1.2 and above, a status of four digits; a length twice or beside chunks,
 * a length or the size of a chunk with `+` or `0x`, blanks behind that size, chunks twice or in HTTP/1.0, interim answers with a length.
 */
export const autocannonEngine = generatorEngine({
  name: "autocannon",
  supports: {
    protocols: ["http"],
    loads: ["connections"],
    keepAliveOff: false,
    slices: true,
    fills: true,
    serverTiming: true,
    tlsVerification: true,
  },
  share: ({ options }) => ({ options }),
});
