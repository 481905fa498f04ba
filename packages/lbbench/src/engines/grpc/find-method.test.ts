import type { PackageDefinition } from "@grpc/proto-loader";
import { beforeAll, describe, expect, it } from "vitest";
import { findMethod } from "./find-method.js";
import { loadProto } from "./load-proto.js";
import { PROTO_FOLDER, SHOP_PROTO } from "./test-support/shop.js";

let shop: PackageDefinition;

beforeAll(async () => {
  shop = await loadProto(SHOP_PROTO, PROTO_FOLDER);
});

/** The methods of the shop of these names alone. */
function only(...names: readonly string[]): PackageDefinition {
  const service = shop["shop.v1.Shop"] ?? {};
  return {
    ...shop,
    "shop.v1.Shop": Object.fromEntries(Object.entries(service).filter(([name]) => names.includes(name))),
  };
}

const ALL =
  "It has shop.v1.Shop/Buy, shop.v1.Shop/Return, shop.v1.Shop/Watch (streams answers), shop.v1.Shop/Fill (streams requests).";

describe("findMethod", () => {
  it.each(["shop.v1.Shop/Buy", "shop.v1.Shop.Buy"])("finds %s", (call) => {
    expect(findMethod(shop, call, "shop.proto").path).toBe("/shop.v1.Shop/Buy");
  });

  it("takes the only unary method where none is named", () => {
    expect(findMethod(only("Return", "Watch"), undefined, "shop.proto").path).toBe("/shop.v1.Shop/Return");
  });

  it.each([
    ["shop.v1.Shop/Bye", `call: expected a unary method of shop.proto, got "shop.v1.Shop/Bye". ${ALL}`],
    ["Shop/Buy", `call: expected a unary method of shop.proto, got "Shop/Buy". ${ALL}`],
    ["shop.v1.Order/customer_name", `got "shop.v1.Order/customer_name". ${ALL}`],
    [undefined, `call: expected a unary method of shop.proto, which has 2 unary methods; got none. ${ALL}`],
    [
      "shop.v1.Shop/Watch",
      'got "shop.v1.Shop/Watch", which streams answers. It has shop.v1.Shop/Buy, shop.v1.Shop/Return.',
    ],
  ])("refuses %s, and says what there is", (call, message) => {
    expect(() => findMethod(shop, call, "shop.proto")).toThrow(message);
  });

  it("says so where nothing can be called", () => {
    expect(() => findMethod(only("Fill"), undefined, "f.proto")).toThrow(
      "f.proto, which has no unary method; got none.",
    );
    expect(() => findMethod(only("Fill"), "shop.v1.Shop/Fill", "f.proto")).toThrow("It has no unary methods.");
    expect(() => findMethod({}, "a.B/C", "f.proto")).toThrow("It has no methods.");
  });
});
