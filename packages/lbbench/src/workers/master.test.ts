import { chmodSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";
import { findPython, startMaster } from "./master.js";

/** A folder with a program of this name; returns the path of the folder. */
function folderWith(name: string, content: string): string {
  const folder = temporaryFolder({ [name]: content });
  chmodSync(join(folder, name), 0o755);
  return folder;
}

describe("the Python that has Locust", () => {
  const OF_PIPX = "#!/home/me/.local/pipx/venvs/locust/bin/python3.12\nimport sys\n";
  it.each([
    ["the one that is named", OF_PIPX, "/opt/python", "/opt/python"],
    [
      "that of the program locust, which pipx keeps apart",
      OF_PIPX,
      "",
      "/home/me/.local/pipx/venvs/locust/bin/python3.12",
    ],
    ["the usual one where locust is something else", "#!/bin/sh\nexec docker run locust\n", undefined, "python3"],
  ])("is %s", (_, locust, named, python) => {
    const path = `/nowhere:${folderWith("locust", locust)}`;
    expect(findPython({ PATH: path, LBBENCH_PYTHON: named })).toBe(python);
    expect(findPython({ PATH: "/nowhere" })).toBe("python3");
  });
});

describe("a master that cannot be started", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it.each([
    ["/nowhere/python", 'but "/nowhere/python" was not found. Install it: pipx install locust. Or name a Python'],
    [
      `echo '{"event": "failed", "reason": "No module named locust", "module": "locust"}'; exit 1`,
      'python" does not have. Install it: pipx install locust. Or name a Python',
    ],
    [
      `echo '{"event": "failed", "reason": "the port 127.0.0.1:5557 could not be opened: in use"}'; exit 1`,
      "Locust's master could not be started: the port 127.0.0.1:5557 could not be opened: in use.",
    ],
    ["echo Welcome; echo 42; exit 3", "Locust's master could not be started: exit code 3."],
    [
      "echo Segfault >&2; exit 139",
      "Locust's master could not be started: exit code 139; it last printed:\n  Segfault.",
    ],
  ])("says what to do: %s", async (program, message) => {
    const python = program.startsWith("/") ? program : join(folderWith("python", `#!/bin/sh\n${program}\n`), "python");
    vi.stubEnv("LBBENCH_PYTHON", python);
    const { signal } = new AbortController();
    const starting = startMaster("127.0.0.1", 0, () => {}, signal);
    await expect(starting).rejects.toMatchObject({ code: "START_FAILED", message: expect.stringContaining(message) });
  });
});
