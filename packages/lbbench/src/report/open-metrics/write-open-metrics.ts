import type { OpenMetricsContentType } from "prom-client";
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
  const clean = new Map([...valuesOfLabels(families)].map(([label, texts]) => [label, cleanNames(texts)]));
  const isClean = [...clean.values()].every((names) => [...names].every(([text, cleaned]) => text === cleaned));
  if (isClean) return families;
  const cleanOne = (sample: Sample): Sample => ({
    ...sample,
    labels: Object.fromEntries(
      Object.entries(sample.labels).map(([label, text]) => [label, clean.get(label)?.get(text) ?? text]),
    ),
  });
  return families.map((family) => ({ ...family, samples: family.samples.map(cleanOne) }));
}

/** Each value of each label once: there are few of them in very many samples. */
function valuesOfLabels(families: readonly Family[]): ReadonlyMap<string, ReadonlySet<string>> {
  const values = new Map<string, Set<string>>();
  for (const { samples } of families) {
    for (const { labels } of samples) {
      for (const [label, text] of Object.entries(labels)) {
        const known = values.get(label);
        if (known === undefined) values.set(label, new Set([text]));
        else known.add(text);
      }
    }
  }
  return values;
}
