import type { PrintedLines } from "../../engines/programs/printed.js";

/** Returns the address that ab says it asked; nothing where a block does not have all of it, as one that was cut out of its output. */
export function readAbAddress(lines: PrintedLines): { readonly url?: string } {
  const host = lines.find("Server Hostname:", /^ +(\S+)$/)?.[0];
  const port = lines.find("Server Port:", /^ +(\d{1,5})$/)?.[0];
  const path = lines.find("Document Path:", /^ +(\S*)$/)?.[0];
  if (host === undefined || port === undefined || path === undefined) return {};
  if (Number(port) === 0 || Number(port) > 65_535)
    throw lines.error(`expected a "Server Port" from 1 to 65535, got ${port}`);
  const scheme = lines.find("SSL/TLS Protocol:", /^ +(\S.*)$/) === undefined ? "http" : "https";
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  const text = `${scheme}://${name}:${port}${path}`;
  if (!URL.canParse(text)) throw lines.error(`host, port and path make no URL: ${JSON.stringify(text)}`);
  return { url: new URL(text).href };
}
