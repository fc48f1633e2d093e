import { z } from "zod";
import {
  checkSecretOfProvider,
  identityProviderRules,
  identityProviderShape,
} from "../../objects/identity-provider.js";
import { changeOf, type RuleOptions, shownMembers } from "../../objects/object.js";
import { checkSchema } from "../../registry/probes/check.js";
import { type Listing, listQuery, queryBoolean } from "../door/list-query.js";
import { awayReasons } from "../../store/presences.js";
import { timestamp, versionMembers } from "../door/show.js";

export const identityProviderParamsSchema = identityProviderShape.pick({ key: true });

/** `GET /identity-providers` */
export const identityProviderQuerySchema = listQuery({
  sorts: ["key", "name"],
  filters: { enabled: queryBoolean.optional() },
});

const presenceReason = z.enum(awayReasons);

export const identityProviderSchema = z
  .strictObject({
    ...shownMembers(identityProviderShape.omit({ clientSecret: true })),
    hasClientSecret: z.boolean(),
    test: z
      .strictObject({
        state: z
          .enum(["none", "passed", "outdated"])
          .describe("`passed`: with exactly these settings; `outdated`: with others"),
        testedAt: timestamp.nullable(),
      })
      .describe("The last test sign-in that succeeded"),
    people: z.int().describe("People who have signed in here"),
    presenceState: z
      .strictObject({
        confirmed: z.int().describe("Their last sign-in or confirmation counts"),
        inGrace: z
          .int()
          .describe("The provider gives no answer that counts about them, and the grace is not over"),
        paused: z.int().describe("Nothing is issued for them until they sign in again"),
        withoutToken: z.int().describe("Of all of them: there is no refresh token to ask with"),
        alarm: z
          .strictObject({ reason: presenceReason, since: timestamp })
          .nullable()
          .describe("Why the provider's answers do not count at the moment"),
      })
      .describe("The people who signed in here last"),
    callbackUrl: z.string().describe("The redirect URI to register at the provider"),
    backchannelLogoutUri: z
      .string()
      .describe(
        "The back-channel logout URI to register at the provider (OpenID Connect Back-Channel Logout)",
      ),
    groupProvider: z.string().nullable().describe("Key of the group provider that takes its groups claim"),
    ...versionMembers,
  })
  .meta({ id: "IdentityProvider" });
export type IdentityProvider = z.infer<typeof identityProviderSchema>;

export type IdentityProviderList = Listing<IdentityProvider>;

/** The bodies, by the rules of this installation. The same rules as in a registry file. */
export function createIdentityProviderInputs(options: Pick<RuleOptions, "allowInsecureLoopback">) {
  const rules = identityProviderRules(options);
  const { key, enabled, clientSecret } = rules.shape;
  return {
    create: rules
      .extend({
        enabled: enabled.unwrap().default(false).describe("Off until a test sign-in has passed"),
        untested,
      })
      .superRefine(checkSecretOfProvider),
    patch: changeOf(rules.extend({ clientSecret: clientSecret.unwrap() }), "key")
      .extend({ untested: untested.optional() })
      .describe(
        "What is left out stays. For another address, send the secret again, so that it goes nowhere else.",
      ),
    /** What is to be checked need not be stored, so a name and a secret are not needed. */
    check: rules
      .pick({ issuer: true, discoveryUrl: true, clientId: true, tokenEndpointAuthMethod: true, scopes: true })
      .extend({ key: key.optional().describe("The callback URL depends on it") }),
  };
}

const untested = z
  .boolean()
  .default(false)
  .describe(
    "Lets it serve without a test sign-in: whoever calls answers for it, and the audit trail says so",
  );

type Inputs = ReturnType<typeof createIdentityProviderInputs>;
export type NewIdentityProvider = z.input<Inputs["create"]>;
export type IdentityProviderPatch = z.input<Inputs["patch"]>;
export type IdentityProviderCheck = z.input<Inputs["check"]>;

export const identityProviderChecksSchema = z.strictObject({
  checks: z.array(checkSchema),
  callbackUrl: z.string(),
});
export type IdentityProviderChecks = z.infer<typeof identityProviderChecksSchema>;
