import { moveReading, type Direction, type Reading } from "./readings.js";
import { ZOOM_STEP } from "./toolbar.js";

/** What a chart does when it has the focus. */
export interface KeyActions {
  readonly readings: () => readonly Reading[];
  readonly active: () => Reading | undefined;
  readonly activate: (reading: Reading) => void;
  readonly zoom: (factor: number) => void;
  readonly reset: () => void;
  readonly leave: () => void;
}

const DIRECTIONS: ReadonlyMap<string, Direction> = new Map([
  ["ArrowLeft", "previous"],
  ["ArrowRight", "next"],
  ["Home", "first"],
  ["End", "last"],
  ["ArrowUp", "series above"],
  ["ArrowDown", "series below"],
]);

/** Returns what listens to the keys of a chart: arrows, Home and End, plus, minus, zero and Escape; others stay with the page. */
export function keyActions(actions: KeyActions): (event: KeyboardEvent) => void {
  const others = new Map<string, () => void>([
    ["+", () => actions.zoom(ZOOM_STEP)],
    ["=", () => actions.zoom(ZOOM_STEP)],
    ["-", () => actions.zoom(1 / ZOOM_STEP)],
    ["0", actions.reset],
    ["Escape", actions.leave],
  ]);
  return (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const direction = DIRECTIONS.get(event.key);
    const action = others.get(event.key);
    if (direction === undefined && action === undefined) return;
    event.preventDefault();
    action?.();
    const reading = direction === undefined ? undefined : moveReading(actions.readings(), actions.active(), direction);
    if (reading !== undefined) actions.activate(reading);
  };
}
