import { completionScript, SHELLS } from "../completion.js";
import { ExitCode, type Command } from "../io.js";

/** `lbbench completion`. */
export const completionCommand: Command = {
  name: "completion",
  summary: "print a script that completes command lines",
  about: "Prints the script that lets a shell complete commands, flags and their words.",
  arguments: [{ name: "<shell>", about: SHELLS.join(", "), words: SHELLS }],
  examples: ["completion bash >> ~/.bashrc", "completion zsh > ~/.zfunc/_lbbench", "completion fish | source"],
  run: async ([shell], _, { stdout, commands }) => {
    const { readWord } = await import("../flags.js");
    stdout.write(completionScript(readWord(String(shell), SHELLS, "shell"), commands));
    return ExitCode.pass;
  },
};
