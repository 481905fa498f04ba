/**
 * Returns where a request for `path` (path and query) goes: to the host of `base`, with its credentials. Whatever the path
 * is, it never leads to another host, as `//other` would if it were taken for a reference.
 */
export function urlWithPath(base: URL, path: string): URL {
  const { pathname, search } = new URL(`http://localhost${path}`);
  const url = new URL(base);
  url.pathname = pathname;
  url.search = search;
  url.hash = "";
  return url;
}
