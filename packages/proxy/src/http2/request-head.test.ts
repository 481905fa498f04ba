import { describe, expect, it } from "vitest";
import { requestHeadOf } from "./request-head.js";
import { fieldsOf } from "../http/head-of-fields.js";

const GET = [":method", "GET", ":scheme", "https", ":path", "/a?b=c", ":authority", "shop.test:81"];

function lines(fields: readonly string[], ends = true): string[] {
  const text = requestHeadOf(fields, ends);
  expect(text).toMatch(/\r\n\r\n$/);
  return text.split("\r\n").slice(0, -2);
}

describe("the head of HTTP/1.1 for a request of HTTP/2", () => {
  it("has the path, the authority as its Host, and all other fields in their order", () => {
    const head = lines([...GET, "x-b", "1", "x-a", "2", "x-b", "3", "te", "trailers"]);
    expect(head.slice(0, 2)).toEqual(["GET /a?b=c HTTP/1.1", "Host: shop.test:81"]);
    expect(head.slice(2)).toEqual(["x-b: 1", "x-a: 2", "x-b: 3", "te: trailers"]);
  });

  it("has Host from the field of that name where there is no authority, and one Host where there are both", () => {
    expect(lines([...GET.slice(0, 6), "host", "other.test"])).toEqual(["GET /a?b=c HTTP/1.1", "Host: other.test"]);
    expect(lines([...GET, "host", "shop.test:81"])).toEqual(["GET /a?b=c HTTP/1.1", "Host: shop.test:81"]);
    expect(lines(GET.slice(0, 6))).toEqual(["GET /a?b=c HTTP/1.1"]);
  });

  it("joins the pieces that clients cut cookies into", () => {
    const others = lines([...GET, "cookie", "a=1", "x-a", "2", "cookie", "b=2"]).slice(2);
    expect(others).toEqual(["x-a: 2", "cookie: a=1; b=2"]);
  });

  const POST = [":method", "POST", ...GET.slice(2)];
  const SEVEN = ["content-length", "7"];
  it.each<[what: string, fields: readonly string[], ends: boolean, says: readonly string[]]>([
    ["by its length", [...POST, ...SEVEN], false, ["content-length: 7"]],
    ["by its length, which is said twice", [...POST, ...SEVEN, ...SEVEN], false, ["content-length: 7"]],
    ["in chunks", POST, false, ["Transfer-Encoding: chunked"]],
    ["in chunks, of a GET", GET, false, ["Transfer-Encoding: chunked"]],
    ["not at all, where one is usual", POST, true, ["Content-Length: 0"]],
    ["not at all", GET, true, []],
  ])("says how the body comes: %s", (_, fields, ends, says) => {
    expect(lines(fields, ends).slice(2)).toEqual(says);
  });

  it("has the authority as the target of CONNECT, which has no path", () => {
    expect(lines([":method", "CONNECT", ":authority", "a:80"])).toEqual(["CONNECT a:80 HTTP/1.1", "Host: a:80"]);
  });
});

describe("the fields of lines of HTTP/1.1", () => {
  it("are names in small letters and values as they are, behind the status of an answer", () => {
    const text = "HTTP/1.1 204 No: Content\r\nX-A: b: c\r\nx-empty:\r\nx-none: \r\nx-tight:d\r\nX-High: \xe9\xa0\r\n";
    expect(fieldsOf(text).join("|")).toBe(":status|204|x-a|b: c|x-empty||x-none||x-tight|d|x-high|\xe9\xa0");
    expect(fieldsOf("Grpc-Status: 0\r\n")).toEqual(["grpc-status", "0"]);
    expect(fieldsOf("")).toEqual([]);
  });
});
