import { readFileSync } from "node:fs";

function read(name: string) {
  const part = (what: string): Buffer => readFileSync(new URL(`certificates/${name}-${what}.pem`, import.meta.url));
  return { cert: part("cert"), key: part("key") };
}

/** Signed by itself, for `localhost` and 127.0.0.1, until 2126. */
export const LOCALHOST = read("localhost");

/** Signed by itself, for `app.internal`, until 2126. */
export const INTERNAL = read("internal");

/** Signed by themselves, until 2126: for `shop.test` and `*.shop.test`, the same with a key of RSA in place of EC, and for `cart.shop.test`. */
export const SHOP = read("shop");
export const SHOP_RSA = read("shop-rsa");
export const CART = read("cart");
