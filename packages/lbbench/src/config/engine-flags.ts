/** Flags by the option of an engine that they stand for: `grpc.channels`. */
export const ENGINE_FLAGS: ReadonlyMap<string, string> = new Map([
  ["grpc.proto", "--proto"],
  ["grpc.call", "--call"],
  ["grpc.channels", "--channels"],
  ["undici.streams", "--streams"],
]);

/** ` (--channels)` for the option of an engine that has a flag, to be put behind its place; else nothing. */
export function flagOfOption(engine: string, option: PropertyKey | undefined): string {
  const flag = ENGINE_FLAGS.get(`${engine}.${String(option)}`);
  return flag === undefined ? "" : ` (${flag})`;
}
