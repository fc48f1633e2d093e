import { z } from "zod";
import { appHostRules } from "../../objects/app-host.js";
import { shownMembers } from "../../objects/object.js";
import { appPolicyFields } from "../../registry/settings.js";
import { listAnswer, type Listing, listQuery, queryBoolean } from "../door/list-query.js";
import { timestamp, versionMembers } from "../door/show.js";

/** Which unregistered apps are admitted. A part of the settings, with their version. */
export const appPolicySchema = z
  .strictObject({
    trust: appPolicyFields.trust.describe(
      "Which hosts apps may come from: none, those that are allowed, or any that is not refused",
    ),
    dynamicRegistration: z
      .boolean()
      .describe("Apps may register themselves (RFC 7591). Nothing proves where such an app comes from"),
    asked: z.int().describe("Hosts that people asked for and nobody has decided about"),
    version: z.int(),
    updatedAt: timestamp,
  })
  .meta({ id: "AppPolicy" });
export type AppPolicy = z.infer<typeof appPolicySchema>;

/** `PATCH /app-policy`: what is absent stays as it is. */
export const changeAppPolicySchema = z.strictObject(appPolicyFields).partial();

/** A host that was allowed or refused. */
export const appHostSchema = z
  .strictObject({
    ...shownMembers(appHostRules),
    clients: z.int().describe("Apps that have come from it"),
    askedBy: z.int().describe("People who came with an app of it while it was not allowed"),
    ...versionMembers,
  })
  .meta({ id: "AppHost" });
export type AppHost = z.infer<typeof appHostSchema>;

export const appHostParamsSchema = z.strictObject({ host: z.string().min(1).max(260) });

/** `GET /app-hosts` */
export const appHostQuerySchema = listQuery({
  sorts: ["name", "host", "createdAt"],
  filters: { allowed: queryBoolean.optional() },
});
export type AppHostList = Listing<AppHost>;

export type NewAppHost = z.input<typeof appHostRules>;

/** A requested host that is undecided. */
export const askedHostSchema = z
  .strictObject({
    host: z.string(),
    people: z.int().describe("How many asked"),
    clientId: z.string().describe("The app that was asked for last. Nobody has looked at it"),
    firstAskedAt: timestamp,
    lastAskedAt: timestamp,
  })
  .meta({ id: "AskedHost" });
export type AskedHost = z.infer<typeof askedHostSchema>;

/** `GET /app-requests` */
export const askedHostQuerySchema = listQuery({
  sorts: ["people", "lastAskedAt", "host"],
  defaultSort: "-people",
  filters: {},
});
export const askedHostListSchema = listAnswer(askedHostSchema);
export type AskedHostList = z.infer<typeof askedHostListSchema>;

/** `GET /app-requests/{host}` */
export const askersSchema = z.strictObject({
  host: z.string(),
  people: z
    .array(
      z.strictObject({
        user: z.strictObject({ id: z.uuid(), email: z.string().nullable(), name: z.string().nullable() }),
        clientId: z.string().describe("The app that they came with"),
        askedAt: timestamp,
      }),
    )
    .describe("The last 50"),
});
export type Askers = z.infer<typeof askersSchema>;
