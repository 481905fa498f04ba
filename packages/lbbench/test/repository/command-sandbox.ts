import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { createServer as createSecureServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startWebSocket } from "@lbbench/backends";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { keptText } from "../../src/import/test-support/kept-output.js";
import { standUp } from "../../src/testing/ground-truth/truth-server.js";
import { BIN } from "../support/run-cli.js";
import { LOCALHOST } from "@lbbench/test-support/certificates.js";
import { inRepository } from "@lbbench/test-support/repository.js";

const PROTO = `syntax = "proto3";
package package;
message Asked { int32 id = 1; }
message Answered { string text = 1; }
service Service { rpc Method(Asked) returns (Answered); }
`;
const MIX = [{ path: "/" }, { path: "/search?q=shoes", weight: 2 }];

/** Makes a folder with everything that the documents' commands name, and starts servers that answer them; `close` undoes both. */
export async function openSandbox() {
  const folder = mkdtempSync(join(tmpdir(), "lbbench-commands-"));
  writeFiles(folder);
  const answer = createServer((request, response) => {
    request.resume();
    response.writeHead(request.method === "POST" ? 201 : 200).end("hello");
  });
  const http = await standUp(answer, "http");
  const hello = (_: unknown, response: { readonly end: (text: string) => unknown }): void => void response.end("hello");
  const http2 = await standUp(createHttp2Server(hello), "http");
  const https = await standUp(createSecureServer(LOCALHOST, hello), "https");
  const grpc = await startGrpcServer(join(folder, "service.proto"));
  const echo = await startWebSocket({ handler: "hello" });
  return {
    folder,
    /** Where `npx lbbench` is that of this repository. */
    bin: join(folder, "bin"),
    urls: {
      http: http.url,
      http2: http2.url,
      https: https.url,
      grpc: `grpc://127.0.0.1:${grpc.port}`,
      ws: `${echo.url}/`,
    },
    close: () => {
      grpc.stop();
      void echo.stop();
      for (const { close } of [http, http2, https]) void close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeFiles(folder: string): void {
  for (const name of ["examples", "node_modules"]) symlinkSync(inRepository(name), join(folder, name));
  for (const copy of ["reports/sample-sweep", "reports/r1/servers", "before", "after"])
    cpSync(inRepository("reports/sample-sweep"), join(folder, copy), { recursive: true });
  for (const file of ["runs.txt", "before.txt", "after.txt"])
    writeFileSync(join(folder, file), keptText("ab/keep-alive"));
  writeFileSync(join(folder, "service.proto"), PROTO);
  writeFileSync(join(folder, "client.pem"), LOCALHOST.cert);
  writeFileSync(join(folder, "client.key"), LOCALHOST.key);
  writeFileSync(join(folder, "mix.json"), JSON.stringify(MIX));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/npx"), `#!/bin/sh\nshift\nexec "${process.execPath}" "${BIN}" "$@"\n`, {
    mode: 0o755,
  });
}

async function startGrpcServer(proto: string): Promise<{ readonly port: number; readonly stop: () => void }> {
  const server = new Server();
  const service = loadSync(proto)["package.Service"] as Parameters<Server["addService"]>[0];
  server.addService(service, {
    Method: (_: unknown, done: (error: null, value: { text: string }) => void) => done(null, { text: "hello" }),
  });
  const bind = promisify(server.bindAsync.bind(server));
  return { port: await bind("127.0.0.1:0", ServerCredentials.createInsecure()), stop: () => server.forceShutdown() };
}
