/**
 * The child's side of `startProcess`: answers its parent's calls, tells it that it is ready, and ends with it.
 *
 * @param {Record<string, (...values: any[]) => unknown>} functions what may be called, by name
 * @param {unknown} ready what the parent is told first
 */
export function serveCalls(functions, ready) {
  // The parent was gone before anybody listened for that.
  if (!process.connected) process.exit(0);
  process.on("disconnect", () => process.exit(0));
  const table = new Map(Object.entries(functions));
  const answer = async ({ id, name, values }) => {
    try {
      process.send?.({ id, value: await table.get(name)?.(...values) });
    } catch (error) {
      process.send?.({ id, error: String(error) });
    }
  };
  process.on("message", (call) => void answer(call));
  process.send?.({ ready });
}
