import { z } from "zod";
import {
  checkSecretOfProvider,
  identityProviderFields,
  newIdentityProviderFields,
} from "../../registry/identity-provider.js";
import { checkSchema } from "../../registry/probes/check.js";
import { key } from "../../objects/fields.js";
import { listAnswer, listQuery, queryBoolean } from "../door/list-query.js";
import { timestamp } from "../door/show.js";

const authMethod = z.enum(["client_secret_basic", "client_secret_post", "none"]);

export const identityProviderParamsSchema = z.strictObject({ key });

/** `GET /identity-providers` */
export const identityProviderQuerySchema = listQuery({
  sorts: ["key", "name"],
  filters: { enabled: queryBoolean.optional() },
});

export const identityProviderSchema = z
  .strictObject({
    key: z.string(),
    name: z.string(),
    buttonLabel: z.string().nullable().describe("What its button on the sign-in page says; null: the name"),
    issuer: z.string(),
    discoveryUrl: z.string().nullable().describe("null: the well-known address of the issuer"),
    clientId: z.string(),
    hasClientSecret: z.boolean(),
    tokenEndpointAuthMethod: authMethod.nullable().describe("null: what the provider's metadata says"),
    scopes: z.array(z.string()),
    allowedEmailDomains: z.array(z.string()).describe("Empty: every domain"),
    allowsAssertions: z
      .boolean()
      .describe("Whether its identity assertions (ID-JAG) are redeemed at the token endpoint"),
    enabled: z.boolean(),
    test: z
      .strictObject({
        state: z
          .enum(["none", "passed", "outdated"])
          .describe("`passed`: with exactly these settings; `outdated`: with others"),
        testedAt: timestamp.nullable(),
      })
      .describe("The last test sign-in that succeeded"),
    people: z.int().describe("People who have signed in here"),
    callbackUrl: z.string().describe("The redirect URI to register at the provider"),
    groupProvider: z.string().nullable().describe("Key of the group provider that takes its groups claim"),
    createdAt: timestamp,
    updatedAt: timestamp,
    version: z.int(),
  })
  .meta({ id: "IdentityProvider" });
export type IdentityProvider = z.infer<typeof identityProviderSchema>;

export const identityProviderListSchema = listAnswer(identityProviderSchema);
export type IdentityProviderList = z.infer<typeof identityProviderListSchema>;

/** The bodies, by the rules of this installation. The same rules as in a registry file. */
export function createIdentityProviderInputs({ allowInsecureLoopback }: IdentityProviderRules) {
  const { key: newKey, ...changeable } = identityProviderFields(allowInsecureLoopback);
  const described = newIdentityProviderFields(allowInsecureLoopback);
  return {
    create: z
      .strictObject({
        ...described,
        enabled: described.enabled.unwrap().default(false).describe("Off until a test sign-in has passed"),
        untested,
      })
      .superRefine(checkSecretOfProvider),
    patch: z
      .strictObject({ ...changeable, untested })
      .partial()
      .describe(
        "What is left out stays. For another address, send the secret again, so that it goes nowhere else.",
      ),
    /** What is to be checked need not be stored, so a name and a secret are not needed. */
    check: z.strictObject({
      key: newKey.optional().describe("The callback URL depends on it"),
      issuer: described.issuer,
      discoveryUrl: described.discoveryUrl,
      clientId: described.clientId,
      tokenEndpointAuthMethod: described.tokenEndpointAuthMethod,
      scopes: described.scopes,
    }),
  };
}

const untested = z
  .boolean()
  .default(false)
  .describe(
    "Lets it serve without a test sign-in: whoever calls answers for it, and the audit trail says so",
  );

interface IdentityProviderRules {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
}

type Inputs = ReturnType<typeof createIdentityProviderInputs>;
export type NewIdentityProvider = z.input<Inputs["create"]>;
export type IdentityProviderPatch = z.input<Inputs["patch"]>;
export type IdentityProviderCheck = z.input<Inputs["check"]>;

export const identityProviderChecksSchema = z.strictObject({
  checks: z.array(checkSchema),
  callbackUrl: z.string(),
});
export type IdentityProviderChecks = z.infer<typeof identityProviderChecksSchema>;
