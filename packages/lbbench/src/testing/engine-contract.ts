import type { Engine } from "../plugin.js";
import type { ContractCase } from "./contract-case.js";
import { closedLoopChecks } from "./engine-contract/closed-loop-checks.js";
import { runCheck } from "./engine-contract/engine-check.js";
import { lifeCases } from "./engine-contract/life-cases.js";
import { openLoopChecks } from "./engine-contract/open-loop-checks.js";
import { rampChecks } from "./engine-contract/ramp-checks.js";
import { requestChecks } from "./engine-contract/request-checks.js";

/**
 * What every engine has to do, as far as its `supports` says that it can be asked for it: account for every request as the
 * server does, tell its progress, and end at once with what it has when it is aborted. Figures that a driven program does
 * not tell are not missed in an engine whose measurements name one (`program`).
 *
 * Loads of at most 200 requests or 2 s go to a server of this process: one that speaks HTTP, or gRPC for an engine that
 * does not speak HTTP. The latter answers any unary method with an empty message. The engine has the options that it gives
 * itself for `{}`, and its `check` is asked before.
 */
export function engineContract(engine: Engine): readonly ContractCase[] {
  const checks = [
    ...closedLoopChecks(engine),
    ...requestChecks(engine),
    ...openLoopChecks(engine),
    ...rampChecks(engine),
  ];
  return [...checks.map((one) => ({ name: one.name, run: () => runCheck(engine, one) })), ...lifeCases(engine)];
}
