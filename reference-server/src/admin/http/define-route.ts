import { z } from "zod";
import { issue } from "../../registry/check.js";
import { validate } from "../door/requests.js";
import { RawAnswer } from "./raw-answer.js";
import type { AdminRoute, RouteDefinition } from "./route.js";

const nothing = z.strictObject({});
const noBody = z.undefined({ error: issue("noBody").message });

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
  return validate(schema, value);
}
