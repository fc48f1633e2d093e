import { z } from "zod";

/** What can be shown as such a value: read-only, and with dates for times. */
export type Showable<Shown> = Shown extends string
  ? Shown | Date
  : Shown extends object
    ? { readonly [Name in keyof Shown]: Showable<Shown[Name]> }
    : Shown;

/** Shows objects as a schema describes them: its members and no others, at any depth, times in ISO 8601. */
export function showAs<Members extends z.ZodRawShape>(
  schema: z.ZodObject<Members>,
): (item: Showable<z.output<z.ZodObject<Members>>>) => z.output<z.ZodObject<Members>> {
  return (item) => toWire(item, schema) as never;
}

function toWire(value: unknown, schema: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return toWire(value, schema.unwrap());
  }
  if (Array.isArray(value)) {
    const item: unknown = schema instanceof z.ZodArray ? schema.element : undefined;
    return value.map((one) => toWire(one, item));
  }
  if (typeof value !== "object" || value === null || !(schema instanceof z.ZodObject)) return value;
  const members = Object.entries(schema.shape);
  return Object.fromEntries(
    members.flatMap(([name, member]) => {
      const shown = toWire((value as Readonly<Record<string, unknown>>)[name], member);
      return shown === undefined ? [] : [[name, shown]];
    }),
  );
}

/** A point in time in an answer. */
export const timestamp = z.iso.datetime();

/** What answers show of every object that changes. */
export const versionMembers = { createdAt: timestamp, updatedAt: timestamp, version: z.int() };
