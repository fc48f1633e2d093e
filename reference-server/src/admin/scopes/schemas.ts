import { z } from "zod";
import { scopeFields } from "../../registry/scope.js";
import { listAnswer, listQuery, queryBoolean, timestamp } from "../door/list-query.js";

/** A permission, and what it is used for. */
export const scopeSchema = z
  .strictObject({
    key: z.string(),
    description: z.string(),
    system: z.boolean().describe("Belongs to the server itself and cannot be changed"),
    resources: z.array(z.string()).describe("The keys of the resources that support it"),
    assignments: z.int().describe("How many assignments give it to somebody"),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: "Scope" });

/** `POST /scopes` */
export const createScopeSchema = z.strictObject(scopeFields);

/** `PATCH /scopes/{key}` */
export const changeScopeSchema = createScopeSchema.omit({ key: true });

export const scopeParamsSchema = createScopeSchema.pick({ key: true });

/** `GET /scopes` */
export const scopeQuerySchema = listQuery({
  sorts: ["key", "createdAt"],
  filters: { system: queryBoolean.optional() },
});
export const scopeListSchema = listAnswer(scopeSchema);

export type Scope = z.infer<typeof scopeSchema>;
export type CreateScope = z.input<typeof createScopeSchema>;
