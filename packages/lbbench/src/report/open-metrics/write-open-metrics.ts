import type { OpenMetricsContentType } from "prom-client";
import { groupBy } from "../../stats/group-by.js";
import { cleanNames } from "../clean-text.js";
import type { Family, Sample } from "./family.js";

const CONTENT_TYPE: OpenMetricsContentType = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/** Returns families as OpenMetrics 1.0 text, which ends with `# EOF`; those without a sample are left out. */
export async function writeOpenMetrics(families: readonly Family[]): Promise<string> {
  const { Counter, Gauge, Registry } = await import("prom-client");
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(CONTENT_TYPE);
  for (const { name, type, help, labels, samples } of cleanLabels(families).filter(hasSamples)) {
    const options = { name, help, labelNames: [...labels], registers: [registry] };
    if (type === "counter") {
      const counter = new Counter(options);
      for (const sample of samples) counter.inc(sample.labels, sample.value);
    } else {
      const gauge = new Gauge(options);
      for (const sample of samples) gauge.set(sample.labels, sample.value);
    }
  }
  return registry.metrics();
}

function hasSamples({ samples }: Family): boolean {
  return samples.length > 0;
}

/** With values of labels that are plain lines; those of one label that differ still do, else series would fall together. */
function cleanLabels(families: readonly Family[]): readonly Family[] {
  const labels = families.flatMap(({ samples }) => samples.flatMap((sample) => Object.entries(sample.labels)));
  const clean = new Map(
    [...groupBy(labels, ([label]) => label)].map(([label, pairs]) => [
      label,
      cleanNames(pairs.map(([, text]) => text)),
    ]),
  );
  const cleanOne = (sample: Sample): Sample => ({
    ...sample,
    labels: Object.fromEntries(
      Object.entries(sample.labels).map(([label, text]) => [label, clean.get(label)?.get(text) ?? text]),
    ),
  });
  return families.map((family) => ({ ...family, samples: family.samples.map(cleanOne) }));
}
