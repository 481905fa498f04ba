/** Stops something; may be called more than once. */
export type Stop = () => Promise<void>;

/**
 * Calls all of these, the last first, because what stands in front goes before what it stands in front of. One that rejects keeps
 * none of the others; then its error is thrown, or an `AggregateError` of several.
 */
export async function stopAll(stops: readonly Stop[]): Promise<void> {
  const errors: unknown[] = [];
  for (const stop of stops.toReversed()) await stop().catch((error: unknown) => errors.push(error));
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} of ${stops.length} could not be stopped`);
  if (errors.length === 1) throw errors[0];
}
