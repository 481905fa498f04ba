/** What a target is called that is a URL: its host with its path and query, `127.0.0.1:8080` or `shop.test/cart?id=1`. */
export function nameOfUrl({ host, pathname, search }: URL): string {
  return host + (pathname === "/" ? "" : pathname) + search;
}
