import { describe, expect, it } from "vitest";
import { readDocument } from "./repository.js";

interface LockedPackage {
  readonly link?: boolean;
  readonly resolved?: string;
  readonly version?: string;
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

  it("has a canvas that comes whole from the registry", () => {
    expect(packages["node_modules/canvas"]).toMatchObject({ name: "@napi-rs/canvas" });
  });
});
