import dns from "node:dns";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { answer } from "../../src/testing/ground-truth/action.js";
import { expectConservation, expectSameAccounts } from "./expect-accounts.js";
import { startTruthServer, type Behaviour } from "../../src/testing/ground-truth/truth-server.js";
import { measure } from "./measure.js";
import { HTTP1_SUBJECTS } from "./subjects.js";

const IPV4 = "127.0.0.1";
const IPV6 = "::1";
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === IPV6));

type Called = (...args: readonly unknown[]) => void;

/** Lets all names have these addresses until the test ends; tells how often they were asked for. */
function giveNames(addresses: readonly string[]): () => number {
  const lookup = dns.lookup as Called;
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  let asked = 0;
  vi.spyOn(dns, "lookup").mockImplementation(((name: string, ...more: readonly unknown[]) => {
    // Who listens at an address looks it up as well.
    if (isIP(name) !== 0) return lookup(name, ...more);
    asked += 1;
    setImmediate(more.at(-1) as Called, null, found);
  }) as typeof dns.lookup);
  onTestFinished(() => void vi.restoreAllMocks());
  return () => asked;
}

async function startAt(name: string, behaviour: Behaviour, host: string) {
  const server = await startTruthServer(behaviour, { host });
  const port = Number(new URL(server.url).port);
  return { ...server, url: `http://${name}:${port}/`, port };
}

const CLOSING = HTTP1_SUBJECTS.filter(({ engine }) => engine.supports.keepAliveOff);

describe.each(CLOSING)("$name, with a connection for each request,", (subject) => {
  const send = (server: Awaited<ReturnType<typeof startAt>>, requests: number) =>
    measure(subject, server, { connections: 1, requests }, { keepAlive: false });

  it.each<readonly [string, name: string, addresses: readonly string[], host: string, asked: number]>([
    ["localhost only once", "localhost", [IPV4], IPV4, 1],
    ["localhost only once where it refuses at its first address", "localhost", [IPV6, IPV4], IPV4, 1],
    ["any other name each time, as it may have other addresses then", "shop.test", [IPV4], IPV4, 40],
    ...(hasIpv6 ? [["localhost only once where it has IPv6 alone", "localhost", [IPV6], IPV6, 1] as const] : []),
  ])("asks for %s", async (_, name, addresses, host, asked) => {
    const timesAsked = giveNames(addresses);
    const hosts = new Set<string | undefined>();
    const behave: Behaviour = (_number, { head }) => {
      hosts.add(/^Host: (.*)$/m.exec(head)?.[1]);
      return answer();
    };
    const server = await startAt(name, behave, host);
    const { measurement, log } = await send(server, 40);
    expect(measurement.requests).toMatchObject({ sent: 40, ok: 40 });
    expectSameAccounts(measurement, log);
    expect([...hosts]).toEqual([`${name}:${server.port}`]);
    expect(timesAsked()).toBe(asked);
  });

  it.skipIf(!hasIpv6).each([
    ["loses only what was on its way where localhost goes on at another address", true],
    ["counts each request once that finds localhost nowhere any more", false],
  ])("%s", async (_, isElsewhere) => {
    giveNames([IPV4, IPV6]);
    const behave: Behaviour = (number) => {
      if (number === 20) void first.close();
      return answer();
    };
    const first = await startAt("localhost", behave, IPV4);
    const second = await startTruthServer(() => answer(), { host: IPV6, port: first.port });
    if (!isElsewhere) await second.close();
    const { measurement } = await send(first, 24);
    await second.close();
    const { resets, dropped, ...others } = measurement.requests;
    expect(resets + dropped).toBe(1);
    expect(others).toMatchObject({ sent: 24, ok: isElsewhere ? 23 : 19, connectErrors: isElsewhere ? 0 : 4 });
    expect(second.log.requests).toBe(isElsewhere ? 4 : 0);
    expectConservation(measurement);
  });
});
