import { z } from "zod";
import { timestamp } from "../door/show.js";
import { catalogSummarySchema } from "../catalogs/schemas.js";
import { signingKeySchema } from "../signing-keys/schemas.js";

/** Requests that ended with something issued, and those that were refused. */
const countSchema = z.strictObject({
  at: timestamp.describe("When the hour or the day begins, UTC"),
  issued: z.int(),
  denied: z.int(),
});

const hintSchema = z.strictObject({
  id: z.enum([
    "name_installation",
    "add_provider",
    "add_resource",
    "assign_login",
    "assign_scopes",
    "add_administrator",
    "repair_catalogs",
    "rotate_signing_key",
    "activate_signing_key",
    "restore_connector_key",
    "repair_connectors",
    "repair_signal_streams",
    "decide_app_hosts",
  ]),
  title: z.string(),
  detail: z.string(),
  target: z.string().describe("The path below /admin where it is done"),
});

export const overviewSchema = z
  .strictObject({
    countedThrough: timestamp
      .nullable()
      .describe("Events up to here are counted, a few seconds ago; null when none are yet"),
    hours: z.array(countSchema).describe("The last 24 hours, oldest first, this one included"),
    days: z.array(countSchema).describe("The last 30 days, oldest first, today included"),
    topResources: z
      .array(
        z.strictObject({
          key: z.string().nullable().describe("null: it is no longer registered"),
          name: z.string().nullable(),
          resource: z.string(),
          issued: z.int(),
        }),
      )
      .describe("Of the last 30 days, at most ten"),
    topClients: z
      .array(
        z.strictObject({
          id: z.string(),
          name: z.string().nullable().describe("null: it is gone"),
          host: z.string().nullable().describe("Where its metadata document is, if it has one"),
          issued: z.int(),
          denied: z.int(),
          people: z.int().describe("Whom something was issued to or refused through it"),
        }),
      )
      .describe("Of the last 30 days, at most ten"),
    topSkills: z
      .array(z.strictObject({ publishedId: z.string(), reads: z.int() }))
      .describe("Of the last 30 days, at most ten"),
    catalogs: z.strictObject({
      total: z.int(),
      fresh: z.int(),
      stale: z.int(),
      failed: z.int(),
      pending: z.int(),
      problems: z.array(catalogSummarySchema).describe("At most ten that are stale or failed"),
    }),
    signingKeys: z.strictObject({
      active: signingKeySchema.nullable(),
      needingAttention: z.array(signingKeySchema),
    }),
    installation: z.strictObject({
      name: z.string(),
      people: z.int(),
      resources: z.int(),
      scopes: z.int(),
      assignments: z.int(),
      identityProviders: z.int(),
      ownSkills: z.int(),
    }),
    hints: z.array(hintSchema),
  })
  .meta({ id: "Overview" });

export type Overview = z.infer<typeof overviewSchema>;
export type OverviewCount = z.infer<typeof countSchema>;
export type OverviewHint = z.infer<typeof hintSchema>;
