import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

function filesOf(name: string) {
  const file = (part: string): string => fileURLToPath(new URL(`certificates/${name}-${part}.pem`, import.meta.url));
  return { cert: file("cert"), key: file("key") };
}

function read(name: string) {
  const { cert, key } = filesOf(name);
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

/** Signed by itself, for `localhost` and 127.0.0.1, until 2126. */
export const LOCALHOST = read("localhost");
export const LOCALHOST_FILES = filesOf("localhost");

/** Signed by itself, for `app.internal`, until 2126. */
export const INTERNAL = read("internal");

/** Signed by themselves, until 2126: for `shop.test` and `*.shop.test`, the same with a key of RSA in place of EC, and for `cart.shop.test`. */
export const SHOP = read("shop");
export const SHOP_RSA = read("shop-rsa");
export const CART = read("cart");
