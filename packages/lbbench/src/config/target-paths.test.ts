import { expect, test } from "vitest";
import { targetPaths } from "./target-paths.js";

test("the paths of targets are those of the URLs at which they answer, each once", () => {
  const at = (server: string, url?: string) => ({ server, options: url === undefined ? {} : { url } });
  expect(targetPaths([at("url", "http://a.test:8080/api?k=1#x"), at("url", "https://b.test/api?k=1")])).toEqual([
    "/api?k=1",
  ]);
  expect(targetPaths([at("command", "http://127.0.0.1:{port}/own"), at("single"), at("url", "http://a.test")])).toEqual(
    ["/own", "/"],
  );
  expect(targetPaths([at("other", "http://a.test/elsewhere")])).toEqual(["/"]);
});
