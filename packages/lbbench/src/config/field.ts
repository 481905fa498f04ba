import type * as z from "zod";
import type * as values from "./values.js";
import { defined } from "../stats/defined.js";

/** Commands that run what a config file and flags say. */
export type RunCommand = "sweep" | "max" | "ramp" | "faults" | "policies" | "hold";
/** Commands whose flags are in the table. */
export type SettingCommand = RunCommand | "report" | "compare" | "import" | "init";

/**
 * How the words of a flag are read. `text`: as they are, for the check of the input; `number`, `share`: a number where they are one;
 * `repeat`: every time one more, `contents` of a file each; `list`: split at commas; `headers`, `body`, `bodyFile`, `mixFile`: as their names say; `path`: of a
 * file, which begins where the input does. The others are checked at once: `word` (one of `words`), `time`, `address`, `workers`, `count` (a
 * whole number), `some` (of at least 1), `port`, `content` (what is in a file).
 */
export type Kind =
  | (
      | "text"
      | "number"
      | "share"
      | "repeat"
      | "contents"
      | "list"
      | "headers"
      | "body"
      | "bodyFile"
      | "mixFile"
      | "path"
    )
  | ("word" | "time" | "address" | "workers" | "count" | "some" | "port" | "content");

/** Something that can be said of a run, on the command line, in a config file, or both. */
export interface Setting {
  /** Where it stands in the input: `request.method`, `targets[].name`; without it the command itself reads it. */
  readonly path?: string;
  /** Its flags: `-c, --connections <list>`; without it a config file alone can say it. */
  readonly flags?: string;
  readonly commands?: readonly SettingCommand[];
  /** Commands without a flag for it that tell themselves why they cannot do it, where others leave it out of a config file. */
  readonly refusedIn?: readonly SettingCommand[];
  /** `text` without it. */
  readonly kind?: Kind;
  /** What its flag sets where no words follow it; `true` without it. */
  readonly value?: unknown;
  /** A sentence, begun in lower case, which can be followed by an example and the default. */
  readonly about: string;
  /** What its flag does, where that is not the same. */
  readonly flagAbout?: string;
  /** As it is printed. */
  readonly default?: string;
  readonly example?: string;
  /** What another command, or the GitHub Action, says of it. */
  readonly in?: {
    readonly [Command in SettingCommand | "action"]?: Partial<Pick<Setting, "about" | "example" | "default" | "words">>;
  };
  /** Words that can be completed. */
  readonly words?: readonly string[];
  /** The document that tells more. */
  readonly page?: string;
  /** The input of the GitHub Action. */
  readonly action?: string;
  /** Attributes of flags that cannot be beside it. */
  readonly conflicts?: readonly string[];
  /** The flag without which it means nothing. */
  readonly needs?: string;
  /** Whether it may stand beside `--resume`. */
  readonly resumes?: boolean;
  readonly isRequired?: boolean;
}

/** A row of the table: a setting, and what its value may be. */
export interface Field extends Omit<Setting, "path"> {
  /** Schema of the value. It is made when an input is read: help does without zod, which takes longer to load than Node. */
  readonly schema?: (values: Values) => z.ZodType;
  /** The words that it may be, in place of a schema. */
  readonly oneOf?: readonly string[];
  /** Whether its object is refused without it. */
  readonly isNeeded?: true;
  /** Rows of the fields of an object, in place of a schema. */
  readonly fields?: Fields;
  /** Whether the fields are those of each object in a list. */
  readonly isList?: true;
}
export type Fields = Readonly<Record<string, Field>>;
type Values = typeof values;

type SchemaOf<Row> = Row extends { readonly schema: (values: Values) => infer Schema extends z.ZodType }
  ? Schema
  : Row extends { readonly oneOf: readonly (infer Word extends string)[] }
    ? z.ZodEnum<{ [One in Word]: One }>
    : Row extends { readonly fields: infer Rows extends Fields }
      ? ObjectOf<Rows>
      : never;
type ObjectOf<Rows extends Fields> = z.ZodObject<
  {
    -readonly [Key in keyof Rows]: Rows[Key] extends { readonly isNeeded: true }
      ? SchemaOf<Rows[Key]>
      : z.ZodOptional<SchemaOf<Rows[Key]>>;
  },
  z.core.$strict
>;

/** A row of fields whose value is not their object alone: its schema is what `wrap` makes of that of the object. */
export function group<const Row extends Field, Rows extends Fields, Schema extends z.ZodType>(
  row: Row,
  fields: Rows,
  wrap: (object: ObjectOf<Rows>, values: Values) => Schema,
) {
  return { ...row, fields, schema: (values: Values) => wrap(objectOf(fields, values), values) };
}

/** The schema of an object with these fields and no others, each described by its row. */
export function objectOf<Rows extends Fields>(fields: Rows, values: Values): ObjectOf<Rows> {
  const shape = Object.entries<Field>(fields).map(([key, row]) => {
    const { fields: inner, oneOf = [] } = row;
    const schema = row.schema?.(values) ?? (inner ? objectOf(inner, values) : values.z.enum([...oneOf]));
    return [key, (row.isNeeded ? schema : schema.optional()).meta({ description: sentenceOf(row) })] as const;
  });
  // Each field has the schema of its row.
  return values.z.strictObject(Object.fromEntries(shape)) as unknown as ObjectOf<Rows>;
}

/** What a setting is and its default, as sentences. */
export function sentenceOf({ about, default: otherwise }: Pick<Setting, "about" | "default">): string {
  const sentence = `${about.charAt(0).toUpperCase()}${about.slice(1)}.`;
  return otherwise === undefined ? sentence : `${sentence} Default: ${otherwise}.`;
}

/** The settings of fields, each with its place. A row that stands in several places is told at the first. */
export function settingsIn(fields: Fields, before = "", told = new Set<Field>()): readonly Setting[] {
  return Object.entries(fields).flatMap(([key, row]) => {
    if (told.has(row)) return [];
    told.add(row);
    const { schema: _, oneOf, isNeeded, fields: inner, isList, ...setting } = row;
    const path = before + key;
    const own = {
      ...setting,
      path,
      ...defined({ words: setting.words ?? oneOf, default: isNeeded ? "needed" : setting.default }),
    };
    return [own, ...(inner === undefined ? [] : settingsIn(inner, `${path}${isList ? "[]" : ""}.`, told))];
  });
}

/** A flag without its value: `-m, --method`. */
export function flagOf({ flags = "" }: Setting): string {
  return flags.replace(/ [<[].*$/, "");
}
