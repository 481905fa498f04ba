import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { parseArgsStringToArgv } from "string-argv";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { temporaryFolder } from "../../test/support/temporary-folder.js";
import { renderManifest } from "./manifests.js";

const RUN = {
  version: "1.2.3",
  image: "registry:5000/team/lbbench:1.2.3",
  workers: 5,
  run: `sweep http://shop/ -H "Cookie: it's $x" -c 100,1000`,
};
const WORDS = ["sweep", "http://shop/", "-H", "Cookie: it's $x", "-c", "100,1000"];
const FLAGS = ["--workers", "wait:5", "--workers-listen", "0.0.0.0:5557"];

/** What its declarations leave out. */
interface Linter {
  readonly lintFiles: (
    files: readonly string[],
    recursive: boolean,
  ) => Promise<readonly { readonly messages: readonly { readonly rule: string; readonly message: string }[] }[]>;
}

/** What the schema of Compose has against a file. */
async function complaintsOf(compose: string): Promise<readonly string[]> {
  const file = join(temporaryFolder({ "compose.yaml": compose }), "compose.yaml");
  const linter = new DCLinter({ rules: {} }) as Linter;
  const results = await linter.lintFiles([file], false);
  const found = results.flatMap(({ messages }) => messages.filter(({ rule }) => rule === "invalid-schema"));
  return found.map(({ message }) => message);
}

describe("renderManifest", () => {
  it("makes a compose file that its schema allows, with as many workers as the run waits for", async () => {
    const text = renderManifest("compose", RUN);
    expect(await complaintsOf(text)).toEqual([]);
    expect(await complaintsOf(text.replace("scale:", "scales:"))).toHaveLength(1);
    // As Compose reads it, without variables of the environment.
    const read = text.replaceAll("${WORKERS:-5}", "5").replaceAll("$$", "$");
    const { services } = parse(read) as { services: Record<"lbbench" | "worker", Record<string, unknown>> };
    expect(services.lbbench["command"]).toEqual([...WORDS, ...FLAGS]);
    expect(services.lbbench["build"]).toEqual({ dockerfile_inline: renderManifest("dockerfile", RUN) });
    expect(services.worker).toMatchObject({
      image: RUN.image,
      scale: 5,
      command: ["worker", "--master", "lbbench:5557"],
    });
  });

  it("makes Jobs for Kubernetes that find each other, with as many workers as the run waits for", () => {
    const all = parseAllDocuments(renderManifest("kubernetes", RUN)).map((one) => one.toJS() as KubernetesObject);
    const [service, policy, run, workers] = all as [
      KubernetesObject,
      KubernetesObject,
      KubernetesObject,
      KubernetesObject,
    ];
    const containerOf = ({ spec }: KubernetesObject) => spec.template?.spec.containers[0];
    expect(containerOf(run)).toMatchObject({ image: RUN.image, args: [...WORDS, ...FLAGS, "--json"] });
    expect(containerOf(workers)?.args).toEqual(["worker", "--master", `${service.metadata.name}:5557`]);
    expect(workers.spec).toMatchObject({ completionMode: "Indexed", completions: 5, parallelism: 5 });
    expect(run.spec.template?.metadata.labels).toEqual(service.spec.selector);
    expect(policy.spec).toMatchObject({
      podSelector: { matchLabels: service.spec.selector },
      ingress: [{ from: [{ podSelector: { matchLabels: workers.spec.template?.metadata.labels } }] }],
    });
  });

  it("makes a test for Locust's operator, which splits the words as a shell does", () => {
    const test = parse(renderManifest("operator", RUN)) as { kind: string; spec: Record<string, unknown> };
    expect(test).toMatchObject({ kind: "LocustTest", spec: { image: RUN.image, workers: 5 } });
    const shell = execFileSync("sh", ["-c", `printf '%s\\n' ${String(test.spec["args"])}`], { encoding: "utf8" });
    expect(shell.trimEnd().split("\n")).toEqual([...WORDS, ...FLAGS, "--json"]);
  });

  it.each([
    ["--master sweep http://shop/", "sweep http://shop/"],
    ["--worker --master-host lbbench-master sweep http://shop/", "worker --master lbbench-master:5557"],
    ["worker --master lbbench:5557", "worker --master lbbench:5557"],
  ])("makes an image that is started with %s, and then runs lbbench %s", (given, run) => {
    const [, script = ""] =
      /<<'EOF' \/usr\/local\/bin\/start\n([^]*?)EOF\n/.exec(renderManifest("dockerfile", RUN)) ?? [];
    const folder = temporaryFolder({ start: script, lbbench: '#!/bin/sh\necho "$@"\n' });
    execFileSync("chmod", ["+x", join(folder, "lbbench")]);
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    const args = [join(folder, "start"), ...parseArgsStringToArgv(given)];
    expect(execFileSync("sh", args, { env, encoding: "utf8" })).toBe(`${run}\n`);
  });

  it.each(["", "compare a b", "sweep http://shop/ --workers wait:2"])("refuses the run %j", (run) => {
    expect(() => renderManifest("compose", { ...RUN, run })).toThrow(/--run: expected the words of sweep, max or ramp/);
  });
});

/** What is looked at of an object of Kubernetes. */
interface KubernetesObject {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector?: object;
    readonly template?: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly containers: readonly { readonly args: readonly string[] }[] };
    };
  };
}
