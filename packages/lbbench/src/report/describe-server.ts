import type { BackendGroup, Target } from "../model/scenario.js";

type Options = Target["options"];

/**
 * Returns a server with its options in one line, what stands behind a balancer in brackets: `haproxy, backends (2 x pool,
 * pool 8, queue 20; "http://127.0.0.1:9000/"), policy "round-robin"`. It is plain text and may contain anything.
 */
export function describeServer(server: string, options: Options): string {
  return [server, ...Object.entries(options).map(([name, value]) => `${name} ${describeValue(value)}`)].join(", ");
}

function describeValue(value: unknown): string {
  return isGroups(value) ? `(${value.map(describeGroup).join("; ")})` : JSON.stringify(value);
}

function describeGroup({ name, server, options, count, weight }: BackendGroup): string {
  const named = name === null ? "" : `${JSON.stringify(name)}: `;
  const many = count === 1 ? "" : `${count} x `;
  return `${named}${many}${describeServer(server, options)}${weight === 1 ? "" : `, weight ${weight}`}`;
}

/** Whether an option is a list of backends; a plugin may call anything by that name. */
function isGroups(value: unknown): value is readonly BackendGroup[] {
  return Array.isArray(value) && value.length > 0 && value.every(isGroup);
}

function isGroup(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { server, options, count } = value as Partial<Record<keyof BackendGroup, unknown>>;
  return typeof server === "string" && typeof count === "number" && typeof options === "object" && options !== null;
}
