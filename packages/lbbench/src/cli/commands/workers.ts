import { DEFAULTS } from "../../config/defaults.js";
import { MANIFEST_KINDS, type Setting } from "../../config/settings.js";
import { TOOL } from "../../own-package.js";
import { readWord } from "../flags.js";
import { ExitCode, type Command } from "../io.js";

const IMAGE = `lbbench:${TOOL.version}`;

// oxfmt-ignore
const SETTINGS: readonly Setting[] = [
  { flags: "--count <n>", kind: "some", about: "how many workers", default: `${DEFAULTS.manifest.workers}` },
  { flags: "--run <line>",
    about: "what is measured: a command line of sweep, max or ramp, without lbbench and without --workers",
    default: `"${DEFAULTS.manifest.run}"` },
  { flags: "--image <name>", about: "name of the image", default: IMAGE },
];

/** What its flags say. */
interface OwnFlags {
  readonly count?: number;
  readonly run?: string;
  readonly image?: string;
}

/** `lbbench workers`. */
export const workersCommand: Command = {
  name: "workers",
  summary: "print files that run lbbench and its workers as containers",
  about:
    "Prints a file by which lbbench and its workers run as containers: for Docker Compose, for Kubernetes, for Locust's operator " +
    "for Kubernetes, or the Dockerfile of their image. The file says how it is used.",
  arguments: [{ name: "<kind>", about: MANIFEST_KINDS.join(", "), words: MANIFEST_KINDS }],
  settings: SETTINGS,
  examples: [
    "workers compose > compose.yaml",
    'workers kubernetes --count 8 --run "sweep http://shop/ -c 100,1000,8000" > manifest.yaml',
  ],
  execute: async ({ words: [kind], read, stdout }) => {
    const { renderManifest } = await import("../../workers/manifests.js");
    const word = readWord(String(kind), MANIFEST_KINDS, "kind");
    const { own } = await read<OwnFlags>();
    const { count: workers = DEFAULTS.manifest.workers, run = DEFAULTS.manifest.run, image = IMAGE } = own;
    stdout.write(renderManifest(word, { version: TOOL.version, workers, run, image }));
    return ExitCode.pass;
  },
};
