type Optional<Fields> = { [Key in keyof Fields]: undefined extends Fields[Key] ? Key : never }[keyof Fields];

/** The same fields; a field that may be `undefined` is optional instead. */
export type Defined<Fields> = Omit<Fields, Optional<Fields>> & {
  [Key in Optional<Fields>]?: Exclude<Fields[Key], undefined>;
};

/** Returns the fields of an object that are not `undefined`: what is absent is left out, as in JSON. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
