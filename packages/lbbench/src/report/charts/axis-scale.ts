/** From this ratio of largest to smallest on, a linear axis squeezes the small values together. */
const LOG_FROM_RATIO = 20;

/** Says whether values span so much that a logarithmic axis reads better; `linear` when one of them is not positive. */
export function chooseScale(values: readonly number[]): "linear" | "log" {
  const smallest = values.reduce((min, value) => Math.min(min, value), Infinity);
  const largest = values.reduce((max, value) => Math.max(max, value), -Infinity);
  return smallest > 0 && largest / smallest > LOG_FROM_RATIO ? "log" : "linear";
}
