import { z } from "zod";
import { key, scopeKey, secret, text, url, wireToken } from "./registry-fields.js";

export interface ConnectorFieldOptions {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  /** This server's own origin: a third party's token has nothing to do there. */
  readonly issuer: string;
}

export const connectorKinds = [
  "google",
  "microsoft-graph",
  "atlassian",
  "github",
  "slack",
  "oauth2",
] as const;

export const connectorMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** What may be forwarded, and what is meant when nothing is said. */
export const connectorLimits = {
  requestBytes: { least: 1024, most: 1024 ** 3, usual: 10 * 1024 ** 2 },
  responseBytes: { least: 1024, most: 1024 ** 3, usual: 10 * 1024 ** 2 },
  timeoutSeconds: { least: 1, most: 300, usual: 30 },
  requestsPerMinute: { least: 1, most: 100_000, usual: 600 },
} as const;

/** The members of a connector, for the registry file and for administrators alike. */
export function connectorFields({ allowInsecureLoopback }: ConnectorFieldOptions) {
  const address = url(allowInsecureLoopback);
  return {
    key,
    name: text,
    kind: z.enum(connectorKinds),
    issuer: address.nullable(),
    authorizationEndpoint: address,
    tokenEndpoint: address,
    revocationEndpoint: address.nullable(),
    accountEndpoint: address.nullable(),
    tokenEndpointAuthMethod: z.enum(["client_secret_basic", "client_secret_post", "none"]),
    authorizationParameters: z.record(z.string(), z.string()),
    clientId: text,
    clientSecret: secret,
    scopes: z.array(offeredScope).max(100),
    requiredScopes: z.array(scopeKey).max(50),
    requestPrefixes: z.array(address).min(1).max(50),
    methods: z.array(z.enum(connectorMethods)).min(1).max(connectorMethods.length),
    pathTemplates: z.array(z.string().max(500)).max(500),
    limits: z.strictObject({
      requestBytes: limit("requestBytes"),
      responseBytes: limit("responseBytes"),
      timeoutSeconds: limit("timeoutSeconds"),
      requestsPerMinute: limit("requestsPerMinute"),
    }),
    enabled: z.boolean(),
  };
}

const offeredScope = z.strictObject({
  scope: wireToken,
  description: text.nullable().default(null),
  required: z.boolean().default(false),
  byDefault: z.boolean().default(true),
});

function limit(name: keyof typeof connectorLimits) {
  const { least, most } = connectorLimits[name];
  return z.int().min(least).max(most);
}
