/** A program that is useful beside lbbench. */
export interface Tool {
  readonly name: string;
  /** Arguments that make it print its version, to either stream. */
  readonly args: readonly string[];
  /** What goes without it. */
  readonly purpose: string;
  /** A line for a shell. */
  readonly install: string;
}

/** The programs that the doctor looks for. */
export const TOOLS: readonly Tool[] = [
  { name: "nginx", args: ["-v"], purpose: "a balancer to compare with", install: "sudo apt install nginx-light" },
  { name: "haproxy", args: ["-v"], purpose: "a balancer to compare with", install: "sudo apt install haproxy" },
  { name: "ab", args: ["-V"], purpose: "for --engine ab", install: "sudo apt install apache2-utils" },
  { name: "wrk", args: ["-v"], purpose: "for --engine wrk", install: "sudo apt install wrk" },
  // It has no flag for its version, and says how it is used instead.
  { name: "hey", args: ["-h"], purpose: "for --engine hey", install: "sudo apt install hey" },
  { name: "go", args: ["version"], purpose: "for servers and tools in Go", install: "sudo apt install golang-go" },
  { name: "python3", args: ["--version"], purpose: "for servers in Python", install: "sudo apt install python3" },
];
