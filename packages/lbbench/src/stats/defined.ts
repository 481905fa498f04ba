type Optional<Fields> = { [Key in keyof Fields]: undefined extends Fields[Key] ? Key : never }[keyof Fields];

/** Fields without those that may be `undefined`, and these as optional ones. */
export type Defined<Fields> = Omit<Fields, Optional<Fields>> & {
  [Key in Optional<Fields>]?: Exclude<Fields[Key], undefined>;
};

/** Returns the fields of an object that are not `undefined`: what is absent is left out, as in JSON. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>;
}
