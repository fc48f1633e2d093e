import { z } from "zod";
import { fieldsEnglish } from "../texts/fields-english.js";
import { type FieldFault, invalidFields } from "./admin-error.js";
import { toFieldFaults } from "./field-faults.js";
import { RawAnswer } from "./raw-answer.js";
import type { AdminRoute, RouteDefinition } from "./route.js";

const nothing = z.strictObject({});
const noBody = z.undefined({ error: fieldsEnglish.noBody });

/** A route of the admin API. Everything that comes in passes its schemas, and so does everything that goes out. */
export function defineRoute<
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = typeof noBody,
  Answer extends z.ZodType = z.ZodVoid,
  IfMatch extends boolean = false,
>(definition: RouteDefinition<Params, Query, Body, Answer, IfMatch>): AdminRoute {
  const { params, query, body, answer, ifMatch = false, handle, ...facts } = definition;
  return {
    ...facts,
    ifMatch,
    schemas: { params, query, body, answer },
    async run(raw, call) {
      const input = {
        params: parse((params ?? nothing) as Params, raw.params),
        query: parse((query ?? nothing) as Query, raw.query),
        body: parse((body ?? noBody) as Body, raw.body),
        version: raw.version as IfMatch extends true ? number : undefined,
      };
      const result = await handle(input, call);
      return result instanceof RawAnswer ? result : (answer ?? z.void()).parse(result);
    },
  };
}

function parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const unstorable = findUnstorable(value, []);
  if (unstorable.length > 0) throw invalidFields(unstorable);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidFields(toFieldFaults(result.error.issues));
}

/** The database has no place for a NUL, in whatever member it comes; half of a character is refused as invalid JSON. */
function findUnstorable(value: unknown, place: readonly string[]): FieldFault[] {
  if (typeof value === "string") {
    return value.includes("\0") ? [{ path: place.join("."), message: ({ fields }) => fields.noNul }] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => findUnstorable(item, [...place, name]));
}
