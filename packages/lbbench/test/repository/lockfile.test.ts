import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadModule, readDocument } from "@lbbench/test-support/repository.js";

interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly version?: string;
  readonly hasInstallScript?: boolean;
  readonly engines?: { readonly node?: string };
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readDocument("package-lock.json")) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};

describe("the lockfile", () => {
  it("names no download address", () => {
    const addresses = Object.values(packages).filter(({ link, resolved }) => link !== true && resolved !== undefined);
    expect(addresses).toEqual([]);
  });

  it("lists the packages of every platform, so that it installs on all of them", () => {
    const locked = new Set(Object.keys(packages).map((path) => path.split("node_modules/").at(-1)));
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !locked.has(name))
        .map((name) => `${path} -> ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it("has no package with an install script that package.json does not settle, which npm would ask about", () => {
    const { allowScripts } = JSON.parse(readDocument("package.json")) as { readonly allowScripts: object };
    const withScript = Object.entries(packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = new Set(withScript.map(([path]) => path.split("node_modules/").at(-1) ?? ""));
    expect(Object.keys(allowScripts).toSorted()).toEqual([...names].toSorted());
  });

  it("has a canvas that comes whole from the registry", () => {
    expect(packages["node_modules/canvas"]).toMatchObject({ name: "@napi-rs/canvas" });
  });

  it("is refused by npm run check:engines where a package, whoever brings it along, wants another Node than we test", async () => {
    const { findTooNew } = await loadModule<{ readonly findTooNew: (lockfile: object) => readonly string[] }>(
      ".ci/check-engines.mjs",
    );
    const lockfile = {
      packages: {
        "node_modules/of/node_modules/too-new": { version: "3.1.1", engines: { node: ">=22" } },
        "node_modules/without-22": { version: "1.0.0", engines: { node: "^20.19.0 || >=24" } },
        "node_modules/old": { version: "1.0.0", engines: { node: ">=4" } },
        "node_modules/any": { version: "1.0.0" },
      },
    };
    expect(findTooNew(lockfile)).toEqual([
      "too-new 3.1.1 wants node >=22, not 20.19.0",
      "without-22 1.0.0 wants node ^20.19.0 || >=24, not 22.13.0",
    ]);
  });
});

it("packages and repository take the Node that the README names", () => {
  const [, oldest = "?"] = /Node\.js (\d+\.\d+) or newer/.exec(readDocument("README.md")) ?? [];
  const own = Object.entries(packages).filter(([path]) => path === "" || /^packages\/[^/]+$/.test(path));
  expect(own.length).toBeGreaterThan(1);
  for (const [path] of own) {
    const { engines } = JSON.parse(readDocument(join(path, "package.json"))) as Pick<LockedPackage, "engines">;
    expect(engines, path).toEqual({ node: `>=${oldest}.0` });
    expect(packages[path]?.engines, path).toEqual(engines);
  }
});
