import { z } from "zod";
import { addFaults, issue } from "./check.js";
import * as field from "./fields.js";
import { anyRules, means, type RuleOptions } from "./object.js";

/** An OpenID provider that people sign in at: in the API, in a file and in the set-up. */
export function identityProviderRules({ allowInsecureLoopback }: Pick<RuleOptions, "allowInsecureLoopback">) {
  // A pattern of a vendor, such as `https://{tenant}.auth0.com`, is no address yet.
  const address = field
    .url(allowInsecureLoopback)
    .refine((value) => !/[{}]|%7[bd]/i.test(value), issue("placeholder"));
  return z.strictObject({
    key: field.key,
    name: field.text,
    buttonLabel: means(
      field.text.nullable().default(null),
      "What its button on the sign-in page says; null: the name",
    ),
    issuer: address,
    discoveryUrl: means(
      address
        .refine((value) => value.includes("/.well-known/"), issue("metadataAddress"))
        .nullable()
        .default(null),
      "null: the well-known address of the issuer",
    ),
    clientId: field.text,
    clientSecret: field.secret.optional().describe("Write-only"),
    /** How the client proves who it is. `none` is a client without a secret, protected by PKCE alone. */
    tokenEndpointAuthMethod: means(
      z.enum(["client_secret_basic", "client_secret_post", "none"]).nullable().default(null),
      "null: what the provider's metadata says",
    ),
    scopes: z
      .array(field.wireToken)
      .min(1, { abort: true })
      .max(50)
      .refine((scopes) => scopes.includes("openid"), issue("openidScope")),
    /** Lower case. */
    allowedEmailDomains: means(z.array(field.domain).max(100).default([]), "Empty: every domain"),
    /** At most one provider of an issuer. */
    allowsAssertions: means(
      z.boolean().default(false),
      "Whether its identity assertions (ID-JAG) are redeemed at the token endpoint",
    ),
    presence: means(
      z.enum(["off", "on"]).default("off"),
      "`on`: the provider is asked with a refresh token whether its people are still there; needs a test sign-in that has tried it",
    ),
    presenceIntervalSeconds: means(
      z.int().min(60).max(2_592_000).default(28_800),
      "How old a confirmation may be when something is issued",
    ),
    graceSeconds: means(
      z.int().min(0).max(604_800).default(86_400),
      "How long people go on whom the provider gives no answer about",
    ),
    signInEveryDays: means(
      z.int().min(1).max(365).nullable().default(null),
      "People sign in at least that often, or are paused; null: as seldom as they like",
    ),
    provisioningAttribute: means(
      z.enum(["externalId", "userName"]).default("externalId"),
      "The attribute of SCIM that names an account as `provisioningClaim` does",
    ),
    /** `oid`: at Entra ID, whose `sub` is another one for each client. */
    provisioningClaim: means(
      z.enum(["sub", "oid"]).default("sub"),
      "The claim of the ID token that equals `provisioningAttribute`",
    ),
    logoutEndsApps: means(
      z.boolean().default(false),
      "Whether a logout there, or an event that revokes a session, also ends the person's signed-in apps",
    ),
    enabled: z.boolean().default(true),
  });
}

/** The same for what depends on no rule. */
export const identityProviderShape = identityProviderRules(anyRules);

/** Adds to a schema of a new provider that its secret and the way it proves who it is fit. */
export function checkSecretOfProvider(
  {
    clientSecret,
    tokenEndpointAuthMethod: method,
  }: Pick<z.output<typeof identityProviderShape>, "clientSecret" | "tokenEndpointAuthMethod">,
  context: z.RefinementCtx,
): void {
  addFaults(context, field.findSecretFaults({ hasSecret: clientSecret !== undefined, method }));
}
