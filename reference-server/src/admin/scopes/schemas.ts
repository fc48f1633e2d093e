import { z } from "zod";
import { shownMembers } from "../../objects/object.js";
import { scopeRules } from "../../objects/scope.js";
import { listQuery, queryBoolean } from "../door/list-query.js";
import { versionMembers } from "../door/show.js";

/** A permission, and what it is used for. */
export const scopeSchema = z
  .strictObject({
    ...shownMembers(scopeRules),
    system: z.boolean().describe("Belongs to the server itself and cannot be changed"),
    resources: z.array(z.string()).describe("The keys of the resources that support it"),
    assignments: z.int().describe("How many assignments give it to somebody"),
    decidable: z.boolean().describe("Whether whoever asks may give and take it"),
    ...versionMembers,
  })
  .meta({ id: "Scope" });

/** `PATCH /scopes/{key}` */
export const changeScopeSchema = scopeRules.omit({ key: true });

export const scopeParamsSchema = scopeRules.pick({ key: true });

/** `GET /scopes` */
export const scopeQuerySchema = listQuery({
  sorts: ["key", "createdAt"],
  filters: { system: queryBoolean.optional() },
});

export type Scope = z.infer<typeof scopeSchema>;
export type CreateScope = z.input<typeof scopeRules>;
