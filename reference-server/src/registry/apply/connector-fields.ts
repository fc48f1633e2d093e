import { z } from "zod";
import { connectorKinds, connectorMethods } from "../../store/connectors.js";
import {
  type ConnectorFault,
  findOfferedScopeFaults,
  findParameterFaults,
  findPrefixFaults,
  findTemplateFaults,
  findTwice,
  hasPlaceholder,
  placeholderFault,
} from "./connector-rules.js";
import { key, scopeKey, secret, text, url, wireToken } from "./registry-fields.js";

export interface ConnectorFieldOptions {
  /** Plain HTTP on loopback is allowed: development on one machine. */
  readonly allowInsecureLoopback: boolean;
  /** This server's own origin: a third party's token has nothing to do there. */
  readonly issuer: string;
}

/** What may be forwarded, and what is meant when nothing is said. */
export const connectorLimits = {
  requestBytes: { least: 1024, most: 1024 ** 3, usual: 10 * 1024 ** 2 },
  responseBytes: { least: 1024, most: 1024 ** 3, usual: 10 * 1024 ** 2 },
  timeoutSeconds: { least: 1, most: 300, usual: 30 },
  requestsPerMinute: { least: 1, most: 100_000, usual: 600 },
} as const;

/** The members of a connector, for the registry file and for administrators alike. */
export function connectorFields({ allowInsecureLoopback, issuer }: ConnectorFieldOptions) {
  const base = url(allowInsecureLoopback);
  const address = base.refine((value) => !hasPlaceholder(value), { message: placeholderFault });
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
    authorizationParameters: withRules(z.record(z.string(), z.string()), findParameterFaults),
    clientId: text,
    clientSecret: secret,
    scopes: withRules(z.array(offeredScope).max(100), findOfferedScopeFaults),
    requiredScopes: withRules(z.array(scopeKey).max(50), (keys) => findTwice(keys)),
    requestPrefixes: withRules(z.array(address).min(1).max(50), (prefixes) =>
      findPrefixFaults(prefixes, issuer),
    ),
    methods: withRules(z.array(z.enum(connectorMethods)).min(1), (methods) => findTwice(methods)),
    pathTemplates: withRules(z.array(z.string().max(500)).max(500), findTemplateFaults),
    limits: z.strictObject({
      requestBytes: limit("requestBytes"),
      responseBytes: limit("responseBytes"),
      timeoutSeconds: limit("timeoutSeconds"),
      requestsPerMinute: limit("requestsPerMinute"),
    }),
    enabled: z.boolean(),
  };
}

/** A member that follows rules beyond its form; they are looked at once the form is right. */
function withRules<Schema extends z.ZodType>(
  schema: Schema,
  findFaults: (value: z.output<Schema>) => readonly ConnectorFault[],
): Schema {
  return schema.superRefine((value, context) => {
    for (const { path, message } of findFaults(value)) {
      context.addIssue({ code: "custom", path: [...path], message });
    }
  });
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
