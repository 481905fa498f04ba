import { describe, expect, it } from "vitest";
import { refuseWebPages } from "./admin-access.js";

describe("refuseWebPages", () => {
  it.each(["lab.internal", "lab.internal:9000", "LAB.internal"])(
    "trusts %s when that is where the server listens",
    (host) => {
      expect(() => refuseWebPages({ headers: { host }, method: "GET" }, "Lab.Internal")).not.toThrow();
    },
  );

  it.each(["lab.internal.evil.example", "internal", "evil.example", undefined])(
    "does not trust %s when the server listens elsewhere",
    (host) => {
      const headers = host === undefined ? {} : { host };
      expect(() => refuseWebPages({ headers, method: "GET" }, "lab.internal")).toThrow(/^Host: expected an IP address/);
    },
  );

  it.each(["0.0.0.0", "::", ""])("trusts no name when the server listens on %j", (ownHost) => {
    for (const host of ["evil.example", ""]) {
      expect(() => refuseWebPages({ headers: { host }, method: "GET" }, ownHost)).toThrow(/^Host: /);
    }
  });
});
