import { measuringCommand } from "../measuring-command.js";
import { code, paragraph } from "./blocks.js";
import type { Section } from "./section.js";

/** The command that measures the same again; what it writes and shows is for who repeats it to say. */
export const repeat: Section = ({ command, imported }) => ({
  id: "repeat",
  title: "Repeat it",
  blocks: [
    command === null
      ? paragraph(
          imported === undefined
            ? [
                "The run was started from a program, not from the command line; ",
                code("result.json"),
                " holds its whole scenario.",
              ]
            : [
                "The result was imported, and its output does not tell all that was asked for. What was printed is kept in ",
                code("result.json"),
                ", with each step.",
              ],
        )
      : { kind: "code", language: "sh", text: measuringCommand(command) },
  ],
});
