import { z } from "zod";
import { describeKinds, type KindDefaults } from "../connectors/kinds/kinds.js";
import {
  type ConnectorFields,
  type ConnectorKind,
  connectorKinds,
  type ConnectorLimits,
  connectorMethods,
} from "../store/connectors.js";
import { callRules } from "../objects/call-rules.js";
import type { Owner } from "../store/owners.js";
import { addFaults, issue, type RuleFault } from "../objects/check.js";
import {
  findOfferedScopeFaults,
  findParameterFaults,
  findPrefixFaults,
  findTemplateFaults,
  findTwice,
  hasPlaceholder,
} from "./connector-rules.js";
import * as field from "../objects/fields.js";
import { means, type RuleOptions } from "../objects/object.js";
import type { CallRule } from "../rules/call-rule.js";

/** What may be forwarded, and what is meant when nothing is said. */
export const connectorLimits = {
  requestBytes: { least: 1024, most: 1024 ** 3, usual: 10 * 1024 ** 2 },
  responseBytes: { least: 1024, most: 1024 ** 3, usual: 10 * 1024 ** 2 },
  timeoutSeconds: { least: 1, most: 300, usual: 30 },
  requestsPerMinute: { least: 1, most: 100_000, usual: 600 },
} as const;

/** A third party that people can connect accounts of: in the registry file and for administrators alike. */
export function connectorRules({ allowInsecureLoopback, issuer }: RuleOptions) {
  const base = field.url(allowInsecureLoopback);
  const address = base.refine((value) => !hasPlaceholder(value), issue("placeholder"));
  return z.strictObject({
    key: means(field.key, "Its name on the command line, and the name of people's connections there"),
    name: field.text,
    kind: z.enum(connectorKinds),
    issuer: means(address.nullable(), "null: the third party does not say who it is"),
    authorizationEndpoint: address,
    tokenEndpoint: address,
    revocationEndpoint: means(address.nullable(), "null: tokens cannot be revoked there"),
    accountEndpoint: means(address.nullable(), "Says whose account a token is for"),
    tokenEndpointAuthMethod: z.enum(["client_secret_basic", "client_secret_post", "none"]),
    authorizationParameters: means(
      withRules(z.record(z.string(), z.string()), findParameterFaults),
      "Sent to the authorization endpoint beside the protocol's own",
    ),
    clientId: field.text,
    clientSecret: field.secret,
    scopes: withRules(z.array(offeredScope).max(100), findOfferedScopeFaults),
    requiredScopes: means(
      withRules(z.array(field.scopeKey).max(50), (keys) => findTwice(keys)),
      "Scopes of this installation that are needed, all of them",
    ),
    requestPrefixes: means(
      withRules(z.array(address).min(1).max(50), (prefixes) => findPrefixFaults(prefixes, issuer)),
      "Where requests may go",
    ),
    requestHeaders: means(
      field.requestHeaders,
      "Request headers that are sent on, beside those that any API takes",
    ),
    methods: withRules(z.array(z.enum(connectorMethods)).min(1), (methods) => findTwice(methods)),
    pathTemplates: means(
      withRules(z.array(z.string().max(500)).max(500), findTemplateFaults),
      "How the audit trail names paths",
    ),
    limits: z.strictObject({
      requestBytes: limit("requestBytes"),
      responseBytes: limit("responseBytes"),
      timeoutSeconds: limit("timeoutSeconds"),
      requestsPerMinute: means(limit("requestsPerMinute"), "For each person"),
    }),
    rules: means(
      withRules(callRules, findNamedScopes),
      "Which requests of agents are allowed, asked about or refused; the first that matches decides",
    ),
    enabled: z.boolean(),
    owners: means(
      field.owners,
      "Who decides for it: its assignments and access requests, its usage and its part of the audit trail",
    ),
  });
}

/** Nothing goes past this server to a third party, so no scope has to be left out. */
function findNamedScopes(rules: readonly CallRule[]): readonly RuleFault[] {
  return rules.flatMap(({ scopes }, index): RuleFault[] =>
    scopes === undefined ? [] : [{ path: [index, "scopes"], code: "ruleScopesHere" }],
  );
}

/** A member that follows rules beyond its form; they are looked at once the form is right. */
function withRules<Schema extends z.ZodType>(
  schema: Schema,
  findIn: (value: z.output<Schema>) => readonly RuleFault[],
): Schema {
  return schema.superRefine((value, context) => {
    addFaults(context, findIn(value));
  });
}

const offeredScope = z.strictObject({
  scope: field.wireToken,
  description: field.text.nullable().default(null),
  required: z.boolean().default(false),
  byDefault: z.boolean().default(true),
});

function limit(name: keyof typeof connectorLimits) {
  const { least, most } = connectorLimits[name];
  return z.int().min(least).max(most);
}

/** A complete connector, with the secret in the clear. */
export type ConnectorDefinition = Omit<ConnectorFields, "id" | "clientSecret"> & {
  readonly clientSecret: string | undefined;
  /** Absent: as they are. */
  readonly owners?: readonly Owner[];
};

/** A new connector, as administrators send it and as it stands in a registry file: what is left out is as its kind suggests. */
export function connectorDefinition(options: RuleOptions) {
  const {
    key,
    kind,
    name,
    clientId,
    clientSecret,
    requiredScopes,
    limits,
    rules,
    enabled,
    owners,
    ...suggested
  } = connectorRules(options).shape;
  return z
    .strictObject({
      key,
      kind,
      name,
      clientId,
      clientSecret: clientSecret.optional().describe("Write-only"),
      requiredScopes: requiredScopes.default([]),
      ...z.strictObject(suggested).partial().shape,
      limits: limits.partial().optional(),
      rules: rules.default([]),
      enabled: enabled.default(true),
      owners: owners.exactOptional().describe("Absent: as they are"),
    })
    .transform((given, context): ConnectorDefinition => {
      const { limits: chosenLimits = {}, clientSecret: secret, ...rest } = given;
      const { methods, pathTemplates, requestHeaders, ...usual } = suggestionOf(given.kind);
      const { authorizationParameters = usual.authorizationParameters, scopes = usual.scopes } = rest;
      const { requestPrefixes = usual.requestPrefixes } = rest;
      const endpoints = completeEndpoints(rest, usual);
      const faults = findFaults({ ...endpoints, requestPrefixes, secret });
      addFaults(context, faults);
      const { authorizationEndpoint, tokenEndpoint } = endpoints;
      if (authorizationEndpoint === null || tokenEndpoint === null) return z.NEVER;
      return {
        ...rest,
        ...endpoints,
        authorizationEndpoint,
        tokenEndpoint,
        authorizationParameters,
        scopes,
        requestPrefixes,
        methods: rest.methods ?? methods,
        pathTemplates: rest.pathTemplates ?? pathTemplates,
        requestHeaders: rest.requestHeaders ?? requestHeaders,
        limits: completeLimits(chosenLimits, usualLimits),
        clientSecret: secret,
      };
    });
}

const suggestions = describeKinds("en");

function suggestionOf(wanted: ConnectorKind): KindDefaults {
  const found = suggestions.find(({ kind }) => kind === wanted);
  if (found === undefined) throw new Error(`There is no kind "${wanted}".`);
  return found.defaults;
}

const endpointNames = [
  "issuer",
  "authorizationEndpoint",
  "tokenEndpoint",
  "revocationEndpoint",
  "accountEndpoint",
] as const;
type Endpoints = Readonly<Record<(typeof endpointNames)[number], string | null>> &
  Pick<ConnectorFields, "tokenEndpointAuthMethod">;

/**
 * The endpoints that are left out are suggested together with the others or not at all: secrets and tokens of one third
 * party must not go to another one.
 */
function completeEndpoints(
  given: { readonly [Name in keyof Endpoints]?: Endpoints[Name] | undefined },
  usual: Endpoints,
): Endpoints {
  const { authorizationEndpoint = usual.authorizationEndpoint, tokenEndpoint = usual.tokenEndpoint } = given;
  const elsewhere =
    authorizationEndpoint !== usual.authorizationEndpoint || tokenEndpoint !== usual.tokenEndpoint;
  const others = elsewhere ? { issuer: null, revocationEndpoint: null, accountEndpoint: null } : usual;
  return {
    authorizationEndpoint,
    tokenEndpoint,
    issuer: given.issuer === undefined ? others.issuer : given.issuer,
    revocationEndpoint:
      given.revocationEndpoint === undefined ? others.revocationEndpoint : given.revocationEndpoint,
    accountEndpoint: given.accountEndpoint === undefined ? others.accountEndpoint : given.accountEndpoint,
    tokenEndpointAuthMethod: given.tokenEndpointAuthMethod ?? usual.tokenEndpointAuthMethod,
  };
}

/** What neither the administrator nor the kind says, and what does not fit together. */
function findFaults({
  requestPrefixes,
  secret,
  ...endpoints
}: Endpoints & {
  readonly requestPrefixes: readonly string[];
  readonly secret: string | undefined;
}): readonly RuleFault[] {
  const method = endpoints.tokenEndpointAuthMethod;
  const missing = [
    ...(["authorizationEndpoint", "tokenEndpoint"] as const).filter((name) => endpoints[name] === null),
    ...(requestPrefixes.length > 0 ? [] : ["requestPrefixes"]),
  ];
  return [
    ...missing.map((name): RuleFault => ({ path: [name], code: "missing" })),
    ...endpointNames.flatMap((name): RuleFault[] =>
      hasPlaceholder(endpoints[name] ?? "") ? [{ path: [name], code: "placeholder" }] : [],
    ),
    ...field.findSecretFaults({ hasSecret: secret !== undefined, method }),
  ];
}

const usualLimits: ConnectorLimits = {
  requestBytes: connectorLimits.requestBytes.usual,
  responseBytes: connectorLimits.responseBytes.usual,
  timeoutSeconds: connectorLimits.timeoutSeconds.usual,
  requestsPerMinute: connectorLimits.requestsPerMinute.usual,
};

/** Some limits, and the others as they are otherwise. */
export function completeLimits(
  limits: { readonly [Name in keyof ConnectorLimits]?: ConnectorLimits[Name] | undefined },
  otherwise: ConnectorLimits,
): ConnectorLimits {
  return {
    requestBytes: limits.requestBytes ?? otherwise.requestBytes,
    responseBytes: limits.responseBytes ?? otherwise.responseBytes,
    timeoutSeconds: limits.timeoutSeconds ?? otherwise.timeoutSeconds,
    requestsPerMinute: limits.requestsPerMinute ?? otherwise.requestsPerMinute,
  };
}
