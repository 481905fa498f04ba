/** Languages that a config can be written in; in that order they are looked for. */
export const CONFIG_FORMATS = ["ts", "js", "mjs", "json"] as const;

/** A language that a config can be written in. */
export type ConfigFormat = (typeof CONFIG_FORMATS)[number];

/** What is to be measured. */
export type Subject =
  | { readonly kind: "url"; readonly url: string }
  /** A program that lbbench starts. */
  | { readonly kind: "command"; readonly command: string }
  /** So many of that program behind the balancer, compared with one alone. */
  | { readonly kind: "balanced"; readonly command: string; readonly backends: number }
  /** The sample servers of lbbench. */
  | { readonly kind: "samples" };

/** What `lbbench init` has to know before it writes. */
export interface Answers {
  readonly subject: Subject;
  /** Levels, as a config has them: `"1,50,100"`. */
  readonly connections: string;
  /** Time per step: `"3s"`. */
  readonly duration: string;
  readonly thresholds: readonly string[];
  readonly format: ConfigFormat;
  /** Whether npm scripts are added to package.json. */
  readonly scripts: boolean;
  /** Whether a workflow of GitHub is written that compares base and head of a pull request. */
  readonly workflow: boolean;
}
