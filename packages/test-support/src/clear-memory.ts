import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { onTestFinished } from "vitest";

/** Has what nothing refers to forgotten again and again until the test ends, as it is in a long run. */
export function clearMemoryOften(): void {
  setFlagsFromString("--expose-gc");
  const timer = setInterval(runInNewContext("gc") as () => void, 20);
  onTestFinished(() => clearInterval(timer));
}
