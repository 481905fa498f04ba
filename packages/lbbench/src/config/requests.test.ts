import { truncateSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { MOST_MIX_BYTES, readRequestFiles, resolveMix } from "./requests.js";
import { MOST_BODIES } from "./values.js";
import { describe, expect, it } from "vitest";
import { parseSweepInput } from "../api/sweep.js";
import { aRequest } from "../test-support/fixtures.js";
import type { SweepInput } from "./sweep-input.js";

const resolve = (mix: NonNullable<SweepInput["mix"]>, request?: SweepInput["request"], paths?: readonly string[]) => {
  const parsed = parseSweepInput({ mix, ...(request === undefined ? {} : { request }) }, "test");
  return resolveMix(parsed.mix ?? [], parsed.request, paths);
};

const namesOf = (...given: Parameters<typeof resolve>) => resolve(...given).map(({ name }) => name);

const PLAIN = aRequest();

describe("a mix", () => {
  it("has defaults, and entries called by method and path unless they have a name", () => {
    expect(resolve([{}])).toEqual([{ name: "GET /", weight: 1, request: PLAIN, bodies: null }]);
    const mix = [{ path: "/cart?of=me" }, { method: "post", path: "/cart" }, { name: "again", path: "/cart?of=me" }];
    expect(namesOf(mix)).toEqual(["GET /cart?of=me", "POST /cart", "again"]);
  });

  it("takes from the request what an entry does not say, headers by name however they are spelled", () => {
    const plain = { method: "PUT", path: "/base", body: "AAE=", bodyEncoding: "base64", expectStatus: "204" } as const;
    const request = { ...plain, expectBody: "yes", headers: { Accept: "a", "X-Base": ["1", "2"] } };
    const own = { method: "POST", path: "/own", body: "x", expectStatus: "201", expectBody: "no" };
    const [first, second] = resolve([{ ...own, headers: { ACCEPT: "b", "X-Own": "3" } }, { weight: 0.5 }], request);
    expect(first?.request).toEqual({
      ...PLAIN,
      ...own,
      headers: ["ACCEPT: b", "X-Base: 1", "X-Base: 2", "X-Own: 3"].map((line) => line.split(": ")),
    });
    expect(second).toMatchObject({ weight: 0.5, request: { ...plain, expectBody: "yes" } });
    expect(second?.request.headers).toHaveLength(3);
  });

  it("has bodies of its own in place of that of the request, or none", () => {
    const request = { body: "AAE=", bodyEncoding: "base64" as const, expectBody: "yes" };
    const none = { name: "none", body: null, expectBody: null };
    expect(resolve([{ name: "turns", bodies: ["a", "b"] }, none, { name: "rest" }], request)).toMatchObject([
      { bodies: ["a", "b"], request: { body: null, bodyEncoding: "utf8", expectBody: "yes" } },
      { bodies: null, request: { body: null, expectBody: null } },
      { bodies: null, request: { body: "AAE=" } },
    ]);
  });

  it("takes the path that the targets bring where neither an entry nor the request has one", () => {
    const mix = [{ method: "PUT" }, { path: "/own" }];
    expect(namesOf(mix, {}, ["/api?k=1"])).toEqual(["PUT /api?k=1", "GET /own"]);
    expect(namesOf(mix, { path: "/base" }, ["/api", "/"])).toEqual(["PUT /base", "GET /own"]);
    expect(namesOf([{ path: "/own" }], {}, ["/api", "/"])).toEqual(["GET /own"]);
    expect(() => namesOf(mix, {}, ["/api", "/"])).toThrow(
      "mix[0] (--mix): expected a path, got none, and the targets have different ones (/api, /).",
    );
  });

  it.each([
    ["made alike", [{ path: "/a", body: "1" }, {}, { path: "/a", body: "2" }]],
    ["given twice", [{ name: "GET /a" }, {}, { path: "/a" }]],
  ])("is refused with names that are %s", (_, mix) => {
    expect(() => resolve(mix)).toThrow(
      'mix[2] (--mix): expected a name that no other entry has, got "GET /a", which is that of mix[0]. Give it a "name".',
    );
  });

  it.each<[string, NonNullable<SweepInput["mix"]>, NonNullable<SweepInput["request"]>]>([
    ["request.method (-m, --method)", [{ method: "GET" }, { method: "PUT" }], { method: "POST" }],
    ["request.path", [{ path: "/a" }, { path: "/b" }], { path: "/c" }],
    ["request.body (-b, --body)", [{ body: "a" }, { name: "b", bodies: ["b"] }], { body: "c" }],
    ["request.expectStatus (--expect-status)", [{ expectStatus: "201" }], { expectStatus: "200" }],
    ["request.expectBody (--expect-body)", [{ expectBody: "a" }], { expectBody: "b" }],
    ['request.headers["X-A"] (-H, --header)', [{ headers: { "x-a": "1" } }], { headers: { "X-B": "2", "X-A": "2" } }],
  ])("is refused with %s where each entry has its own", (place, mix, request) => {
    expect(() => resolve(mix, request)).toThrow(
      `${place}: expected an entry of the mix without its own, got one in each.`,
    );
    const others = [{ name: "other", path: "/other", method: "PATCH" }, { name: "takes all" }];
    expect(resolve([...mix, ...others], request)).toHaveLength(mix.length + 2);
  });

  it("is refused with an entry that would hardly ever be sent", () => {
    expect(resolve([{ weight: 1e-6 }, { path: "/b", weight: 1 }])).toHaveLength(2);
    expect(() => resolve([{ path: "/b", weight: 2 }, { weight: 1e-6 }])).toThrow(
      'mix[1].weight (--mix): expected at least a millionth of the largest weight, 2, got 0.000001. "GET /" would hardly ever be sent',
    );
  });

  it("holds a hundred entries, and ten million bytes of bodies each time they are inherited, and no more", () => {
    const mix = Array.from({ length: 101 }, (_, index) => ({ path: `/${index}` }));
    expect(resolve(mix.slice(1))).toHaveLength(100);
    expect(() => resolve(mix)).toThrow("test: mix: expected at most 100 entries");
    const body = "x".repeat(4_000_000);
    const rest = { path: "/c", bodies: ["x".repeat(1_999_998), "é"] };
    const entries = [{ path: "/a", body }, { path: "/b" }];
    expect(resolve([...entries, rest], { body })).toHaveLength(3);
    expect(() => resolve([...entries, { ...rest, bodies: [...rest.bodies, "x"] }], { body })).toThrow(
      "mix (--mix): expected bodies of at most 10000000 bytes in all of its entries together, got 10000001. Leave some out",
    );
  });

  it.each<object>([0, "2", Infinity, 1e-320].map((weight) => ({ weight })))("is refused with the entry %j", (entry) => {
    expect(() => resolve([entry])).toThrow(
      "test: mix[0].weight: expected a number from 0.000001 to 1000000, such as 2 or 0.5, got ",
    );
  });
});

/** The bodies of a mix of one entry that has them from a file. */
async function readBodies(content: string | Buffer, bytes = Buffer.byteLength(content)): Promise<unknown> {
  const folder = temporaryFolder({ bodies: content });
  truncateSync(join(folder, "bodies"), bytes);
  return (await readRequestFiles({ mix: [{ bodiesFile: "bodies" }] }, folder)).mix?.[0];
}

describe("files of requests", () => {
  it("are put where their names were, as base64 where they are no text, and the rest is left as it is", async () => {
    const folder = temporaryFolder({ one: "grüß\n", lines: "a\nb\n", bytes: Buffer.from([0xff, 0x00]) });
    const input = {
      trials: 3,
      request: { method: "POST", bodyFile: "one" },
      mix: [{ path: "/a", bodiesFile: "lines" }, { bodyFile: join(folder, "bytes") }, { name: "b", body: "x" }],
    };
    await expect(readRequestFiles(input, folder)).resolves.toEqual({
      trials: 3,
      request: { method: "POST", body: "grüß\n", bodyEncoding: "utf8" },
      mix: [
        { path: "/a", bodies: ["a", "b"], bodyEncoding: "utf8" },
        { body: "/wA=", bodyEncoding: "base64" },
        { name: "b", body: "x" },
      ],
    });
    await expect(readRequestFiles({ trials: 3 } as object, ".")).resolves.toEqual({ trials: 3 });
  });

  it.each([
    ["a\nb\n", ["a", "b"]],
    ["a\r\nb\r\n", ["a", "b"]],
    ["a\rb\r", ["a\rb\r"]],
    ["\na\n\n", ["", "a", ""]],
  ])("have a body in each line: %j", async (content, bodies) => {
    await expect(readBodies(content)).resolves.toEqual({ bodies, bodyEncoding: "utf8" });
  });

  it("are read as base64 line by line where one is not UTF-8", async () => {
    const content = Buffer.from([0xff, 0x00, 0x0a, 0x61, 0x0a]);
    await expect(readBodies(content)).resolves.toEqual({ bodies: ["/wA=", "YQ=="], bodyEncoding: "base64" });
  });

  it("hold as many lines and bytes as they may, and no more", async () => {
    await expect(readBodies("x\n".repeat(MOST_BODIES))).resolves.toHaveProperty("bodies.length", MOST_BODIES);
    await expect(readBodies("x\n".repeat(MOST_BODIES + 1))).rejects.toThrow(
      /^mix\[0\]\.bodiesFile \(--mix\): expected a file of 1 to 10000 bodies, one in each line, got 10001 in/,
    );
    await expect(readBodies("")).rejects.toThrow("expected a file of 1 to 10000 bodies");
    await expect(readBodies("", MOST_MIX_BYTES)).resolves.toHaveProperty("bodies.length", 1);
    await expect(readBodies("", MOST_MIX_BYTES + 1)).rejects.toThrow(
      /: expected bodies of at most 10000000 bytes in all entries of the mix together, got more with the file ".*" \(10000000 bytes are/,
    );
  });

  it("are added up over a mix, and none is read beyond ten million bytes", async () => {
    const half = "x".repeat(5_000_000);
    const folder = temporaryFolder({ a: half, b: half, one: "x" });
    const files = [{ bodyFile: "a" }, { bodiesFile: "b" }];
    await expect(readRequestFiles({ mix: files }, folder)).resolves.toHaveProperty("mix.length", 2);
    const tooMany = { mix: [...files, { bodyFile: "one" }, { bodyFile: "none" }] };
    await expect(readRequestFiles(tooMany, folder)).rejects.toThrow(
      'together, got more with the file "one" (0 bytes are left for it). Leave some bodies out',
    );
  });
});
