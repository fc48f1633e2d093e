import { z } from "zod";
import { listAnswer, listQuery, repeatable } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const catalogStateSchema = z
  .enum(["pending", "fresh", "stale", "failed"])
  .describe(
    "pending: never tried. stale: the last good copy of a service that is away now. failed: no copy at all.",
  );

/** `GET /catalogs`; `q` is looked for in the key and the name of the resource. */
export const catalogQuerySchema = listQuery({
  sorts: ["key", "attemptedAt"],
  filters: { state: repeatable(z.enum(["pending", "fresh", "stale", "failed"])).optional() },
});

export const catalogParamsSchema = z.strictObject({ resourceKey: z.string().max(100) });

/** Where the catalog of one resource stands. */
export const catalogSummarySchema = z
  .strictObject({
    resourceKey: z.string(),
    resourceName: z.string(),
    url: z.string().describe("Where the service publishes it"),
    state: catalogStateSchema,
    error: z.string().nullable().describe("Why the last attempt failed"),
    skills: z.int().nullable().describe("In the last good copy; null when there is none"),
    fetchedAt: timestamp.nullable().describe("Of the last good copy"),
    attemptedAt: timestamp.nullable(),
    nextAttemptAt: timestamp.nullable(),
  })
  .meta({ id: "CatalogSummary" });

/** A file of a skill: what it is, not what it says. */
const catalogFileSchema = z.strictObject({
  path: z.string().describe("In the skill's folder"),
  size: z.int().describe("In bytes"),
  digest: z.string().describe("SHA-256 of the bytes: sha256: and lower-case hexadecimal"),
});

/** One skill of the last good copy. */
const catalogSkillSchema = z.strictObject({
  id: z.string(),
  publishedId: z.string().describe("The id that agents see"),
  title: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  requiredScopes: z.array(z.string()),
  visibility: z.enum(["DEFAULT", "HIDDEN_IF_UNALLOWED"]),
  content: z.string(),
  files: z.array(catalogFileSchema),
});

export const catalogListSchema = listAnswer(catalogSummarySchema);

export const catalogSchema = catalogSummarySchema
  .extend({ items: z.array(catalogSkillSchema) })
  .meta({ id: "Catalog" });

export type CatalogState = z.infer<typeof catalogStateSchema>;
export type CatalogSummary = z.infer<typeof catalogSummarySchema>;
export type AdminCatalog = z.infer<typeof catalogSchema>;
