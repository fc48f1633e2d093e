import { z } from "zod";
import { clientSecretFault, identityProviderFields } from "../../apply/provider-fields.js";

const time = z.iso.datetime();
const authMethod = z.enum(["client_secret_basic", "client_secret_post", "none"]);

export const identityProviderSorts = ["key", "name"] as const;
export type IdentityProviderSort = (typeof identityProviderSorts)[number];

export const identityProviderFilters = { enabled: z.enum(["true", "false"]).optional() };

export const identityProviderSchema = z.strictObject({
  key: z.string(),
  name: z.string(),
  issuer: z.string(),
  discoveryUrl: z.string().nullable().describe("null: the well-known address of the issuer"),
  clientId: z.string(),
  hasClientSecret: z.boolean(),
  tokenEndpointAuthMethod: authMethod.nullable().describe("null: what the provider's metadata says"),
  scopes: z.array(z.string()),
  allowedEmailDomains: z.array(z.string()).describe("Empty: every domain"),
  enabled: z.boolean(),
  people: z.int().describe("People who have signed in here"),
  callbackUrl: z.string().describe("The redirect URI to register at the provider"),
  groupProvider: z.string().nullable().describe("Key of the group provider that takes its groups claim"),
  createdAt: time,
  updatedAt: time,
  version: z.int(),
});
export type IdentityProvider = z.infer<typeof identityProviderSchema>;

/** The bodies, by the rules of this installation. The same rules as in a registry file. */
export function createIdentityProviderInputs({ allowInsecureLoopback }: IdentityProviderRules) {
  const { key, clientSecret, ...fields } = identityProviderFields(allowInsecureLoopback);
  const draft = z.strictObject({
    ...fields,
    discoveryUrl: fields.discoveryUrl.default(null),
    clientSecret: clientSecret.optional().describe("Write-only"),
    tokenEndpointAuthMethod: fields.tokenEndpointAuthMethod.default(null),
    allowedEmailDomains: fields.allowedEmailDomains.default([]),
    enabled: fields.enabled.default(true),
  });
  const { key: _key, ...optional } = z.strictObject({ key, clientSecret, ...fields }).partial().shape;
  return {
    create: draft
      .extend({ key })
      .superRefine(({ clientSecret: secret, tokenEndpointAuthMethod }, context) => {
        const message = clientSecretFault({
          hasSecret: secret !== undefined,
          method: tokenEndpointAuthMethod,
        });
        if (message !== undefined) context.addIssue({ code: "custom", path: ["clientSecret"], message });
      }),
    patch: z.strictObject(optional).describe("What is left out stays, the secret too"),
    /** What is to be checked need not be stored, so a name and a secret are not needed. */
    check: z.strictObject({
      issuer: fields.issuer,
      discoveryUrl: fields.discoveryUrl.default(null),
      clientId: fields.clientId,
      tokenEndpointAuthMethod: fields.tokenEndpointAuthMethod.default(null),
      scopes: fields.scopes,
    }),
  };
}

interface IdentityProviderRules {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
}

type Inputs = ReturnType<typeof createIdentityProviderInputs>;
export type NewIdentityProvider = z.input<Inputs["create"]>;
export type IdentityProviderPatch = z.input<Inputs["patch"]>;
export type IdentityProviderCheck = z.input<Inputs["check"]>;

/** One thing that was looked at. */
export const checkSchema = z.strictObject({
  id: z.string(),
  state: z.enum(["passed", "warning", "failed"]),
  title: z.string(),
  detail: z.string(),
  remedy: z.string().optional(),
});
export type Check = z.infer<typeof checkSchema>;

export const identityProviderChecksSchema = z.strictObject({
  checks: z.array(checkSchema),
  callbackUrl: z.string(),
});
export type IdentityProviderChecks = z.infer<typeof identityProviderChecksSchema>;
