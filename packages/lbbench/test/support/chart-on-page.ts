import type { Locator, Page } from "playwright-core";

/** A chart of a report that a page shows, by its id. */
export function chartOn(page: Page, id: string) {
  const figure = page.locator(`figure[data-chart="${id}"]`);
  const plot = figure.locator(".chart-plot");
  const button = (name: string): Locator => figure.getByRole("button", { name, exact: true });
  return {
    plot,
    button,
    /** Whether a part of the x axis is seen. */
    isZoomed: async () => (await button("reset").getAttribute("aria-disabled")) === "false",
    /** What is drawn, as the address of a picture. */
    picture: () =>
      page.evaluate<string>(`document.querySelector('[data-chart="${id}"] .chart-plot canvas').toDataURL()`),
    /** Where it is in the window, when it was brought there. */
    box: async () => {
      await plot.scrollIntoViewIfNeeded();
      return (await plot.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    },
  };
}

/** Drags over a part of a chart, from one share of its width to another. */
export async function drag(page: Page, chart: ReturnType<typeof chartOn>, from: number, to: number): Promise<void> {
  const { x, y, width, height } = await chart.box();
  await page.mouse.move(x + width * from, y + height * 0.3);
  await page.mouse.down();
  await page.mouse.move(x + (width * (from + to)) / 2, y + height * 0.4);
  await page.mouse.move(x + width * to, y + height * 0.4);
  await page.mouse.up();
}
