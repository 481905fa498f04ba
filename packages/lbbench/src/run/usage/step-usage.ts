import { attributeBottleneck } from "../../judge/bottleneck.js";
import type { ProcessUsage, Role, Usage } from "../../model/usage.js";
import type { GeneratorUsage } from "../../plugin.js";
import type { UsageWindow } from "./usage-sampler.js";

/** Puts together what all processes of a step used, by role, and what limited it; without a window nothing did. */
export function stepUsage(window: UsageWindow | undefined, generators: readonly GeneratorUsage[]): Usage {
  const ofRole = (wanted: Role): readonly ProcessUsage[] =>
    (window?.processes ?? []).flatMap(({ role, ...used }) => (role === wanted ? [used] : []));
  const balancer = ofRole("balancer");
  const backends = ofRole("backend");
  const usage = {
    generator: generators,
    ...(balancer.length === 0 ? {} : { balancer }),
    ...(backends.length === 0 ? {} : { backends }),
    machine: window?.machine ?? 0,
    ...(window?.steal === undefined ? {} : { steal: window.steal }),
    windowMs: window?.windowMs ?? 0,
  };
  return { ...usage, bottleneck: attributeBottleneck(usage) };
}
