import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { haproxy, nginxProxy } from "./native-config.mjs";
import { freePorts, sentPorts, untilListening } from "./ports.mjs";
import { makeFolder, start } from "./processes.mjs";

async function startNode({ name, process: program, ours }, backends, nodeFlags) {
  const args = [...nodeFlags, fileURLToPath(program), ...(ours ? [JSON.stringify(ours)] : []), ...backends];
  const child = start("contender", process.execPath, args, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const [port] = await sentPorts(child, name);
  return { child, port };
}

async function startNative({ name, native }, backends) {
  const folder = await makeFolder();
  const [port] = await freePorts(1);
  const file = join(folder, `${native}.conf`);
  const mode = name === "haproxy-tcp" ? "tcp" : "http";
  const config = native === "nginx" ? nginxProxy({ folder, port, backends }) : haproxy({ mode, port, backends });
  await writeFile(file, config);
  const args =
    native === "nginx" ? ["-c", file, "-p", folder, "-e", join(folder, "error.log")] : ["-db", "-q", "-f", file];
  const child = start("contender", native, args);
  await untilListening(child, name, port);
  return { child, port };
}

/** Starts a contender over the backends; resolves to its URL and process id when it listens. */
export async function startContender(contender, backends, nodeFlags) {
  const begun = contender.native ? startNative(contender, backends) : startNode(contender, backends, nodeFlags);
  const { child, port } = await begun;
  return { ...contender, pid: child.pid, url: `http://127.0.0.1:${port}` };
}
