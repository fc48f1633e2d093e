import { z } from "zod";
import { checkSchema } from "../../registry/probes/check.js";
import { groupProviderRules } from "../../objects/group-provider.js";
import { changeOf, type RuleOptions } from "../../objects/object.js";
import { email, key as keyField } from "../../objects/fields.js";
import { listAnswer, type Listing, listQuery, queryBoolean } from "../door/list-query.js";
import { versionMembers } from "../door/show.js";

const rolesOfGroups =
  "Assigned scopes that give a role here: whoever manages the groups at their provider administers here with these";

const type = z.enum(["claim", "scim", "directory"]);

export const groupProviderParamsSchema = z.strictObject({ key: keyField });

/** `GET /group-providers` */
export const groupProviderQuerySchema = listQuery({
  sorts: ["key", "name"],
  filters: { type: type.optional(), enabled: queryBoolean.optional() },
});

/** Where groups come from: the claim of an identity provider, or a directory that is asked over HTTP. */
export const groupProviderSchema = z
  .strictObject({
    key: z.string(),
    name: z.string(),
    type,
    provider: z.string().nullable().describe("Of a claim: the key of the identity provider"),
    url: z.string().nullable().describe("Of a directory"),
    hasSecret: z.boolean().describe("Of a directory"),
    enabled: z.boolean(),
    assignments: z.int().describe("Assignments to groups of this provider"),
    roleScopes: z.array(z.string()).describe(rolesOfGroups),
    ...versionMembers,
  })
  .meta({ id: "GroupProvider" });
export type GroupProvider = z.infer<typeof groupProviderSchema>;

export type GroupProviderList = Listing<GroupProvider>;

/** The bodies, by the rules of this installation. The same rules as in a registry file. */
export function createGroupProviderInputs(options: Pick<RuleOptions, "allowInsecureLoopback">) {
  const { create, directory } = groupProviderRules(options);
  const { key, url, secret } = directory.shape;
  return {
    create,
    patch: changeOf(directory, "type", "key").describe(
      "What is left out stays, the secret too. A claim has neither url nor secret.",
    ),
    check: z.strictObject({
      key: key.optional().describe("Of a stored directory, whose secret is used when none is given"),
      url,
      secret: secret.optional(),
      email: email.describe("Whose groups the directory is asked for"),
    }),
  };
}

type Inputs = ReturnType<typeof createGroupProviderInputs>;
export type NewGroupProvider = z.input<Inputs["create"]>;
export type GroupProviderPatch = z.input<Inputs["patch"]>;

/** What a directory said when it was asked once. */
export const groupProviderCheckResultSchema = z.strictObject({
  checks: z.array(checkSchema),
  groups: z.array(z.string()),
});
export type GroupProviderCheckResult = z.infer<typeof groupProviderCheckResultSchema>;

/** `GET /groups` */
export const groupQuerySchema = listQuery({
  sorts: ["key"],
  filters: {
    provider: z.string().max(100).describe("Only groups of the group provider with this key").optional(),
  },
});

/** A group that a provider or an assignment has named. */
export const groupSchema = z
  .strictObject({
    key: z.string(),
    provider: z.strictObject({ key: z.string(), name: z.string(), type, enabled: z.boolean() }),
    people: z.int().nullable().describe("People who are said to be in it; null where a directory knows"),
    assignments: z.int(),
    roleScopes: z.array(z.string()).describe(rolesOfGroups),
  })
  .meta({ id: "Group" });
export type Group = z.infer<typeof groupSchema>;
export const groupListSchema = listAnswer(groupSchema);
