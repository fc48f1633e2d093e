import { z } from "zod";
import { domain, key, secret, text, url, wireToken } from "./registry-fields.js";

/** The members of an identity provider, for the registry file and for administrators alike. */
export function identityProviderFields(allowInsecureLoopback: boolean) {
  return {
    key,
    name: text,
    issuer: url(allowInsecureLoopback),
    discoveryUrl: url(allowInsecureLoopback)
      .refine((value) => value.includes("/.well-known/"), {
        message: "must be the address of the metadata document, with /.well-known/ in it",
      })
      .nullable(),
    clientId: text,
    clientSecret: secret,
    tokenEndpointAuthMethod: z.enum(["client_secret_basic", "client_secret_post", "none"]).nullable(),
    scopes: z.array(wireToken).min(1).max(50),
    allowedEmailDomains: z.array(domain).max(100),
    enabled: z.boolean(),
  };
}

/** Why a client secret and the way the client proves who it is do not fit; `undefined` when they do. */
export function clientSecretFault(provider: {
  readonly hasSecret: boolean;
  readonly method: "client_secret_basic" | "client_secret_post" | "none" | null;
}): string | undefined {
  const { hasSecret, method } = provider;
  if (hasSecret === (method !== "none")) return undefined;
  return method === "none"
    ? 'must be left out when tokenEndpointAuthMethod is "none"'
    : 'is missing; a client without a secret says tokenEndpointAuthMethod: "none"';
}

/** The members of a group provider; those of the other type are left out. */
export function groupProviderFields(allowInsecureLoopback: boolean) {
  return {
    key,
    name: text,
    enabled: z.boolean(),
    provider: key,
    url: url(allowInsecureLoopback),
    secret: secret.regex(/^[\x21-\x7e]+$/, "must have no spaces: it goes into a header"),
  };
}
