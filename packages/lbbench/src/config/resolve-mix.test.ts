import { describe, expect, it } from "vitest";
import { parseSweepInput } from "../api/parse-sweep-input.js";
import { resolveMix } from "./resolve-mix.js";
import type { SweepInput } from "./sweep-input.js";
import { aRequest } from "../test-support/fixtures.js";

const resolve = (mix: NonNullable<SweepInput["mix"]>, request?: SweepInput["request"], paths?: readonly string[]) => {
  const parsed = parseSweepInput({ mix, ...(request === undefined ? {} : { request }) }, "test");
  return resolveMix(parsed.mix ?? [], parsed.request, paths);
};

const PLAIN = aRequest();

describe("resolveMix", () => {
  it("fills in the defaults", () => {
    expect(resolve([{}])).toEqual([{ name: "GET /", weight: 1, request: PLAIN, bodies: null }]);
  });

  it("calls an entry by its method and path, unless it has a name", () => {
    const mix = [{ path: "/cart?of=me" }, { method: "post", path: "/cart" }, { name: "again", path: "/cart?of=me" }];
    expect(resolve(mix).map(({ name }) => name)).toEqual(["GET /cart?of=me", "POST /cart", "again"]);
  });

  it("takes from the request what an entry does not say", () => {
    const request: SweepInput["request"] = {
      method: "PUT",
      path: "/base",
      body: "AAE=",
      bodyEncoding: "base64",
      expectStatus: "204",
      expectBody: "yes",
    };
    const [own, inherited] = resolve(
      [{ method: "POST", path: "/own", body: "x", expectStatus: "201", expectBody: "no" }, { weight: 0.5 }],
      request,
    );
    expect(own?.request).toEqual({
      ...PLAIN,
      method: "POST",
      path: "/own",
      body: "x",
      expectStatus: "201",
      expectBody: "no",
    });
    expect(inherited).toMatchObject({ weight: 0.5, request: { ...request, headers: [] } });
  });

  it("takes headers over by name, however they are spelled", () => {
    const request = { headers: { Accept: "a", "X-Base": ["1", "2"] } };
    const [entry, other] = resolve([{ headers: { ACCEPT: "b", "X-Own": "3" } }, { path: "/other" }], request);
    expect(other?.request.headers).toHaveLength(3);
    expect(entry?.request.headers).toEqual([
      ["X-Base", "1"],
      ["X-Base", "2"],
      ["ACCEPT", "b"],
      ["X-Own", "3"],
    ]);
  });

  it("has bodies of its own in place of that of the request, or none", () => {
    const request = { body: "AAE=", bodyEncoding: "base64" as const, expectBody: "yes" };
    const [turns, none] = resolve(
      [
        { name: "turns", bodies: ["a", "b"] },
        { name: "none", body: null, expectBody: null },
        { name: "that of the request" },
      ],
      request,
    );
    expect(turns).toMatchObject({
      bodies: ["a", "b"],
      request: { body: null, bodyEncoding: "utf8", expectBody: "yes" },
    });
    expect(none).toMatchObject({ bodies: null, request: { body: null, expectBody: null } });
  });

  it.each([
    ["made alike", [{ path: "/a", body: "1" }, {}, { path: "/a", body: "2" }]],
    ["given twice", [{ name: "GET /a" }, {}, { path: "/a" }]],
    ["of the same request", [{ path: "/a" }, {}, { path: "/a" }]],
  ])("refuses names that are %s", (_, mix) => {
    expect(() => resolve(mix)).toThrow(
      'mix[2] (--mix): expected a name that no other entry has, got "GET /a", which is that of mix[0]. Give it a name',
    );
  });

  it.each<[string, NonNullable<SweepInput["mix"]>, NonNullable<SweepInput["request"]>]>([
    ["request.method (-m)", [{ method: "GET" }, { method: "PUT" }], { method: "POST" }],
    ["request.path", [{ path: "/a" }, { path: "/b" }], { path: "/c" }],
    ["request.body (-b, --body-file)", [{ body: "a" }, { name: "b", bodies: ["b"] }], { body: "c" }],
    ["request.body (-b, --body-file)", [{ body: null }], { body: "AA==", bodyEncoding: "base64" }],
    ["request.expectStatus (--expect-status)", [{ expectStatus: "201" }], { expectStatus: "200" }],
    ["request.expectBody (--expect-body)", [{ expectBody: "a" }], { expectBody: "b" }],
    ['request.headers["X-A"] (-H)', [{ headers: { "x-a": "1" } }], { headers: { "X-B": "2", "X-A": "2" } }],
  ])("refuses %s where each entry has its own", (place, mix, request) => {
    expect(() => resolve(mix, request)).toThrow(
      `${place}: expected an entry of the mix that takes it, got one of its own in each, so that it would have no effect.`,
    );
    expect(
      resolve([...mix, { name: "other", path: "/other", method: "PATCH" }, { name: "takes all" }], request),
    ).toBeDefined();
  });

  it("takes the path that the targets bring where neither an entry nor the request has one", () => {
    const names = (...given: Parameters<typeof resolve>) => resolve(...given).map(({ name }) => name);
    const mix = [{ method: "PUT" }, { path: "/own" }];
    expect(names(mix, {}, ["/api?k=1"])).toEqual(["PUT /api?k=1", "GET /own"]);
    expect(names(mix, { path: "/base" }, ["/api", "/"])).toEqual(["PUT /base", "GET /own"]);
    expect(names([{ path: "/own" }], {}, ["/api", "/"])).toEqual(["GET /own"]);
    expect(() => names(mix, {}, ["/api", "/"])).toThrow(
      "mix[0] (--mix): expected a path, as the targets bring different ones (/api, /), got none.",
    );
  });

  it("refuses an entry that would as good as never be sent", () => {
    expect(resolve([{ weight: 1e-6 }, { path: "/b", weight: 1 }])).toHaveLength(2);
    expect(() => resolve([{ path: "/b", weight: 2 }, { weight: 1e-6 }])).toThrow(
      'mix[1].weight (--mix): expected at least a millionth of the largest weight, 2, got 0.000001: "GET /" would as good as never',
    );
  });

  it("takes ten million bytes of bodies, in all entries together and each time they are inherited, and no more", () => {
    const body = "x".repeat(4_000_000);
    const request = { body };
    const rest = { path: "/c", bodies: ["x".repeat(1_999_998), "é"] };
    expect(resolve([{ path: "/a", body }, { path: "/b" }, rest], request)).toHaveLength(3);
    expect(() =>
      resolve([{ path: "/a", body }, { path: "/b" }, { ...rest, bodies: [...rest.bodies, "x"] }], request),
    ).toThrow(
      "mix (--mix): expected bodies of at most 10000000 bytes in all of its entries together, got 10000001. Leave some out",
    );
  });

  it("refuses files that nobody has read", () => {
    expect(() => resolve([{ bodyFile: "a" }])).toThrow("The file of a body was not read: a");
    expect(() => resolve([{ bodiesFile: "a" }])).toThrow("The file of bodies was not read: a");
  });

  it.each([
    [{ weight: 0 }, "test: mix[0].weight: expected a number from 0.000001 to 1000000, such as 2 or 0.5, got 0"],
    [{ weight: "2" }, 'test: mix[0].weight: expected a number from 0.000001 to 1000000, such as 2 or 0.5, got "2"'],
    [
      { weight: Infinity },
      "test: mix[0].weight: expected a number from 0.000001 to 1000000, such as 2 or 0.5, got Infinity",
    ],
    [
      { weight: 1e308 },
      "test: mix[0].weight: expected a number from 0.000001 to 1000000, such as 2 or 0.5, got 1e+308",
    ],
    [
      { weight: 1e-320 },
      "test: mix[0].weight: expected a number from 0.000001 to 1000000, such as 2 or 0.5, got 1e-320",
    ],
    [
      { path: "/a#b" },
      'mix[0].path: expected path and query as they are sent, got "/a#b", which would be sent as "/a"',
    ],
    [{ path: "/a/../b" }, 'path and query as they are sent, got "/a/../b", which would be sent as "/b"'],
    [
      { body: "%%%", bodyEncoding: "base64" },
      'mix[0].body: expected base64, such as "aGVsbG8=", as bodyEncoding says, got "%%%"',
    ],
    [{ bodies: ["AAE=", "AA"], bodyEncoding: "base64" }, 'mix[0].bodies[1]: expected base64, such as "aGVsbG8=", as'],
    [{ bodyEncoding: "base64" }, 'mix[0].bodyEncoding: expected a body beside it, got "base64" without'],
    [
      { headers: { "X-A": ["ÿ", "é€"] } },
      'mix[0].headers["X-A"][1]: expected the value of a header, of characters up to U+00FF',
    ],
    [{ name: " " }, 'test: mix[0].name: expected a name that is not empty, got " "'],
    [{ path: "a" }, 'test: mix[0].path: expected a text that starts with "/", got "a"'],
    [{ wieght: 1 }, 'test: mix[0]: there is no setting "wieght". Did you mean "weight"?'],
    [{ bodies: [] }, "test: mix[0].bodies: expected at least 1 entry, got []"],
    [{ body: "a", bodyFile: "b" }, "test: mix[0].bodyFile: expected one of body and bodyFile, got both"],
    [{ bodies: ["a"], bodiesFile: "b" }, "test: mix[0].bodiesFile: expected one of bodies and bodiesFile, got both"],
    [
      { bodiesFile: "b", bodyEncoding: "utf8" },
      'test: mix[0].bodyEncoding: expected nothing beside bodiesFile, whose bytes are sent as they are, got "utf8"',
    ],
  ])("refuses %j", (entry, message) => {
    expect(() => parseSweepInput({ mix: [entry] }, "test")).toThrow(message);
  });

  it("takes a hundred entries at most", () => {
    const mix = Array.from({ length: 101 }, (_, index) => ({ path: `/${index}` }));
    expect(resolve(mix.slice(1))).toHaveLength(100);
    expect(() => parseSweepInput({ mix }, "test")).toThrow("test: mix: expected at most 100 entries");
  });

  it("refuses a list of nothing, a body twice in the request, and what is no list", () => {
    expect(() => parseSweepInput({ mix: [] }, "test")).toThrow("test: mix: expected at least 1 entry, got []");
    expect(() => parseSweepInput({ mix: { path: "/" } }, "test")).toThrow("test: mix: expected a list, got");
    expect(() => parseSweepInput({ request: { body: "a", bodyFile: "b" } }, "test")).toThrow(
      "test: request.bodyFile: expected one of body and bodyFile, got both",
    );
  });
});
