import { describe, expect, it } from "vitest";
import { balancerView, configNames } from "./balancer-program-view.js";
import { nginxServer } from "./nginx/nginx.js";
import { StartError } from "./start-error.js";

const PLACE = { port: 8080, folder: "/tmp/x" };
const OPTIONS = nginxServer.options.parse({});

describe("balancerView", () => {
  it.each([
    ["http://127.0.0.1:9000", "127.0.0.1:9000"],
    ["http://example.org", "example.org:80"],
    ["http://[::1]:9000", "[::1]:9000"],
  ])("gives %s the address %s", (url, address) => {
    const [backend] = balancerView(OPTIONS, [{ name: "a", url, weight: 2 }], PLACE).backends;
    expect(backend).toEqual({ name: "a", address, weight: 2, maxConnections: null });
  });

  it.each(["https://127.0.0.1:9000", "http://a;b:80", "http://a'b", "http://a{b}", "http://$x"])(
    "refuses the backend %s",
    (url) => {
      expect(() => balancerView(OPTIONS, [{ name: "a", url, weight: 1 }], PLACE)).toThrow(StartError);
    },
  );
});

describe("configNames", () => {
  it("leaves nothing in a name that could mean something, and no two the same", () => {
    const names = ["backend-1", "a b", "a\nserver x", "a;b", "a_b", "é#", '"', "a_b"];
    const words = configNames(names);
    expect(words).toEqual(["backend-1", "a_b", "a_server_x", "a_b_2", "a_b_3", "__", "_", "a_b_4"]);
    expect(new Set(words).size).toBe(names.length);
  });
});
