import { status, type ServiceError } from "@grpc/grpc-js";
import { validateHeaderValue, type IncomingMessage, type ServerResponse } from "node:http";
import type { Handler } from "../handlers/handler-kind.js";
import { gatewayStatus } from "./http-status.js";
import type { WorkChannels } from "./work-channels.js";
import type { WorkReply } from "./work-method.js";

/** A handler that calls the service once for each request and answers with its reply, or with a 5xx when there is none. */
export function gatewayHandler(channels: WorkChannels): Handler {
  return (request, response) =>
    collectBody(request, (body) => {
      const giveUp = channels.call({ body, contentType: request.headers["content-type"] ?? "" }, (error, reply) => {
        // The client has gone, and with it whoever could be told.
        if (response.destroyed) return;
        if (error !== null || reply === undefined) answerFailure(response, error);
        else answerReply(response, reply);
      });
      response.on("close", () => {
        if (!response.writableEnded) giveUp();
      });
    });
}

function collectBody(request: IncomingMessage, then: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => then(Buffer.concat(chunks)));
}

function answerReply(response: ServerResponse, reply: WorkReply): void {
  if (!isAnswer(reply)) {
    answer(response, 502, PLAIN, `The service's reply is no HTTP answer: status ${reply.status}.\n`);
    return;
  }
  answer(response, reply.status, reply.contentType, reply.body);
}

/** Whether the reply can be sent over HTTP; the service may be any that knows the messages. */
function isAnswer({ status: httpStatus, contentType }: WorkReply): boolean {
  try {
    validateHeaderValue("content-type", contentType);
  } catch {
    return false;
  }
  return httpStatus >= 200 && httpStatus <= 599;
}

function answerFailure(response: ServerResponse, error: ServiceError | null): void {
  const code = error?.code ?? status.UNKNOWN;
  answer(response, gatewayStatus(code), PLAIN, `${status[code]}: ${error?.details ?? "no reply"}\n`);
}

const PLAIN = "text/plain; charset=utf-8";

function answer(response: ServerResponse, httpStatus: number, contentType: string, body: string | Buffer): void {
  response.writeHead(httpStatus, ["Content-Type", contentType, "Content-Length", String(Buffer.byteLength(body))]);
  response.end(body);
}
