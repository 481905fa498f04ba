import { execFileSync } from "node:child_process";
import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { aCommandIo, runCommand } from "../../test/support/run-command.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { aSweep } from "../report/test-support/sample-results.js";
import { main } from "../cli/main.js";
import { parseJson, readBounded } from "./read-file.js";

const isUnix = process.platform !== "win32";

function aFolder(): string {
  const folder = temporaryFolder({ full: "0123456789", empty: "" });
  mkdirSync(join(folder, "folder"));
  if (isUnix) execFileSync("mkfifo", [join(folder, "pipe")]);
  return folder;
}

describe("a file of a user's", () => {
  it("is read whole where it has at most as many bytes as are read", () => {
    const folder = aFolder();
    const { bytes, modifiedAt } = readBounded(join(folder, "full"), 10);
    expect(String(bytes)).toBe("0123456789");
    expect(Math.abs(modifiedAt.getTime() - Date.now())).toBeLessThan(3_600_000);
    expect(readBounded(join(folder, "empty"), 0).bytes).toHaveLength(0);
  });

  it("is refused where it is larger, before it is read", () => {
    const folder = aFolder();
    expect(() => readBounded(join(folder, "full"), 9)).toThrow("it has 10 bytes, and at most 9 are read");
    const sparse = join(folder, "sparse");
    writeFileSync(sparse, "");
    truncateSync(sparse, 2 ** 40);
    expect(() => readBounded(sparse)).toThrow(`it has ${2 ** 40} bytes`);
  });

  it.runIf(process.platform === "linux")("is read to its end where its size is told as 0", () => {
    expect(String(readBounded("/proc/self/status").bytes)).toContain("VmRSS");
    expect(() => readBounded("/proc/self/status", 10)).toThrow("and at most 10 are read");
  });

  it.runIf(isUnix)("is refused at once where it is none", () => {
    const folder = aFolder();
    expect(() => readBounded("/dev/zero")).toThrow("it is a device, and only regular files are read");
    expect(() => readBounded(join(folder, "pipe"))).toThrow("it is a pipe");
    expect(() => readBounded(join(folder, "folder"))).toThrow("it is a folder");
    expect(() => readBounded(join(folder, "none"))).toThrow("ENOENT");
  });

  it("may begin with a byte order mark where it is JSON", () => {
    expect(parseJson('\uFEFF{"a": 1}')).toEqual({ a: 1 });
    expect(() => parseJson("\uFEFF\uFEFF1")).toThrow(SyntaxError);
  });
});

const SWEEP = "sweep -t single -c 1 -n 1";

describe.runIf(isUnix)("lbbench reads no device and no pipe", () => {
  it.each([
    ["report FILE", "Expected a result.json"],
    ["compare FILE FILE", "Expected a result.json"],
    ["sweep --resume FILE", "Expected a result.json"],
    ["import FILE", "expected a file with the output of a load generator"],
    [`${SWEEP} --config FILE`, "The config file FILE could not be read"],
    [`${SWEEP} --body-file FILE`, "--body-file: expected a file that can be read"],
    [`${SWEEP} --mix FILE`, "--mix: expected a file that can be read"],
    [`sweep -t FILE -c 1 -n 1`, "FILE is no regular file"],
    ["sweep grpc://127.0.0.1:1 -c 1 -n 1 --proto FILE", "expected a .proto file"],
    [
      "proxy --backend http://127.0.0.1:1 --tls-cert FILE --tls-key FILE",
      "--tls-cert: expected a file that can be read",
    ],
  ])("%s", async (line, message) => {
    const folder = aFolder();
    for (const file of ["/dev/zero", join(folder, "pipe")]) {
      const { code, stderr } = await runCommand(line.replaceAll("FILE", file), folder);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message.replace("FILE", file)) });
    }
  });

  it("nor an endless standard input to its end", async () => {
    const { io, stderr } = aCommandIo(temporaryFolder());
    const endless = function* (): Generator<Buffer> {
      for (;;) yield Buffer.alloc(2 ** 20);
    };
    expect(await main(["import", "-"], { ...io, openStdin: () => Readable.from(endless()) })).toBe(2);
    expect(stderr()).toContain("at most 64 MiB, got 65 MiB");
  });
});

describe("a byte order mark is accepted", () => {
  const marked = (content: unknown): string => `\uFEFF${JSON.stringify(content)}`;
  it.each([
    ["in a result", "report result.json -f md", "result.json", aSweep(), 0, ""],
    ["in a config", "sweep --config c.json -o file", "c.json", { connections: 0 }, 2, "connections"],
    ["in a mix", `${SWEEP} --mix mix.json`, "mix.json", [{ weight: 0 }], 2, "--mix mix.json: [0].weight"],
    ["in what is imported", "import k6.json -o out", "k6.json", { metrics: 1 }, 2, "k6.json"],
  ])("%s", async (_, line, name, content, code, message) => {
    const { stderr, ...outcome } = await runCommand(line, temporaryFolder({ [name]: marked(content) }));
    expect(outcome.code, stderr).toBe(code);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("not valid JSON");
  });
});
