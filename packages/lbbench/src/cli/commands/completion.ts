import { ExitCode, type Command } from "../io.js";

/** `lbbench completion`. */
export const completionCommand: Command = {
  name: "completion",
  summary: "print a script that completes command lines",
  about: "Prints the script that lets a shell complete commands, flags and their words. It asks lbbench for them.",
  arguments: [
    { name: "<shell>", about: "bash, zsh or fish", words: ["bash", "zsh", "fish"] },
    { name: "[words...]", about: "behind `words` in place of a shell: print what may follow on a command line" },
  ],
  examples: ["completion bash >> ~/.bashrc", "completion zsh > ~/.zfunc/_lbbench", "completion fish | source"],
  run: async ([shell, words = []], _, { stdout, commands }) => {
    const { completeWords, SCRIPTS } = await import("../completion.js");
    if (shell === "words") {
      const lines = completeWords([words].flat(), commands);
      stdout.write(lines.map((line) => `${line}\n`).join(""));
      return ExitCode.pass;
    }
    const { readWord } = await import("../flags.js");
    const given = [shell, words].flat().join(" ");
    stdout.write(SCRIPTS[readWord(given, Object.keys(SCRIPTS), "shell")] ?? "");
    return ExitCode.pass;
  },
};
