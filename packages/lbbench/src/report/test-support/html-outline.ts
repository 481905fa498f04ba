import { defined } from "../../stats/defined.js";
/** A start tag of a page. */
export interface OutlineTag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Elements that it stands in, outermost first. */
  readonly inside: readonly string[];
  /** What stands in it, of elements that hold text alone. */
  readonly raw?: string;
}

const VOID = new Set(["meta"]);
const RAW = new Set(["script", "style", "title"]);
const TAG = /<(?:!doctype html|(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<>]*")?)*)\s*)>/y;
const ATTRIBUTE = /([a-z-]+)(?:="([^"]*)")?/g;

/**
 * Reads the elements of a page as strictly as our own pages are written: every tag is closed, every attribute quoted, and a `<` begins a
 * tag. Throws where one is not, because what was let through there came from outside.
 */
export function outlineHtml(html: string): readonly OutlineTag[] {
  const tags: OutlineTag[] = [];
  const open: string[] = [];
  for (let at = html.indexOf("<"); at !== -1; at = html.indexOf("<", at)) {
    TAG.lastIndex = at;
    const match = TAG.exec(html);
    if (match === null) throw new Error(`no tag of ours: ${html.slice(at, at + 80)}`);
    at += match[0].length;
    const [, slash = "", name, attributes = ""] = match;
    if (name === undefined) continue;
    if (slash !== "") {
      if (open.pop() !== name) throw new Error(`${name} is closed before it was opened: ${html.slice(at - 200, at)}`);
      continue;
    }
    const end = RAW.has(name) ? html.indexOf(`</${name}>`, at) : at;
    tags.push({
      name,
      attributes: new Map([...attributes.matchAll(ATTRIBUTE)].map(([, key = "", value = ""]) => [key, value])),
      inside: [...open],
      ...defined({ raw: RAW.has(name) ? html.slice(at, end) : undefined }),
    });
    if (!VOID.has(name)) open.push(name);
    at = end;
  }
  if (open.length > 0) throw new Error(`never closed: ${open.join(", ")}`);
  return tags;
}
