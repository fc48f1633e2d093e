import { z } from "zod";

/** What can be shown as such a value: read-only, and with dates for times. */
export type Showable<Shown> = Shown extends string
  ? Shown | Date
  : Shown extends object
    ? { readonly [Name in keyof Shown]: Showable<Shown[Name]> }
    : Shown;

/** Shows objects as a schema describes them: its members and no others, times in ISO 8601. */
export function showAs<Members extends z.ZodRawShape>(
  schema: z.ZodObject<Members>,
): (item: Showable<z.output<z.ZodObject<Members>>>) => z.output<z.ZodObject<Members>> {
  const names = Object.keys(schema.shape);
  return (item) =>
    Object.fromEntries(
      names.map((name) => [name, toWire((item as Readonly<Record<string, unknown>>)[name])]),
    ) as never;
}

function toWire(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toWire);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, toWire(part)]));
}

/** A point in time in an answer. */
export const timestamp = z.iso.datetime();

/** What answers show of every object that changes. */
export const versionMembers = { createdAt: timestamp, updatedAt: timestamp, version: z.int() };
