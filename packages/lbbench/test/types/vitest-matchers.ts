/** What users of `lbbench/vitest` may write, and what has to be an error. Checked by tsc, never run. */
import { readResult, sweep, type Result } from "lbbench";
import { startBalancer, startServer, type StartedBalancer } from "lbbench/vitest";
import { expect } from "vitest";

export async function checkVitest(result: Result): Promise<void> {
  const outcome = await sweep();
  expect(result).toMeet("p99<50ms");
  expect(outcome).toMeet(["p99<50ms", "errors<1%"], { target: "single", connections: [1, 10] });
  expect(result).not.toMeet("p99<50ms");
  expect(result).toMeet("errors<=0", { rate: 100 });
  expect(result).toBeNoSlowerThan("base", { margin: "5%", errorMargin: 0.001 });
  expect(result).toBeNoSlowerThan(await readResult("reports/base"), { targets: [["old", "new"]] });
  expect(result).not.toBeNoSlowerThan(outcome);
  expect(outcome).toPass();
  await expect(sweep()).resolves.toMeet("p99<50ms");
  expect({ result }).toEqual({ result: expect.toMeet("p99<50ms") });

  // @ts-expect-error a threshold is a text
  expect(result).toMeet(50);
  // @ts-expect-error a threshold is needed
  expect(result).toMeet();
  // @ts-expect-error there is no such part
  expect(result).toMeet("p99<50ms", { targets: "single" });
  // @ts-expect-error a baseline is needed
  expect(result).toBeNoSlowerThan();
  // @ts-expect-error a baseline is a name, a path or a result
  expect(result).toBeNoSlowerThan(5);
  // @ts-expect-error there is no such option
  expect(result).toBeNoSlowerThan("base", { marign: "5%" });
  // @ts-expect-error a text is no result
  expect("result.json").toMeet("p99<50ms");
  // @ts-expect-error nor is a response
  expect(await fetch("http://127.0.0.1")).toPass();
  // @ts-expect-error there is no such matcher
  expect(result).toBeQuick();

  await using server = await startServer("cluster", { workers: 2 });
  const balancer: StartedBalancer = await startBalancer([server, server.url, { url: server.url, weight: 2 }], {
    policy: "least-connections",
  });
  const shares: Readonly<Record<string, { readonly requests: number }>> = await balancer.backends();
  await balancer.stop();
  expect(shares).toBeDefined();
  // @ts-expect-error there is no such option
  await startBalancer([server], { polcy: "random" });
}
