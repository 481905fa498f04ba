// A server or a client of gRPC, for tests of the balancer. README.md of this folder says what it is told and what it prints.
import { once } from "node:events";
import { Client, credentials, Metadata, Server, ServerCredentials } from "@grpc/grpc-js";

const same = (bytes) => bytes;

const print = (line) => process.stdout.write(`${line}\n`);

function methodOf(name, requestStream, responseStream) {
  const codecs = {
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  };
  return { path: `/test.Test/${name}`, requestStream, responseStream, ...codecs };
}

const METHODS = {
  unary: methodOf("Unary", false, false),
  fail: methodOf("Fail", false, false),
  wait: methodOf("Wait", false, false),
  down: methodOf("Down", false, true),
  up: methodOf("Up", true, false),
  both: methodOf("Both", true, true),
};

/** Metadata of names and values; those whose name ends in `-bin` are bytes. */
function metadataOf(values) {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(values)) metadata.set(name, value);
  return metadata;
}

const first = (metadata, name, otherwise = "") => metadata.get(name)[0] ?? otherwise;

async function serve() {
  const server = new Server();
  server.addService(METHODS, {
    unary(call, done) {
      const value = first(call.metadata, "x-given");
      const left = call.getDeadline() - Date.now();
      call.sendMetadata(metadataOf({ "x-leading": value }));
      const trailers = metadataOf({
        "x-trailing": value,
        "x-trailing-bin": first(call.metadata, "x-given-bin", Buffer.of()),
        "x-deadline": String(left > 0 && left <= 60_000),
      });
      done(null, call.request, trailers);
    },
    fail(call, done) {
      const [, code, details] = /^(\d+) (.*)$/.exec(call.request.toString());
      const metadata = metadataOf({ "grpc-status-details-bin": first(call.metadata, "x-status-bin") });
      done({ code: Number(code), details, metadata });
    },
    wait(call) {
      call.on("cancelled", () => print("cancelled"));
    },
    down(call) {
      for (let at = 0; at < Number(call.request); at++) call.write(Buffer.alloc(1000, at));
      call.end();
    },
    up(call, done) {
      let total = 0;
      call.on("data", (message) => (total += message.length));
      call.on("end", () => done(null, Buffer.from(String(total))));
    },
    both(call) {
      call.on("data", (message) => call.write(message));
      call.on("end", () => call.end());
    },
  });
  const port = await new Promise((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  print(`port ${port}`);
}

async function call(client, failure, statusHex) {
  return {
    unary: await callUnary(client),
    down: await callDown(client),
    up: await callUp(client),
    both: await callBoth(client),
    fail: await callFail(client, failure, Buffer.from(statusHex, "hex")),
    deadline: (await failureOf(client, METHODS.wait, "", new Metadata(), { deadline: Date.now() + 300 })).code,
  };
}

function callUnary(client) {
  const given = metadataOf({ "x-given": "with it", "x-given-bin": Buffer.of(0, 255) });
  return new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + 60_000 };
    let answer;
    let leading;
    const done = (error, message) => (error === null ? (answer = message.toString()) : reject(error));
    const made = client.makeUnaryRequest(METHODS.unary.path, same, same, Buffer.from("hello"), given, options, done);
    made.on("metadata", (metadata) => (leading = first(metadata, "x-leading")));
    // It comes last.
    made.on("status", ({ metadata }) =>
      resolve({
        answer,
        leading,
        trailing: first(metadata, "x-trailing"),
        trailingBin: first(metadata, "x-trailing-bin", Buffer.of()).toString("hex"),
        deadline: first(metadata, "x-deadline"),
      }),
    );
  });
}

async function callDown(client) {
  const messages = [];
  const stream = client.makeServerStreamRequest(METHODS.down.path, same, same, Buffer.from("200"));
  for await (const message of stream) messages.push(`${message.length} of ${message[0]}`);
  return messages;
}

function callUp(client) {
  return new Promise((resolve, reject) => {
    const done = (error, answer) => (error === null ? resolve(answer.toString()) : reject(error));
    const stream = client.makeClientStreamRequest(METHODS.up.path, same, same, done);
    for (let at = 0; at < 200; at++) stream.write(Buffer.alloc(1000));
    stream.end();
  });
}

async function callBoth(client) {
  const stream = client.makeBidiStreamRequest(METHODS.both.path, same, same);
  const said = [];
  for (let at = 0; at < 20; at++) {
    stream.write(Buffer.from(`round ${at}`));
    const [message] = await once(stream, "data");
    said.push(message.toString());
  }
  stream.on("data", (message) => {
    throw new Error(`expected the end of the stream, got ${message}`);
  });
  const ended = once(stream, "end");
  stream.end();
  await ended;
  return said;
}

function failureOf(client, { path }, request, given, options = {}) {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(path, same, same, Buffer.from(request), given, options, (error) =>
      error === null ? reject(new Error("expected a failed call")) : resolve(error),
    );
  });
}

async function callFail(client, failure, wanted) {
  const { code, details, metadata } = await failureOf(
    client,
    METHODS.fail,
    failure,
    metadataOf({ "x-status-bin": wanted }),
  );
  return { code, message: details, details: first(metadata, "grpc-status-details-bin", Buffer.of()).toString("hex") };
}

const [command, port, ...args] = process.argv.slice(2);
if (command === "serve") {
  await serve();
} else if (command === "call") {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  print(JSON.stringify(await call(client, ...args)));
  client.close();
} else throw new Error(`expected serve or call, got ${command}`);
