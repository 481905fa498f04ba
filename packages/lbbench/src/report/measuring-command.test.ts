import { describe, expect, it } from "vitest";
import { measuringCommand } from "./measuring-command.js";

describe("measuringCommand", () => {
  it.each([
    ["npx lbbench sweep --rate 100:500:100 -d 1s -o rate --quiet", "npx lbbench sweep --rate 100:500:100 -d 1s"],
    ["npx lbbench sweep -o 'my run' -f html,json --charts none -c 1", "npx lbbench sweep -c 1"],
    ["npx lbbench max --out=x -ofail --live --live-port 0 --json --by rate", "npx lbbench max --by rate"],
  ])("leaves out of %s what measures nothing", (command, left) => {
    expect(measuringCommand(command)).toBe(left);
  });

  it.each([
    "npx lbbench sweep http://127.0.0.1:8080/ -c 1,10 --threshold 'p99<50ms'",
    "npx lbbench sweep -b '--quiet' -H 'X: -o y'",
    "npx lbbench sweep -b --quiet -c 1",
    "npx lbbench sweep -c 1 -- -o x",
    "npx lbbench sweep --order random --over 5s",
    String.raw`npx lbbench sweep -b 'it'\''s -o x'`,
  ])("keeps %s as it is", (command) => {
    expect(measuringCommand(command)).toBe(command);
  });
});
