import { readFile } from "node:fs/promises";
import { join, posix } from "node:path";

/** Modules that run as processes or threads of their own, seen from `packages/`: by the name with which the bundle starts them. */
const STARTED = [
  "backends/dist/cluster/cluster-worker.js",
  "backends/dist/pool/pool-thread.js",
  "lbbench/dist/doctor/responder-process.js",
  "lbbench/dist/engines/autocannon/generator-process.js",
  "lbbench/dist/engines/driven-program/program-supervisor.js",
  "lbbench/dist/engines/grpc/generator-process.js",
  "lbbench/dist/engines/undici/generator-process.js",
  "lbbench/dist/engines/undici/ticker-thread.js",
  "lbbench/dist/servers/backend-process.js",
  "lbbench/dist/servers/balancer-process.js",
  "lbbench/dist/servers/command-supervisor.js",
  "proxy/dist/workers/worker-process.js",
];

/** What piscina starts its threads with; it then asks for one of those above. */
const POOL_WORKER = "piscina/dist/worker.js";

/** Files that other programs read, which are beside the bundle: by their names there. */
export const BESIDE = new Map([
  ["preload.cjs", "packages/lbbench/dist/probe/preload.cjs"],
  ["work.proto", "packages/backends/proto/work.proto"],
]);

/** A config file may import lbbench, which need not be installed where the bundle runs. */
const WITH_LBBENCH = 'createJiti(import.meta.url, { virtualModules: { lbbench: await import("lbbench") },';

/**
 * What is said differently in the bundle: module, words and words in their place. `SELF` is the path of the bundle, and the
 * name of the module that it is to run its first argument.
 */
const CHANGES = [
  ["lbbench/dist/child/fork.js", "fork(entry, [],", "fork(SELF, [entry],"],
  ["lbbench/dist/engines/undici/ticker.js", "new Worker(entry, {", "new Worker(SELF, { argv: [entry],"],
  ["lbbench/dist/probe/probe-hub.js", 'builtEntry(import.meta.url, "./preload.cjs")', 'beside("preload.cjs")'],
  ["lbbench/dist/api/tool.js", 'createRequire(import.meta.url)("../../package.json")', "TOOL_OF_BUNDLE"],
  ["lbbench/dist/config/load-config-file.js", "createJiti(import.meta.url, {", WITH_LBBENCH],
  ["lbbench/dist/config/import-plugin.js", "createJiti(import.meta.url, {", WITH_LBBENCH],
  [
    "proxy/dist/workers/fork-worker.js",
    "exec: WORKER_PROCESS,\n        args: []",
    "exec: SELF,\n        args: [WORKER_PROCESS]",
  ],
  ["backends/dist/cluster/fork-worker.js", "exec: workerProgram, args: []", "exec: SELF, args: [workerProgram]"],
  [
    "backends/dist/grpc/grpc-sample.js",
    'fileURLToPath(new URL("../../proto/work.proto", import.meta.url))',
    'beside("work.proto")',
  ],
  ["piscina/dist/index.js", "(0, node_path_1.resolve)(__dirname, 'worker.js')", "SELF"],
  ["piscina/dist/index.js", "argv: this.options.argv", `argv: ["${POOL_WORKER}"]`],
  [POOL_WORKER, "__importStar(require(s))", "modules.get(s)()"],
  [POOL_WORKER, "getImportESM()((0, node_url_1.pathToFileURL)(filename).href)", "modules.get(filename)()"],
];

const OWN = /[\\/]packages[\\/]((?:lbbench|proxy|backends)[\\/]dist[\\/].*\.js)$/;
const POOL = /[\\/](piscina[\\/]dist[\\/](?:index|worker)\.js)$/;

/** How a module names another one that is to be started. */
const NAMED =
  /(?:(?:builtEntry|builtProgram)\(import\.meta\.url, |new URL\()"(\.\/[\w-]+\.js)"(?:, import\.meta\.url)?\)/g;

/** What is looked up from there is of Node, of the user, or not part of the bundle. */
const HARMLESS = /createJiti\(import\.meta\.url\b|createRequire\(import\.meta\.url\)(?:;|\("node:)/g;

/**
 * Puts the modules that run by themselves into the bundle: where lbbench starts one by its path, the bundle is started with its
 * name. Fails where something is named by a path that is not known here.
 *
 * @param root folder of the repository.
 */
export function ownModules(root) {
  const done = new Set();
  return {
    name: "own-modules",
    setup(build) {
      build.onResolve({ filter: /^bundle:/ }, ({ path }) => ({ path, namespace: "bundle" }));
      build.onLoad({ filter: /./, namespace: "bundle" }, async ({ path }) => ({
        contents: path === "bundle:modules" ? registry() : await surroundings(root),
        resolveDir: root,
      }));
      for (const filter of [OWN, POOL]) {
        build.onLoad({ filter }, async ({ path }) => {
          const name = filter.exec(path)?.[1]?.replaceAll("\\", "/");
          try {
            return { contents: change(await readFile(path, "utf8"), name, done), loader: "js" };
          } catch (error) {
            return { errors: [{ text: `${name}: ${error.message}` }] };
          }
        });
      }
      build.onEnd(() => ({
        errors: CHANGES.filter((one) => !done.has(one)).map(([module, words]) => ({
          text: `${module}: expected to find \`${words}\`, to say it differently in the bundle. Adapt ${import.meta.filename}`,
        })),
      }));
    },
  };
}

/** The module that starts a module by its name. */
function registry() {
  const lines = [
    ...STARTED.map((name) => [name, `./packages/${name}`]),
    [POOL_WORKER, "./node_modules/piscina/dist/worker.js"],
  ];
  return `export const modules = new Map([\n${lines.map(([name, path]) => `  ["${name}", () => import("${path}")],\n`).join("")}]);\n`;
}

/** The module that says where the bundle is. */
async function surroundings(root) {
  const { name, version } = JSON.parse(await readFile(join(root, "packages/lbbench/package.json"), "utf8"));
  return [
    'import { fileURLToPath } from "node:url";',
    "export const SELF = fileURLToPath(import.meta.url);",
    "export const beside = (name) => fileURLToPath(new URL(`./${name}`, import.meta.url));",
    `export const TOOL_OF_BUNDLE = ${JSON.stringify({ name, version })};`,
  ].join("\n");
}

/** Returns a module as it is in the bundle, and notes which changes were made. */
function change(text, module, done) {
  let changed = text;
  for (const one of CHANGES) {
    const [of, words, instead] = one;
    if (of !== module || !changed.includes(words)) continue;
    changed = changed.replace(words, () => instead);
    done.add(one);
  }
  changed = changed.replaceAll(NAMED, (_, path) => JSON.stringify(nameOf(path, module)));
  if (
    changed
      .replaceAll(HARMLESS, "")
      .replaceAll(/^\s*\*.*$/gm, "")
      .includes("import.meta.url")
  ) {
    throw new Error(
      `expected no import.meta.url that is not known, because the bundle is one file. Adapt ${import.meta.filename}`,
    );
  }
  const isCommonJs = module.startsWith("piscina/");
  const names = ["SELF", "TOOL_OF_BUNDLE", "beside", "modules"].filter((name) =>
    CHANGES.some(([of, , instead]) => of === module && instead.split(/\W/).includes(name)),
  );
  return names.map((name) => bring(name, isCommonJs)).join("") + changed;
}

function bring(name, isCommonJs) {
  const from = name === "modules" ? "bundle:modules" : "bundle:self";
  return isCommonJs ? `const { ${name} } = require("${from}");` : `import { ${name} } from "${from}";`;
}

function nameOf(path, module) {
  const name = posix.join(posix.dirname(module), path);
  if (STARTED.includes(name)) return name;
  throw new Error(
    `expected one of the modules that are known to run by themselves, got ${name}. Add it in ${import.meta.filename}`,
  );
}
