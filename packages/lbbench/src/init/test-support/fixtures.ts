import type { Answers, Subject } from "../answers.js";
import type { Folder, Manifest } from "../folder.js";
import { defined } from "../../stats/defined.js";

/** Answers about a program, in a module; nothing but the config is wanted. */
export function someAnswers(overrides: Partial<Answers> = {}): Answers {
  return {
    subject: { kind: "command", command: "node server.js" },
    connections: "1,10",
    duration: "3s",
    thresholds: ["errors<1%"],
    format: "ts",
    scripts: false,
    workflow: false,
    ...overrides,
  };
}

/** A folder with these names in it and, where one is given, a package.json. */
export function aFolder(names: readonly string[] = [], content?: Manifest, overrides: Partial<Folder> = {}): Folder {
  return {
    path: "/home/me/shop",
    names: new Set(names),
    configs: [],
    ...defined({
      manifest: content === undefined ? undefined : { content, text: `${JSON.stringify(content, null, 2)}\n` },
    }),
    ...overrides,
  };
}

/** A subject of each kind. */
export const SUBJECTS = {
  url: { kind: "url", url: "http://127.0.0.1:3000/" },
  command: { kind: "command", command: "node server.js" },
  balanced: { kind: "balanced", command: "node server.js", backends: 3 },
  samples: { kind: "samples" },
} as const satisfies Readonly<Record<Subject["kind"], Subject>>;
