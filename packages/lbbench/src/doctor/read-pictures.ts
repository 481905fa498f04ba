/** Why pictures cannot be drawn here, in a sentence; `null` when they can. Loads what draws them, which is heavy. */
export async function readPictureProblem(): Promise<string | null> {
  try {
    const { loadCanvas } = await import("../report/charts/load-canvas.js");
    await loadCanvas();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
