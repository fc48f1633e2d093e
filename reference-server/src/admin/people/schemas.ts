import { z } from "zod";
import { auditEventSchema } from "../audit/schemas.js";
import { clientNameSchema } from "../clients/schemas.js";
import { stopSchema } from "../stops/schemas.js";
import { grantSchema, sessionSchema } from "../sessions/schemas.js";
import { scopeKey } from "../../objects/fields.js";
import { groupFilter, listAnswer, listQuery, queryBoolean } from "../door/list-query.js";
import { awayReasons } from "../../store/presences.js";
import { timestamp } from "../door/show.js";

/** A person who has signed in at least once, as in the list. */
export const userSchema = z
  .strictObject({
    id: z.uuid().describe("`sub` of every token"),
    email: z.string().nullable().describe("null once a provider has given the address to somebody else"),
    name: z.string().nullable(),
    enabled: z.boolean(),
    disabledBy: z
      .enum(["administrator", "support", "provider"])
      .nullable()
      .describe("Support enables whom support disabled; `null` while enabled"),
    changeable: z
      .boolean()
      .describe("Whether whoever asks may disable or enable the person, and end their sessions and apps"),
    lastSignedInAt: timestamp.nullable(),
    createdAt: timestamp,
    sessions: z.int().describe("Browsers where the person is signed in now"),
    grants: z.int().describe("Signed-in apps that act for the person now"),
    version: z.int(),
  })
  .meta({ id: "User" });
export type User = z.infer<typeof userSchema>;

const namedService = z.strictObject({ key: z.string(), name: z.string() });

const namedGroup = z.strictObject({
  key: z.string(),
  provider: z.strictObject({ key: z.string(), name: z.string() }),
});

const ending = { until: timestamp.optional().describe("When the assignment ends; absent: it is for good") };

/** Why the person has a scope: each assignment that grants it. */
const scopeOriginSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("email"), assignmentId: z.uuid(), email: z.string(), ...ending }),
  z.strictObject({ type: z.literal("group"), assignmentId: z.uuid(), group: namedGroup, ...ending }),
]);
export type ScopeOrigin = z.infer<typeof scopeOriginSchema>;

export const userDetailSchema = z
  .strictObject({
    ...userSchema.shape,
    identities: z
      .array(
        z.strictObject({
          provider: z.strictObject({ key: z.string(), name: z.string(), enabled: z.boolean() }),
          subject: z.string().describe("Who the person is at the provider"),
          createdAt: timestamp,
        }),
      )
      .describe("The accounts the person signs in with"),
    presence: z
      .strictObject({
        provider: z.strictObject({ key: z.string(), name: z.string() }),
        confirmedAt: timestamp.describe("The last sign-in, or when the provider confirmed the person last"),
        state: z
          .enum(["confirmed", "grace", "paused"])
          .describe("`paused`: nothing is issued until the next sign-in"),
        reason: z.enum(awayReasons).nullable().describe("Why there is no newer confirmation"),
        until: timestamp.nullable().describe("When the person is paused, unless the provider answers"),
        signInDueAt: timestamp.nullable().describe("When a new sign-in is demanded; null: never"),
      })
      .nullable()
      .describe("Whether the person is still there, by the provider of the last sign-in; null: unknown"),
    scopes: z
      .array(z.strictObject({ scope: z.string(), by: z.array(scopeOriginSchema) }))
      .describe("What the person may do now, and which assignments say so"),
    undecided: z
      .array(z.strictObject({ scope: z.string(), groups: z.array(namedGroup) }))
      .describe("What a group may grant whose directory cannot say now who is in it"),
    groups: z
      .array(
        z.strictObject({
          provider: z.strictObject({ key: z.string(), name: z.string(), enabled: z.boolean() }),
          keys: z.array(z.string()),
          signedInAt: timestamp.describe("Of groups by SCIM: when they last changed"),
          expiresAt: timestamp.nullable().describe("null: by SCIM, until it says otherwise"),
        }),
      )
      .describe("What identity providers said about groups at the last sign-in there, or by SCIM"),
    browserSessions: z.array(sessionSchema).describe("The newest 50 that are live; more are in /sessions"),
    devices: z.array(grantSchema).describe("The newest 50 signed-in apps; more are in /grants"),
  })
  .meta({ id: "UserDetail" });
export type UserDetail = z.infer<typeof userDetailSchema>;

export const userPatchSchema = z.strictObject({
  enabled: z.boolean().describe("Disabling ends all sessions and signed-in apps of the person at once"),
});
export type UserPatch = z.infer<typeof userPatchSchema>;

export const userParamsSchema = z.strictObject({ id: z.uuid() });

/** What of a person has ended, and what is still valid. */
export const endingsSchema = z
  .strictObject({
    enabled: z.boolean(),
    disabledBy: z.enum(["administrator", "support", "provider"]).nullable(),
    pausedAt: timestamp.nullable().describe("Nothing is issued since then, until the next sign-in"),
    stops: z.array(stopSchema).describe("What is stopped of theirs, or for everybody"),
    events: z
      .array(auditEventSchema)
      .describe("The latest 50 ends in 30 days, the newest first; all of them are in /audit-events"),
    tokens: z
      .array(
        z.strictObject({
          grantId: z.uuid(),
          client: clientNameSchema,
          service: namedService.nullable().describe("null: any service where the person has permissions"),
          endedAt: timestamp,
          validUntil: timestamp.describe("At the latest"),
        }),
      )
      .describe("Signed-in apps that have ended, whose last tokens a service may still accept"),
    validUntil: timestamp.nullable().describe("When the last of these tokens expires; null: there is none"),
    blockedConnections: z
      .int()
      .describe("Connections that cannot be used, whose tokens the third parties still know"),
  })
  .meta({ id: "Endings" });
export type Endings = z.infer<typeof endingsSchema>;

/** `GET /users` */
export const userQuerySchema = listQuery({
  sorts: ["email", "name", "lastSignedInAt", "createdAt"],
  filters: {
    enabled: queryBoolean.optional(),
    scope: scopeKey
      .optional()
      .describe("Only those who have it, as far as that can be known without asking a directory"),
    group: groupFilter,
  },
});
export const userListSchema = listAnswer(userSchema);

/** How many sessions and grants of a person have ended. */
export const signOutSchema = z.strictObject({ sessions: z.int(), grants: z.int() });
export type SignOut = z.infer<typeof signOutSchema>;
