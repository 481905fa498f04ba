/** What is done to a chart with mouse, pen, fingers and keys. */
import type { Stretch } from "./chart-view.js";
import { type Rectangle, ZOOM_STEP } from "./controls.js";
import { type Direction, moveReading, type Reading } from "./readings.js";

/** A place in the chart, in CSS pixels from its corner. */
export interface Place {
  readonly left: number;
  readonly top: number;
}

/** What is done with mouse, pen and fingers. */
export interface GestureActions {
  readonly pointAt: (place: Place) => void;
  readonly leave: () => void;
  /** A piece is being picked; `done` when the button is let go. */
  readonly pick: (from: Place, to: Place, done: boolean) => void;
  /** Two fingers move: places in CSS pixels from the left of the chart. */
  readonly stretch: (stretch: Stretch, isFirst: boolean) => void;
  /** The wheel is turned while ctrl is held; above 1 brings nearer. */
  readonly wheel: (place: Place, factor: number) => void;
}

/** From this many pixels on, a press is meant to pick a piece. */
const LEAST_DRAG = 6;
const WHEEL_SPEED = 0.0025;

/**
 * Listens to pointers on a chart. Plain scrolling stays with the page, by wheel and by one finger; zooming is a drag with the mouse,
 * two fingers, or the wheel with ctrl (which is what touchpads send for a pinch).
 */
export function listenToGestures(plot: HTMLElement, actions: GestureActions): void {
  const fingers = new Map<number, Place>();
  let start: Place | undefined;
  let isPicking = false;
  let pinchedFrom: readonly [Place, Place] | undefined;

  const placeOf = ({ clientX, clientY }: MouseEvent): Place => {
    const { left, top } = plot.getBoundingClientRect();
    return { left: clientX - left, top: clientY - top };
  };
  const end = (event: PointerEvent, isCancelled: boolean): void => {
    fingers.delete(event.pointerId);
    pinchedFrom = undefined;
    // One finger of a pinch that stays is no gesture of its own.
    if (start !== undefined && isPicking) actions.pick(start, isCancelled ? start : placeOf(event), true);
    start = undefined;
    isPicking = false;
  };

  plot.addEventListener("pointerdown", (event) => {
    const place = placeOf(event);
    if (event.pointerType === "touch") {
      fingers.set(event.pointerId, place);
      actions.pointAt(place);
    } else if (event.button === 0) {
      start = place;
    }
  });
  plot.addEventListener("pointermove", (event) => {
    const place = placeOf(event);
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, place);
    const [one, other] = [...fingers.values()];
    if (one !== undefined && other !== undefined) {
      const isFirst = pinchedFrom === undefined;
      pinchedFrom ??= [one, other];
      actions.stretch(stretchOf(pinchedFrom, [one, other]), isFirst);
      return;
    }
    if (
      start !== undefined &&
      (isPicking || Math.hypot(place.left - start.left, place.top - start.top) >= LEAST_DRAG)
    ) {
      // Only now, as a capture would take the click from what was merely pressed.
      if (!isPicking) plot.setPointerCapture(event.pointerId);
      isPicking = true;
      actions.pick(start, place, false);
      return;
    }
    actions.pointAt(place);
  });
  plot.addEventListener("pointerup", (event) => end(event, false));
  plot.addEventListener("pointercancel", (event) => end(event, true));
  plot.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") actions.leave();
  });
  plot.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      actions.wheel(placeOf(event), Math.exp(-event.deltaY * WHEEL_SPEED));
    },
    { passive: false },
  );
}

function stretchOf([a, b]: readonly [Place, Place], [c, d]: readonly [Place, Place]): Stretch {
  const apart = (one: Place, other: Place): number => Math.hypot(one.left - other.left, one.top - other.top);
  return {
    from: (a.left + b.left) / 2,
    to: (c.left + d.left) / 2,
    factor: Math.max(1, apart(c, d)) / Math.max(1, apart(a, b)),
  };
}

/** What is dragged over; it has a height of its own if the drag went up or down as well. */
export interface Piece extends Rectangle {
  readonly hasHeight: boolean;
}

/** From this height on, in pixels, a drag is meant for the value axis too. */
const LEAST_HEIGHT = 24;

/** Returns the part of a panel that is dragged over, from one place to another: all of its height unless the drag has some. */
export function pickPiece(from: Place, to: Place, panel: Rectangle): Piece {
  const hasHeight = Math.abs(to.top - from.top) >= LEAST_HEIGHT;
  const across = (left: number): number => Math.max(panel.left, Math.min(panel.right, left));
  const down = (top: number): number => Math.max(panel.top, Math.min(panel.bottom, top));
  return {
    left: across(Math.min(from.left, to.left)),
    right: across(Math.max(from.left, to.left)),
    top: hasHeight ? down(Math.min(from.top, to.top)) : panel.top,
    bottom: hasHeight ? down(Math.max(from.top, to.top)) : panel.bottom,
    hasHeight,
  };
}

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
