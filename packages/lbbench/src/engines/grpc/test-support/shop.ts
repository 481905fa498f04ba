import { fileURLToPath } from "node:url";
import { findMethod, type ProtoMethod } from "../find-method.js";
import { loadProto } from "../load-proto.js";

/** Folder of the files below. */
export const PROTO_FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** A service with two unary methods and two that stream, and messages with every kind of field. */
export const SHOP_PROTO = fileURLToPath(new URL("shop.proto", import.meta.url));

/** Its method `Buy`, which takes an `Order` and returns a `Receipt`. */
export async function buyMethod(): Promise<ProtoMethod> {
  return findMethod(await loadProto(SHOP_PROTO, PROTO_FOLDER), "shop.v1.Shop/Buy", SHOP_PROTO);
}
