import { z } from "zod";
import { timestamp } from "./show.js";

/** How many people gain or lose one scope. */
const scopeImpactSchema = z
  .strictObject({
    scope: z.string(),
    people: z.int(),
    sample: z.array(z.string()).describe("Up to five email addresses"),
    groups: z
      .array(z.strictObject({ provider: z.string(), key: z.string(), name: z.string() }))
      .describe("Groups of directories, whose members cannot be counted; `name` is the provider's"),
    until: timestamp.optional().describe("When the last of what is gained ends; absent: no end date"),
    places: z
      .array(z.string())
      .optional()
      .describe(
        "The names of all enabled services and connectors where the scope counts; absent when there are none, and beside `resource`",
      ),
  })
  .meta({ id: "ScopeImpact" });

/** What a change would do. */
const impactSchema = z
  .strictObject({
    gains: z.array(scopeImpactSchema),
    losses: z.array(scopeImpactSchema),
    notes: z.array(z.string()),
    resource: z
      .string()
      .optional()
      .describe(
        "The name of a resource: gains and losses are about what can be used there; assignments stay. Absent: about assignments everywhere",
      ),
  })
  .meta({ id: "Impact" });

export type ScopeImpact = z.infer<typeof scopeImpactSchema>;
export type Impact = z.infer<typeof impactSchema>;

/** The answer to `?preview=true`. */
export const previewSchema = z.strictObject({ impact: impactSchema }).meta({ id: "Preview" });
