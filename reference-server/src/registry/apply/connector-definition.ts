import { z } from "zod";
import { describeKinds, type KindDefaults } from "../../connectors/kinds/kinds.js";
import type { ConnectorFields, ConnectorKind, ConnectorLimits } from "../../store/connectors.js";
import { type ConnectorFieldOptions, connectorFields, connectorLimits } from "./connector-fields.js";
import { hasPlaceholder, placeholderFault } from "./connector-rules.js";
import { clientSecretFault } from "./provider-fields.js";

/** A connector as somebody defined it, complete, with the secret as it was given. */
export type ConnectorDefinition = Omit<ConnectorFields, "id" | "clientSecret"> & {
  readonly clientSecret: string | undefined;
};

/** A new connector, as administrators send it and as it stands in a registry file: what is left out is as its kind suggests. */
export function connectorDefinition(options: ConnectorFieldOptions) {
  const { key, kind, name, clientId, clientSecret, requiredScopes, limits, enabled, ...suggested } =
    connectorFields(options);
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
      enabled: enabled.default(true),
    })
    .transform((given, context): ConnectorDefinition => {
      const { limits: said = {}, clientSecret: secret, ...rest } = given;
      const { methods, pathTemplates, ...usual } = suggestionOf(given.kind);
      const { authorizationParameters = usual.authorizationParameters, scopes = usual.scopes } = rest;
      const { requestPrefixes = usual.requestPrefixes } = rest;
      const endpoints = completeEndpoints(rest, usual);
      const faults = findFaults({ ...endpoints, requestPrefixes, secret });
      for (const { path, message } of faults) context.addIssue({ code: "custom", path: [path], message });
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
        limits: completeLimits(said, usualLimits),
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

type Fault = { readonly path: string; readonly message: string };

/** What neither the administrator nor the kind says, and what does not fit together. */
function findFaults({
  requestPrefixes,
  secret,
  ...endpoints
}: Endpoints & {
  readonly requestPrefixes: readonly string[];
  readonly secret: string | undefined;
}): readonly Fault[] {
  const method = endpoints.tokenEndpointAuthMethod;
  const secretFault = clientSecretFault({ hasSecret: secret !== undefined, method });
  return [
    ...(["authorizationEndpoint", "tokenEndpoint"] as const).flatMap((path) =>
      endpoints[path] === null ? [{ path, message: "is missing" }] : [],
    ),
    ...(requestPrefixes.length > 0 ? [] : [{ path: "requestPrefixes", message: "is missing" }]),
    ...endpointNames.flatMap((path) =>
      hasPlaceholder(endpoints[path] ?? "") ? [{ path, message: placeholderFault }] : [],
    ),
    ...(secretFault === undefined ? [] : [{ path: "clientSecret", message: secretFault }]),
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
  said: { readonly [Name in keyof ConnectorLimits]?: ConnectorLimits[Name] | undefined },
  otherwise: ConnectorLimits,
): ConnectorLimits {
  return {
    requestBytes: said.requestBytes ?? otherwise.requestBytes,
    responseBytes: said.responseBytes ?? otherwise.responseBytes,
    timeoutSeconds: said.timeoutSeconds ?? otherwise.timeoutSeconds,
    requestsPerMinute: said.requestsPerMinute ?? otherwise.requestsPerMinute,
  };
}
