import { element } from "../element.js";
import type { Place } from "./gestures.js";

/** A rectangle in a chart, in CSS pixels from its corner. */
export interface Rectangle {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
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

/** The frame around what is dragged over. */
export interface Selection {
  /** Nothing hides it. */
  readonly show: (piece: Rectangle | undefined) => void;
}

/** Makes the frame, hidden, inside the element that the chart is drawn in. */
export function createSelection(plot: HTMLElement): Selection {
  const frame = element("div", { class: "chart-selection", "aria-hidden": "true" });
  frame.hidden = true;
  plot.append(frame);
  return {
    show: (piece) => {
      frame.hidden = piece === undefined;
      if (piece === undefined) return;
      const { left, right, top, bottom } = piece;
      Object.assign(frame.style, {
        left: `${left}px`,
        width: `${right - left}px`,
        top: `${top}px`,
        height: `${bottom - top}px`,
      });
    },
  };
}
