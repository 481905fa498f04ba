/** Share of the axis that two neighbouring labels need between them. */
const SMALLEST_DISTANCE = 0.045;

/** Leaves out ticks (rising) whose labels would run into the one before; the first and the last always stay. */
export function spacedTicks(ticks: readonly number[], scale: "linear" | "log"): readonly number[] {
  const place = (value: number): number => (scale === "log" ? Math.log(value) : value);
  const first = ticks[0];
  const last = ticks.at(-1);
  if (first === undefined || last === undefined || first === last) {
    return ticks;
  }
  const needed = (place(last) - place(first)) * SMALLEST_DISTANCE;
  const kept = ticks.slice(1, -1).reduce<readonly number[]>(
    (sofar, tick) => {
      const isClear = place(tick) - place(sofar.at(-1) ?? first) >= needed && place(last) - place(tick) >= needed;
      return isClear ? [...sofar, tick] : sofar;
    },
    [first],
  );
  return [...kept, last];
}
