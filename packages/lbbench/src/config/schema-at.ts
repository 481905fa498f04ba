import * as z from "zod";
import type { ZodType } from "zod";

/** The schema of what is at `path` in a value that `schema` describes, or `undefined` where it says nothing. */
export function schemaAt(schema: ZodType, path: readonly PropertyKey[]): ZodType | undefined {
  return path.reduce<ZodType | undefined>((at, key) => (at === undefined ? undefined : childOf(at, key)), schema);
}

/** The keys that an object may have, of a union those of all alternatives; none for anything that is no object. */
export function knownKeys(schema: ZodType | undefined): readonly string[] {
  const object = schema === undefined ? undefined : unwrap(schema);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : alternativesOf(object).flatMap(knownKeys);
}

/** The alternatives of a union; none for anything that is no union. */
export function alternativesOf(schema: ZodType | undefined): readonly ZodType[] {
  const union = schema === undefined ? undefined : unwrap(schema);
  return union instanceof z.ZodUnion ? (union.options as readonly ZodType[]) : [];
}

function childOf(schema: ZodType, key: PropertyKey): ZodType | undefined {
  const outer = unwrap(schema);
  if (outer instanceof z.ZodUnion) return firstChild(outer.options as readonly ZodType[], key);
  if (outer instanceof z.ZodArray) return outer.element as ZodType;
  if (outer instanceof z.ZodRecord) return outer.valueType as ZodType;
  return outer instanceof z.ZodObject && Object.hasOwn(outer.shape, key)
    ? (outer.shape as Record<PropertyKey, ZodType>)[key]
    : undefined;
}

function firstChild(alternatives: readonly ZodType[], key: PropertyKey): ZodType | undefined {
  for (const alternative of alternatives) {
    const child = childOf(alternative, key);
    if (child !== undefined) return child;
  }
  return undefined;
}

/** Optional values, defaults and what is transformed look like what they wrap. */
function unwrap(schema: ZodType): ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.in as ZodType);
  return schema instanceof z.ZodOptional || schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault
    ? unwrap(schema.unwrap() as ZodType)
    : schema;
}
