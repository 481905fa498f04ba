import { describe, expect, test } from "vitest";
import { seededRandom } from "../../stats/seeded-random.js";
import { crosses, isInside, overlaps, placesAround } from "./tag-places.js";
import type { Box } from "./tag-places.js";

const BOX: Box = { left: 10, right: 30, top: 10, bottom: 20 };

describe("a segment crosses a box", () => {
  test.each([
    ["through it", [0, 15, 40, 15], true],
    ["with an end in it", [20, 15, 90, 90], true],
    ["inside it", [12, 12, 18, 18], true],
    ["over a corner", [25, 25, 35, 5], true],
    ["past a corner", [28, 25, 40, 13], false],
    ["on the same height, before it", [0, 15, 9, 15], false],
    ["beside it, upright", [31, 0, 31, 40], false],
    ["through it, upright", [20, 0, 20, 40], true],
    ["as a point beside it", [5, 5, 5, 5], false],
  ] as const)("%s: %j -> %s", (_, [x1, y1, x2, y2], expected) => {
    expect(crosses({ from: { x: x1, y: y1 }, to: { x: x2, y: y2 } }, BOX)).toBe(expected);
    expect(crosses({ from: { x: x2, y: y2 }, to: { x: x1, y: y1 } }, BOX)).toBe(expected);
  });

  test("where one of many points along it lies in the box, and nowhere else", () => {
    const random = seededRandom(11);
    const place = (): { x: number; y: number } => ({ x: 40 * random(), y: 40 * random() });
    const segments = Array.from({ length: 500 }, () => ({ from: place(), to: place() }));
    const isHit = ({ from, to }: (typeof segments)[number]): boolean =>
      Array.from({ length: 2001 }, (_, step) => step / 2000).some((part) => {
        const [x, y] = [from.x + (to.x - from.x) * part, from.y + (to.y - from.y) * part];
        return isInside({ left: x, right: x, top: y, bottom: y }, BOX);
      });
    const hits = segments.filter(isHit);
    const misses = segments.filter((one) => !isHit(one));
    expect(hits.length).toBeGreaterThan(50);
    expect(hits.filter((one) => !crosses(one, BOX))).toEqual([]);
    // What only touches a corner may fall between two of the points.
    const smaller = { left: 10.1, right: 29.9, top: 10.1, bottom: 19.9 };
    expect(misses.filter((one) => crosses(one, smaller))).toEqual([]);
  });
});

test("boxes that share an edge do not overlap", () => {
  expect(overlaps(BOX, { ...BOX, left: 30, right: 40 })).toBe(false);
  expect(overlaps(BOX, { ...BOX, left: 29, right: 40 })).toBe(true);
  expect(overlaps(BOX, { ...BOX, top: 19, bottom: 40 })).toBe(true);
});

test("places for a word are around the point, clear of it, first on its right", () => {
  const places = placesAround({ x: 100, y: 50 }, 40, 20, 14);
  expect(places[0]).toEqual({ left: 114, right: 154, top: 40, bottom: 60 });
  expect(places).toHaveLength(8);
  const point = { left: 92, right: 108, top: 42, bottom: 58 };
  for (const place of places) {
    expect(place.right - place.left).toBeCloseTo(40, 9);
    expect(place.bottom - place.top).toBeCloseTo(20, 9);
    expect(overlaps(place, point)).toBe(false);
  }
});
