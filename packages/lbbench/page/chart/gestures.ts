/** What is done to a chart with mouse, pen and fingers. */
import type { Rectangle } from "./controls.js";

/** A place in the chart, in CSS pixels from its corner. */
export interface Place {
  readonly left: number;
  readonly top: number;
}

/** What a chart does when it is pointed at, dragged over, and stretched. */
interface GestureActions {
  readonly pointAt: (place: Place) => void;
  readonly leave: () => void;
  /** A piece is being picked; `isDone` when the button is let go. */
  readonly pick: (from: Place, to: Place, isDone: boolean) => void;
  /** What was at one place is moved to another, both in CSS pixels from the left, and everything around it grows by a factor. */
  readonly stretch: (from: number, to: number, factor: number) => void;
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

  const placeOf = ({ clientX, clientY }: MouseEvent): Place => {
    const { left, top } = plot.getBoundingClientRect();
    return { left: clientX - left, top: clientY - top };
  };
  const end = (event: PointerEvent, isCancelled: boolean): void => {
    fingers.delete(event.pointerId);
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
    const before = [...fingers.values()];
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, place);
    if (before.length > 1) {
      const [from, to] = [spanOf(before), spanOf([...fingers.values()])];
      actions.stretch(from.middle, to.middle, to.length / from.length);
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
      const { left } = placeOf(event);
      actions.stretch(left, left, Math.exp(-event.deltaY * WHEEL_SPEED));
    },
    { passive: false },
  );
}

function spanOf([one, other = one]: readonly Place[]): { readonly middle: number; readonly length: number } {
  if (one === undefined || other === undefined) return { middle: 0, length: 1 };
  const length = Math.max(1, Math.hypot(one.left - other.left, one.top - other.top));
  return { middle: (one.left + other.left) / 2, length };
}

/** What is dragged over; it has a height of its own if the drag went up or down as well. */
interface Piece extends Rectangle {
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
