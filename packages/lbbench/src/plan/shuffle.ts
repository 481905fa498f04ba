/** Returns the items in an order drawn by `random` (0 to below 1): Fisher and Yates, every order equally likely. */
export function shuffle<T>(items: readonly T[], random: () => number): readonly T[] {
  const shuffled = [...items];
  for (let end = shuffled.length; end > 1; end -= 1) {
    const [drawn] = shuffled.splice(Math.floor(random() * end), 1);
    if (drawn !== undefined) shuffled.push(drawn);
  }
  return shuffled;
}
