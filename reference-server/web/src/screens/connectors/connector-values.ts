import type {
  Connector,
  ConnectorKind,
  ConnectorPatch,
  ConnectorScope,
  NewConnector,
} from "@admin/connectors";
import { fromOwnerLines, toOwnerLine } from "../../parts/owners";

export type Method = Connector["methods"][number];
export type AuthMethod = Connector["tokenEndpointAuthMethod"];

export const methods: readonly Method[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];
export const authMethods: readonly AuthMethod[] = ["client_secret_basic", "client_secret_post", "none"];

/** A scope of the third party as a row of the form. */
export interface ScopeRow {
  readonly scope: string;
  readonly description: string;
  readonly required: boolean;
  readonly byDefault: boolean;
}

/** A connector as a form has it: texts; the secret is what somebody typed, never what is stored. */
export interface ConnectorValues {
  readonly key: string;
  readonly name: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly ScopeRow[];
  readonly requiredScopes: readonly string[];
  readonly requestPrefixes: readonly string[];
  readonly methods: readonly Method[];
  readonly requestMebibytes: string;
  readonly responseMebibytes: string;
  readonly timeoutSeconds: string;
  readonly requestsPerMinute: string;
  readonly issuer: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string;
  readonly accountEndpoint: string;
  readonly tokenEndpointAuthMethod: AuthMethod;
  /** `name=value` */
  readonly authorizationParameters: readonly string[];
  readonly requestHeaders: readonly string[];
  readonly pathTemplates: readonly string[];
  readonly enabled: boolean;
  /** A line for each. */
  readonly owners: readonly string[];
}

const mebibyte = 1024 ** 2;
const usualLimits: Connector["limits"] = {
  requestBytes: 10 * mebibyte,
  responseBytes: 10 * mebibyte,
  timeoutSeconds: 30,
  requestsPerMinute: 600,
};

/** What somebody starts with who has chosen a third party. */
export function startValues({ kind, name, defaults }: ConnectorKind): ConnectorValues {
  const isOther = kind === "oauth2";
  return {
    key: isOther ? "" : kind,
    name: isOther ? "" : name,
    clientId: "",
    clientSecret: "",
    requiredScopes: [],
    enabled: true,
    owners: [],
    ...limitValues(usualLimits),
    ...ruleValues(defaults),
  };
}

export function toConnectorValues(connector: Connector): ConnectorValues {
  const { key, name, clientId, requiredScopes, enabled, owners, limits } = connector;
  return {
    key,
    name,
    clientId,
    clientSecret: "",
    requiredScopes,
    enabled,
    owners: owners.map(toOwnerLine),
    ...limitValues(limits),
    ...ruleValues(connector),
  };
}

function limitValues(limits: Connector["limits"]) {
  return {
    requestMebibytes: String(limits.requestBytes / mebibyte),
    responseMebibytes: String(limits.responseBytes / mebibyte),
    timeoutSeconds: String(limits.timeoutSeconds),
    requestsPerMinute: String(limits.requestsPerMinute),
  };
}

function ruleValues(rules: ConnectorKind["defaults"]) {
  return {
    scopes: rules.scopes.map(toRow),
    requestPrefixes: rules.requestPrefixes,
    methods: rules.methods,
    issuer: rules.issuer ?? "",
    authorizationEndpoint: rules.authorizationEndpoint ?? "",
    tokenEndpoint: rules.tokenEndpoint ?? "",
    revocationEndpoint: rules.revocationEndpoint ?? "",
    accountEndpoint: rules.accountEndpoint ?? "",
    tokenEndpointAuthMethod: rules.tokenEndpointAuthMethod,
    authorizationParameters: Object.entries(rules.authorizationParameters).map(
      ([name, value]) => `${name}=${value}`,
    ),
    requestHeaders: rules.requestHeaders,
    pathTemplates: rules.pathTemplates,
  };
}

function toRow({ scope, description, required, byDefault }: ConnectorScope): ScopeRow {
  return { scope, description: description ?? "", required, byDefault };
}

/** What is sent. An empty secret is left out: a stored one stays. So is an empty limit. */
export function toNewConnector(kind: Connector["kind"], values: ConnectorValues): NewConnector {
  return { key: values.key.trim(), kind, ...toBody(values) };
}

export function toConnectorPatch(values: ConnectorValues): ConnectorPatch {
  return toBody(values);
}

function toBody(values: ConnectorValues) {
  const { name, clientId, clientSecret, requiredScopes, enabled, tokenEndpointAuthMethod } = values;
  const given = clientSecret !== "" && tokenEndpointAuthMethod !== "none";
  return {
    name,
    clientId: clientId.trim(),
    ...(given && { clientSecret }),
    scopes: values.scopes
      .filter(({ scope, description }) => `${scope}${description}`.trim() !== "")
      .map(toScope),
    requiredScopes: [...requiredScopes],
    requestPrefixes: withoutEmpty(values.requestPrefixes),
    methods: methods.filter((method) => values.methods.includes(method)),
    limits: toLimits(values),
    issuer: orNull(values.issuer),
    authorizationEndpoint: values.authorizationEndpoint.trim(),
    tokenEndpoint: values.tokenEndpoint.trim(),
    revocationEndpoint: orNull(values.revocationEndpoint),
    accountEndpoint: orNull(values.accountEndpoint),
    tokenEndpointAuthMethod,
    authorizationParameters: toParameters(values.authorizationParameters),
    requestHeaders: withoutEmpty(values.requestHeaders),
    pathTemplates: withoutEmpty(values.pathTemplates),
    enabled,
    owners: fromOwnerLines(values.owners),
  };
}

function toScope({ scope, description, required, byDefault }: ScopeRow): ConnectorScope {
  const text = description.trim();
  return {
    scope: scope.trim(),
    description: text === "" ? null : text,
    required,
    byDefault: required || byDefault,
  };
}

function toLimits(values: ConnectorValues): Partial<Connector["limits"]> {
  const limits = {
    requestBytes: toNumber(values.requestMebibytes, mebibyte),
    responseBytes: toNumber(values.responseMebibytes, mebibyte),
    timeoutSeconds: toNumber(values.timeoutSeconds),
    requestsPerMinute: toNumber(values.requestsPerMinute),
  };
  return Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));
}

/** Bytes are whole; of the other limits the server says itself that they have to be. */
function toNumber(text: string, unit = 1): number | undefined {
  if (text.trim() === "" || Number.isNaN(Number(text))) return undefined;
  return unit === 1 ? Number(text) : Math.round(Number(text) * unit);
}

/** `access_type=offline` → { access_type: "offline" }; the value may contain `=`. */
function toParameters(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    withoutEmpty(lines).map((line) => [parameterName(line), line.split("=").slice(1).join("=").trim()]),
  );
}

export const emptyRow: ScopeRow = { scope: "", description: "", required: false, byDefault: true };

/** Scopes as documentation lists them: with spaces, commas, or each on a line of its own. */
export function splitScopes(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((scope) => scope !== "");
}

/** Rows for scopes that have none yet. */
export function newRows(scopes: readonly string[], rows: readonly ScopeRow[]): readonly ScopeRow[] {
  const known = new Set(rows.map(({ scope }) => scope));
  return [...new Set(scopes)].filter((scope) => !known.has(scope)).map((scope) => ({ ...emptyRow, scope }));
}

/** Presets leave in braces what only the customer knows: `{tenant id}`. */
export function hasBraces(text: string): boolean {
  return text.includes("{");
}

/** The name in a line of parameters. */
export function parameterName(line: string): string {
  return (line.split("=")[0] ?? "").trim();
}

function withoutEmpty(lines: readonly string[]): string[] {
  return lines.map((line) => line.trim()).filter((line) => line !== "");
}

function orNull(text: string): string | null {
  return text.trim() === "" ? null : text.trim();
}
