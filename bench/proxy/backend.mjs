import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { answer, HUNDRED_KILOBYTES } from "./answers.mjs";
import { nginxBackend } from "./native-config.mjs";
import { freePorts, sentPorts, untilListening } from "./ports.mjs";
import { installed, makeFolder, start } from "./processes.mjs";

async function startNginx(count) {
  // Echoes for nginx in this process: it is asked only before the measurements, and idle in them.
  const echo = createServer(answer).listen(0, "127.0.0.1");
  await once(echo.unref(), "listening");
  const folder = await makeFolder();
  const ports = await freePorts(count);
  const config = join(folder, "nginx.conf");
  await writeFile(join(folder, "100k"), HUNDRED_KILOBYTES);
  await writeFile(config, nginxBackend({ folder, ports, echoPort: echo.address().port }));
  const child = start("generator", "nginx", ["-c", config, "-p", folder, "-e", join(folder, "error.log")]);
  for (const port of ports) await untilListening(child, "nginx as the backend", port);
  return { program: "nginx", ports };
}

async function startNode(count) {
  const file = fileURLToPath(new URL("backend-server.mjs", import.meta.url));
  const stdio = ["ignore", "inherit", "inherit", "ipc"];
  const child = start("generator", process.execPath, [file, String(count)], { stdio });
  return { program: "node", ports: await sentPorts(child, "the backend") };
}

/** Starts the backend on `count` ports: nginx where it is installed, else a server in Node. Resolves to its URLs. */
export async function startBackend(count) {
  const { program, ports } = installed("nginx", ["-v"]) ? await startNginx(count) : await startNode(count);
  return { program, urls: ports.map((port) => `http://127.0.0.1:${port}`) };
}
