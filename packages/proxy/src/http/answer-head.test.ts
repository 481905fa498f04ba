import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { answerHeaders, type AnswerHeadOptions } from "./answer-head.js";

const plain: AnswerHeadOptions = { backendHeader: false, backendName: "one", closing: false };

function answerWith(...rawHeaders: string[]): IncomingMessage {
  return { rawHeaders } as IncomingMessage;
}

describe("answerHeaders", () => {
  it("keeps the spelling, the order and the repetition of headers", () => {
    const headers = ["X-A", "1", "Set-Cookie", "a=1", "Set-Cookie", "b=2", "Content-Length", "3"];
    expect(answerHeaders(answerWith(...headers), "1.1", plain)).toEqual(headers);
  });

  it("leaves out the headers of the connection between balancer and backend", () => {
    const answer = answerWith("Connection", "keep-alive", "Keep-Alive", "timeout=5", "Upgrade", "h2c", "X-A", "1");
    expect(answerHeaders(answer, "1.1", plain)).toEqual(["X-A", "1"]);
  });

  it("tells only a client of HTTP/1.1 of chunks", () => {
    const answer = answerWith("Transfer-Encoding", "chunked");
    expect(answerHeaders(answer, "1.1", plain)).toEqual(["Transfer-Encoding", "chunked"]);
    expect(answerHeaders(answer, "1.0", plain)).toEqual([]);
  });

  it("names the backend on request, in place of what the backend said", () => {
    const answer = answerWith("x-backend", "somebody else");
    expect(answerHeaders(answer, "1.1", { ...plain, backendHeader: "X-Backend" })).toEqual(["X-Backend", "one"]);
  });

  it("asks the client to close when the balancer closes", () => {
    expect(answerHeaders(answerWith(), "1.1", { ...plain, closing: true })).toEqual(["Connection", "close"]);
  });
});
