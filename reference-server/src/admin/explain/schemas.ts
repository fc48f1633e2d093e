import { z } from "zod";
import { email, key, scopeKey } from "../../objects/fields.js";
import { repeatable } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

/** `GET /explain` */
export const explainQuerySchema = z.strictObject({
  email,
  resource: key.optional().describe("The key of a resource; absent for this server itself"),
  scope: repeatable(scopeKey)
    .optional()
    .describe("Several times for several scopes; absent for everything that the resource supports"),
});

const groupSchema = z
  .strictObject({
    key: z.string(),
    provider: z.strictObject({ key: z.string(), name: z.string() }),
  })
  .meta({ id: "NamedGroup" });

const ending = { until: timestamp.optional().describe("When the assignment ends; absent: it is for good") };

const ruleSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("email"), assignmentId: z.uuid(), email: z.string(), ...ending }),
  z.strictObject({ type: z.literal("group"), assignmentId: z.uuid(), group: groupSchema, ...ending }),
]);

/** One thing to do, so that the scope is granted. */
const remedySchema = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("assign"), email: z.string(), scope: z.string() }),
    z.strictObject({ type: z.literal("join_group"), group: groupSchema }),
    z.strictObject({ type: z.literal("enable_person"), userId: z.uuid() }),
    z.strictObject({ type: z.literal("enable_resource"), resource: z.string() }),
    z.strictObject({ type: z.literal("support_scope"), resource: z.string(), scope: z.string() }),
    z.strictObject({ type: z.literal("repair_directory"), provider: z.string() }),
  ])
  .meta({ id: "Remedy" });

const grantedSchema = z
  .strictObject({ scope: z.string(), by: z.array(ruleSchema).describe("The assignments that grant it") })
  .meta({ id: "GrantedScope" });

const missingSchema = z
  .strictObject({
    scope: z.string(),
    reason: z.enum([
      "user_disabled",
      "no_email",
      "resource_disabled",
      "not_supported",
      "not_assigned",
      "directory_unavailable",
    ]),
    undecided: z.array(groupSchema).describe("Groups whose directory cannot say now who is in them"),
    remedies: z
      .array(remedySchema)
      .describe("Each of them alone grants it, unless something else is missing"),
  })
  .meta({ id: "MissingScope" });

/** Why a person may or may not do something, now. */
export const explanationSchema = z
  .strictObject({
    person: z.strictObject({
      id: z.uuid().nullable().describe("`null` when nobody has signed in with this address"),
      email: z.string(),
      name: z.string().nullable(),
      enabled: z.boolean(),
    }),
    resource: z.strictObject({ key: z.string(), name: z.string() }).nullable(),
    allowed: z.boolean(),
    granted: z.array(grantedSchema),
    missing: z.array(missingSchema),
    login: z
      .strictObject({
        allowed: z.boolean(),
        granted: z.array(grantedSchema),
        missing: z.array(missingSchema),
      })
      .describe("Whether the person may use the command-line client, without which nothing is issued"),
  })
  .meta({ id: "Explanation" });

export type Explanation = z.infer<typeof explanationSchema>;
export type Remedy = z.infer<typeof remedySchema>;
export type GrantingRule = z.infer<typeof ruleSchema>;
