import { z } from "zod";
import { anyRules, changeOf, type RuleOptions, shownMembers } from "../../objects/object.js";
import { connectorDefinition, connectorRules } from "../../registry/connector-fields.js";
import { checkSchema } from "../../registry/probes/check.js";
import { key, url } from "../../objects/fields.js";
import { credentialVerdicts } from "../../store/connector-tests.js";
import { connectorKinds, connectorMethods } from "../../store/connectors.js";
import { type Listing, listQuery, queryBoolean } from "../door/list-query.js";
import { timestamp, versionMembers } from "../door/show.js";

const kind = z.enum(connectorKinds);
const authMethod = z.enum(["client_secret_basic", "client_secret_post", "none"]);
const methods = z.array(z.enum(connectorMethods));
const parameters = z.record(z.string(), z.string());

/** A permission of the third party. */
const offeredScopeSchema = z
  .strictObject({
    scope: z.string(),
    description: z.string().nullable(),
    required: z.boolean().describe("Cannot be left out"),
    byDefault: z.boolean().describe("Preselected when somebody connects"),
  })
  .meta({ id: "ConnectorScope" });
export type ConnectorScope = z.infer<typeof offeredScopeSchema>;

/** `GET /connector-kinds` */
export const connectorKindSchema = z
  .strictObject({
    kind,
    name: z.string(),
    description: z.string(),
    defaults: z.strictObject({
      issuer: z.string().nullable(),
      authorizationEndpoint: z.string().nullable(),
      tokenEndpoint: z.string().nullable(),
      revocationEndpoint: z.string().nullable(),
      accountEndpoint: z.string().nullable(),
      tokenEndpointAuthMethod: authMethod,
      authorizationParameters: parameters,
      scopes: z.array(offeredScopeSchema),
      requestPrefixes: z.array(z.string()),
      methods,
      requestHeaders: z.array(z.string()),
      pathTemplates: z.array(z.string()),
    }),
    registration: z.string().describe("Where to register an application, and what to enter there"),
    registrationUrl: z.string().nullable(),
  })
  .meta({ id: "ConnectorKind" });
export type ConnectorKind = z.infer<typeof connectorKindSchema>;

export const connectorKindsSchema = z.strictObject({ items: z.array(connectorKindSchema) });
export type ConnectorKinds = z.infer<typeof connectorKindsSchema>;

/** `POST /connectors/{key}/tests` */
export const connectorTestSchema = z
  .strictObject({
    verdict: z
      .enum(credentialVerdicts)
      .describe("`unknown`: from what the third party said, it cannot be told"),
    reason: z
      .string()
      .describe(
        "`invalid_grant`: it knows the client, and not the made-up code; `invalid_client`: it does not know the client or its secret; else its error code, or what became of the request: `unreachable`, `no_answer`, `rate_limited`, `invalid_answer`",
      ),
    providerMessage: z.string().nullable().describe("What the third party said, cleaned"),
    testedAt: timestamp,
  })
  .meta({ id: "ConnectorTest" });
export type ConnectorTest = z.infer<typeof connectorTestSchema>;

/** A third party that people can connect an account of. */
export const connectorSchema = z
  .strictObject({
    ...shownMembers(connectorRules(anyRules).omit({ clientSecret: true, scopes: true })),
    scopes: z.array(offeredScopeSchema).describe("What people are asked for at the third party"),
    hasClientSecret: z.boolean(),
    keyReadable: z.boolean().describe("false: the client secret does not open with the keys of this server"),
    connections: z.strictObject({
      connected: z.int(),
      reconnectRequired: z.int(),
      disconnecting: z.int(),
    }),
    test: connectorTestSchema
      .nullable()
      .describe(
        "What the third party said of the client id and secret; null: nobody has asked since they were changed",
      ),
    callbackUrl: z.string().describe("The redirect URI to register at the third party"),
    ...versionMembers,
  })
  .meta({ id: "Connector" });
export type Connector = z.infer<typeof connectorSchema>;

/** `GET /connectors` */
export const connectorQuerySchema = listQuery({
  sorts: ["name", "key"],
  filters: { enabled: queryBoolean.optional() },
});

export type ConnectorList = Listing<Connector>;

export const connectorParamsSchema = z.strictObject({ key });

/** The bodies, by the rules of this installation. The same rules as in a registry file. */
export function createConnectorInputs(options: RuleOptions) {
  const rules = connectorRules(options);
  return {
    create: connectorDefinition(options).describe(
      "What is left out is as the kind suggests, see `GET /connector-kinds`. Endpoints are suggested together or not at all.",
    ),
    patch: changeOf(rules.extend({ limits: rules.shape.limits.partial() }), "key", "kind").describe(
      "What is left out stays. Another address that gets the secret, or another way to send it, needs the secret again.",
    ),
    discovery: z.strictObject({
      issuer: url(options.allowInsecureLoopback),
      key: key.optional().describe("The key that the connector is to have: its redirect URI ends with it"),
    }),
  };
}

type Inputs = ReturnType<typeof createConnectorInputs>;
export type NewConnector = z.input<Inputs["create"]>;
export type ConnectorPatch = z.input<Inputs["patch"]>;

/** `POST /connectors/discoveries` */
export const connectorDiscoverySchema = z
  .strictObject({
    ready: z.boolean().describe("No check failed"),
    checks: z.array(checkSchema),
    draft: z
      .strictObject({
        issuer: z.string(),
        authorizationEndpoint: z.string(),
        tokenEndpoint: z.string(),
        revocationEndpoint: z.string().nullable(),
        accountEndpoint: z.string().nullable(),
        tokenEndpointAuthMethod: authMethod,
      })
      .nullable()
      .describe("For `POST /connectors`; `null` when the third party does not say enough"),
    scopesSupported: z
      .array(z.string())
      .describe("What the third party says it offers; often not everything"),
    callbackUrl: z.string().describe("The redirect URI to register at the third party"),
  })
  .meta({ id: "ConnectorDiscovery" });
export type ConnectorDiscovery = z.infer<typeof connectorDiscoverySchema>;

/** `POST /connectors/{key}/disconnections` */
export const connectorDisconnectionsSchema = z.strictObject({
  connections: z.int().describe("How many are disconnected from now on; they are revoked in the background"),
});
export type ConnectorDisconnections = z.infer<typeof connectorDisconnectionsSchema>;
