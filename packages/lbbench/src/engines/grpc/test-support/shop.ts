import { fileURLToPath } from "node:url";
import { findMethod, type ProtoMethod } from "../call.js";

/** Folder of the files below. */
export const PROTO_FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** A service with two unary methods and two that stream, and messages with every kind of field. */
const SHOP_PROTO = fileURLToPath(new URL("shop.proto", import.meta.url));

/** Its method `Buy`, which takes an `Order` and returns a `Receipt`. */
export function buyMethod(): ProtoMethod {
  return findMethod(SHOP_PROTO, "shop.v1.Shop/Buy", PROTO_FOLDER);
}
