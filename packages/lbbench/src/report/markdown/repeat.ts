import { codeBlock } from "../escape-markdown.js";
import type { Section } from "./section.js";

/** The exact command that makes this run again. */
export const repeat: Section = ({ command }) => [
  "## Repeat it",
  command === null
    ? "The run was started from a program, not from the command line; `result.json` holds its whole scenario."
    : codeBlock(command, "sh"),
];
