import { z } from "zod";

export const catalogStateSchema = z.enum(["pending", "fresh", "stale", "failed"]).meta({
  description:
    "pending: never tried. stale: the last good copy of a service that is away now. failed: no copy at all.",
});

export const catalogSortSchema = z.enum(["key", "-key", "attemptedAt", "-attemptedAt"]);

/** Where the catalog of one resource stands. */
export const catalogSummarySchema = z.strictObject({
  resourceKey: z.string(),
  resourceName: z.string(),
  url: z.string().meta({ description: "Where the service publishes it" }),
  state: catalogStateSchema,
  error: z.string().nullable().meta({ description: "Why the last attempt failed" }),
  skills: z.int().nullable().meta({ description: "In the last good copy; null when there is none" }),
  fetchedAt: z.iso.datetime().nullable().meta({ description: "Of the last good copy" }),
  attemptedAt: z.iso.datetime().nullable(),
  nextAttemptAt: z.iso.datetime().nullable(),
});

/** One skill of the last good copy. */
export const catalogSkillSchema = z.strictObject({
  id: z.string(),
  publishedId: z.string().meta({ description: "The id that agents see" }),
  title: z.string(),
  description: z.string().nullable(),
  tags: z.array(z.string()),
  requiredScopes: z.array(z.string()),
  visibility: z.enum(["DEFAULT", "HIDDEN_IF_UNALLOWED"]),
  content: z.string(),
});

export const catalogSchema = catalogSummarySchema.extend({ items: z.array(catalogSkillSchema) });

export type CatalogState = z.infer<typeof catalogStateSchema>;
export type CatalogSort = z.infer<typeof catalogSortSchema>;
export type CatalogSummary = z.infer<typeof catalogSummarySchema>;
export type AdminCatalog = z.infer<typeof catalogSchema>;
