/** Files by which lbbench, its Locust master and its workers run as containers. Pure. */
import { parseArgsStringToArgv } from "string-argv";
import { ConfigError } from "../config/config-error.js";
import { DEFAULTS } from "../config/defaults.js";
import type { MANIFEST_KINDS } from "../config/settings.js";

/** What runs in the containers. */
export interface ContainerRun {
  /** Version of lbbench in the image. */
  readonly version: string;
  /** Name of the image. */
  readonly image: string;
  readonly workers: number;
  /** The command line of the run, without `lbbench` and without flags for workers: `sweep http://target:8080/ -c 100,1000`. */
  readonly run: string;
}

/** Renders a file of a kind. Throws a `ConfigError` for a run that is none. */
export function renderManifest(kind: (typeof MANIFEST_KINDS)[number], run: ContainerRun): string {
  const words = parseArgsStringToArgv(run.run);
  if (!RUNS.has(words[0] ?? "") || words.some((word) => word.startsWith("--workers"))) {
    throw new ConfigError(
      `--run: expected the words of sweep, max or ramp without --workers, such as "sweep http://target:8080/ -c 100", got "${run.run}"`,
    );
  }
  if (!/^\S+$/.test(run.image)) {
    throw new ConfigError(`--image: expected the name of an image, such as "registry/lbbench:1", got "${run.image}"`);
  }
  return RENDERERS[kind](run, words);
}

const RUNS: ReadonlySet<string> = new Set(["sweep", "max", "ramp"]);

/** Also the port that Locust's operator gives to the workers. */
const PORT = DEFAULTS.workers.port;

/** The flags of the run in a container. Where the network is one of containers alone, everything in it may reach the master. */
const workerFlags = (count: number | string): readonly string[] => [
  "--workers",
  `wait:${count}`,
  "--workers-listen",
  `0.0.0.0:${PORT}`,
];

/** Words as a list of YAML, whose strings can be written as those of JSON. */
const list = (words: readonly string[]): string => `[${words.map((word) => JSON.stringify(word)).join(", ")}]`;

const indent = (text: string, by: number): string => text.trimEnd().replaceAll(/^(?=.)/gm, " ".repeat(by));

const RENDERERS: Readonly<
  Record<(typeof MANIFEST_KINDS)[number], (run: ContainerRun, words: readonly string[]) => string>
> = {
  dockerfile: renderDockerfile,
  compose: renderCompose,
  kubernetes: renderKubernetes,
  operator: renderOperator,
};

function renderDockerfile({ version, image }: ContainerRun): string {
  return `# syntax=docker/dockerfile:1
# lbbench with what it needs for load from many machines: one image for the run and for its workers.
#   docker build -t ${image} .
FROM node:24-slim
# Locust's master runs in Python.
RUN apt-get update \\
  && apt-get install -y --no-install-recommends python3 python3-venv \\
  && rm -rf /var/lib/apt/lists/* \\
  && python3 -m venv /opt/locust \\
  && /opt/locust/bin/pip install --no-cache-dir "locust>=2.15,<3"
ENV LBBENCH_PYTHON=/opt/locust/bin/python
RUN npm install --global lbbench@${version} @lbbench/worker@${version}
# Locust's operator for Kubernetes starts every image as it starts Locust: --master ..., --worker --master-host NAME ...
COPY --chmod=755 <<'EOF' /usr/local/bin/start
#!/bin/sh
case "$1" in
  --worker) exec lbbench worker --master "$3:${PORT}" ;;
  --master) shift ;;
esac
exec lbbench "$@"
EOF
USER node
WORKDIR /home/node
ENTRYPOINT ["start"]
`;
}

function renderCompose(run: ContainerRun, words: readonly string[]): string {
  // Compose reads a dollar as the name of a variable.
  const dollars = (text: string): string => text.replaceAll("$", "$$$$");
  const count = `\${WORKERS:-${run.workers}}`;
  const command = list([...words.map(dollars), ...workerFlags(count)]);
  return `# lbbench and its workers, each in a container. They share the cores of this machine: for more load use a cluster.
#   mkdir -p reports && docker compose build
#   WORKERS=${run.workers} docker compose run --rm --use-aliases lbbench; docker compose down
# The report is in reports/.
name: lbbench
services:
  lbbench:
    image: ${JSON.stringify(run.image)}
    build:
      dockerfile_inline: |
${indent(dollars(renderDockerfile(run)), 8)}
    command: ${command}
    depends_on: [worker]
    init: true
    volumes:
      - ./reports:/home/node/reports
  worker:
    image: ${JSON.stringify(run.image)}
    command: ["worker", "--master", "lbbench:${PORT}"]
    init: true
    scale: ${count}
    # A connection takes a port and a file.
    sysctls:
      net.ipv4.ip_local_port_range: "1024 65535"
    ulimits:
      nofile: 65536
`;
}

/** What a worker needs. */
const RESOURCES = `resources:
  # One generator keeps one core busy. A limit of CPU would throttle it, and be measured as latency.
  requests:
    cpu: "1"
    memory: 512Mi`;

const labels = (component: string): string => `app.kubernetes.io/name: lbbench
app.kubernetes.io/component: ${component}`;

function renderKubernetes({ image, workers }: ContainerRun, words: readonly string[]): string {
  /** A Job of one container; what is its own in the Job, its pod and its container are lines of YAML. */
  const job = (
    name: string,
    component: string,
    own: Readonly<Record<"job" | "pod" | "container", string>>,
  ): string => `---
apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  labels:
${indent(labels(component), 4)}
spec:
${indent(own.job, 2)}
  template:
    metadata:
      labels:
${indent(labels(component), 8)}
    spec:
      automountServiceAccountToken: false
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        seccompProfile:
          type: RuntimeDefault
        # A connection takes a port.
        sysctls:
          - name: net.ipv4.ip_local_port_range
            value: "1024 65535"
${indent(own.pod, 6)}
      containers:
        - image: ${JSON.stringify(image)}
${indent(own.container, 10)}
          securityContext:
            allowPrivilegeEscalation: false
            capabilities:
              drop: [ALL]
`;
  return `# lbbench as a Job, its workers as an Indexed Job, and the Service by which they find it. The image has to be in a registry:
#   npx lbbench workers dockerfile > Dockerfile
#   docker build -t ${image} . && docker push ${image}
#   kubectl apply -f manifest.yaml
#   kubectl wait --for=condition=Complete --timeout=1h job/lbbench
#   kubectl logs job/lbbench | sed -n '/^{$/,/^}$/p' > result.json
#   npx lbbench report result.json
# A verdict that is not "pass" makes the Job fail: then wait for condition=Failed. Delete the manifest before it is applied again.
apiVersion: v1
kind: Service
metadata:
  name: lbbench
  labels:
${indent(labels("run"), 4)}
spec:
  selector:
${indent(labels("run"), 4)}
  ports:
    - name: locust
      port: ${PORT}
      targetPort: locust
---
# Locust's port has no password: workers alone may reach it, where the network of the cluster heeds policies.
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: lbbench
spec:
  podSelector:
    matchLabels:
${indent(labels("run"), 6)}
  policyTypes: [Ingress]
  ingress:
    - from:
        - podSelector:
            matchLabels:
${indent(labels("worker"), 14)}
      ports:
        - port: ${PORT}
${job("lbbench", "run", {
  job: `# A run that failed is not begun again by itself.
backoffLimit: 0`,
  pod: "restartPolicy: Never",
  container: `name: lbbench
args: ${list([...words, ...workerFlags(workers), "--json"])}
ports:
  - name: locust
    containerPort: ${PORT}
resources:
  requests:
    cpu: 500m
    memory: 512Mi`,
})}${job("lbbench-workers", "worker", {
    job: `completionMode: Indexed
# As many as the run waits for.
completions: ${workers}
parallelism: ${workers}`,
    pod: `restartPolicy: OnFailure
# On machines of their own, where there are enough.
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
${indent(labels("worker"), 8)}`,
    container: `name: worker
args: ["worker", "--master", "lbbench:${PORT}"]
${RESOURCES}`,
  })}`;
}

function renderOperator({ image, workers }: ContainerRun, words: readonly string[]): string {
  // The operator splits them as a shell does.
  const args = [...words, ...workerFlags(workers), "--json"].map((word) =>
    /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`,
  );
  return `# lbbench by Locust's operator for Kubernetes, with an image that understands how the operator starts Locust:
#   npx lbbench workers dockerfile > Dockerfile
#   docker build -t ${image} . && docker push ${image}
#   kubectl apply -f manifest.yaml
#   kubectl logs -f -l locust.io/component=master | sed -n '/^{$/,/^}$/p' > result.json
#   npx lbbench report result.json
# Follow the logs from the start: the operator removes what has ended at once.
apiVersion: locust.io/v1
kind: LocustTest
metadata:
  name: lbbench
spec:
  # Of the master and of the workers.
  image: ${JSON.stringify(image)}
  workers: ${workers}
  args: ${JSON.stringify(args.join(" "))}
  worker:
${indent(RESOURCES, 4)}
`;
}
