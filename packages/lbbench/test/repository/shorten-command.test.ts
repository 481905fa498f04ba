import { parseArgsStringToArgv } from "string-argv";
import { expect, it } from "vitest";
import { shortenCommand } from "./shorten-command.js";

it.each([
  ["sweep http://a/ -c 10:100:10 -d 5s", "sweep http://a/ -c 10,20 --trials 1 --warmup 0 -d 150ms"],
  ["sweep -t single --trials 6", "sweep -t single --trials 2 -c 1,4 --warmup 0 -d 150ms"],
  ["sweep http://a/ -c 1,10,100 -n 1000,10000", "sweep http://a/ -c 1,10 -n 200 --trials 1 --warmup 0"],
  ["sweep http://a/ --engine wrk -d 5s -c 10,100", "sweep http://a/ --engine wrk -c 10,20 --trials 1 --warmup 0 -d 1s"],
  ["sweep --resume reports/a", "sweep --resume reports/a"],
  ["ramp --to 100 --over 99s", "ramp --to 100 --over 1s --hold 300ms"],
  ["compare a b", "compare a b"],
])("%s becomes %s", (shown, short) => {
  expect(shortenCommand(parseArgsStringToArgv(shown)).join(" ")).toBe(short);
});
