import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DCLinter } from "dclint";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { inRepository, readDocument } from "@lbbench/test-support/repository.js";
import { temporaryFolder } from "@lbbench/test-support/temporary-folder.js";

const read = (file: string): string => readDocument(`examples/many-machines/${file}`);
const RUN = ["sweep", "http://target:8080/", "-c", "100,1000"];
const flagsOf = (workers: string): readonly string[] => ["--workers", workers, "--workers-listen", "0.0.0.0:5557"];
/** Nodes may have to get the image, or to be made, before workers come. */
const FLAGS = flagsOf("wait:3:5m");
const WORKER = ["worker", "--master", "lbbench:5557"];

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
  const results = await (new DCLinter({ rules: {} }) as Linter).lintFiles([file], false);
  const found = results.flatMap(({ messages }) => messages.filter(({ rule }) => rule === "invalid-schema"));
  return found.map(({ message }) => message);
}

/** What is looked at of an object of Kubernetes. */
interface KubernetesObject {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector?: object;
    readonly template?: {
      readonly metadata: { readonly labels: object };
      readonly spec: { readonly containers: readonly { readonly args: readonly string[]; readonly env: object }[] };
    };
  };
}

describe("the containers of examples/many-machines", () => {
  it("are a compose file that its schema allows, with as many workers as the run waits for", async () => {
    const text = read("compose.yaml");
    expect(await complaintsOf(text)).toEqual([]);
    expect(await complaintsOf(text.replace("scale:", "scales:"))).toHaveLength(1);
    // As Compose reads it, with the secret and without other variables.
    const filled = text.replaceAll("${WORKERS:-3}", "3").replaceAll(/\$\{LBBENCH_TOKEN:\?[^}]*\}/g, "s");
    const { services } = parse(filled) as { services: Record<"lbbench" | "worker", Record<string, unknown>> };
    const environment = { LBBENCH_TOKEN: "s" };
    expect(services.lbbench).toMatchObject({ command: [...RUN, ...flagsOf("wait:3")], build: ".", environment });
    expect(services.worker).toMatchObject({ scale: 3, command: WORKER, environment });
  });

  it("are Jobs for Kubernetes that find each other and share a secret, with as many workers as the run waits for", () => {
    const all = parseAllDocuments(read("kubernetes.yaml")).map((one) => one.toJS() as KubernetesObject);
    const [service, policy, run, workers] = all as [
      KubernetesObject,
      KubernetesObject,
      KubernetesObject,
      KubernetesObject,
    ];
    const containerOf = ({ spec }: KubernetesObject) => spec.template?.spec.containers[0];
    const env = [{ name: "LBBENCH_TOKEN", valueFrom: { secretKeyRef: { name: "lbbench", key: "token" } } }];
    expect(containerOf(run)).toMatchObject({ args: [...RUN, ...FLAGS, "--json"], env });
    expect(containerOf(workers)).toMatchObject({ args: WORKER, env });
    expect(service.metadata.name).toBe("lbbench");
    expect(workers.spec).toMatchObject({ completionMode: "Indexed", completions: 3, parallelism: 3 });
    expect(run.spec.template?.metadata.labels).toEqual(service.spec.selector);
    expect(policy.spec).toMatchObject({
      podSelector: { matchLabels: service.spec.selector },
      ingress: [{ from: [{ podSelector: { matchLabels: workers.spec.template?.metadata.labels } }] }],
    });
  });

  it("are a test for Locust's operator", () => {
    const env = [{ name: "LBBENCH_TOKEN", value: "SECRET" }];
    const args = [...RUN, ...FLAGS, "--json"].join(" ");
    expect(parse(read("locust-test.yaml"))).toMatchObject({ kind: "LocustTest", spec: { workers: 3, env, args } });
  });

  it.each([
    ["--master sweep http://shop/ -H a:b c", "sweep http://shop/ -H a:b c"],
    ["--worker --master-host lbbench-master sweep http://shop/", "worker --master lbbench-master:5557"],
    ["worker --master lbbench:5557", "worker --master lbbench:5557"],
  ])("are started with %s, and then run lbbench %s", (given, run) => {
    const folder = temporaryFolder({ lbbench: '#!/bin/sh\necho "$@"\n' });
    execFileSync("chmod", ["+x", join(folder, "lbbench")]);
    const env = { PATH: `${folder}:${process.env["PATH"]}` };
    const start = inRepository("examples/many-machines/start");
    expect(execFileSync(start, given.split(" "), { env, encoding: "utf8" })).toBe(`${run}\n`);
  });
});
