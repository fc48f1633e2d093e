import {
  type ConnectorKind,
  connectorKinds,
  type ConnectorMethod,
  type ConnectorScope,
} from "../../store/connectors.js";
import { type Language, type Texts, textsIn } from "../../text/texts.js";
import { atlassian } from "./atlassian.js";
import { github } from "./github.js";
import { google } from "./google.js";
import type { Kind, KindEndpoints, KindQuirks } from "./kind.js";
import { microsoftGraph } from "./microsoft-graph.js";
import { slack } from "./slack.js";

/** Any other third party that follows the standards. */
const oauth2: Kind = {
  kind: "oauth2",
  name: "OAuth 2.0",
  endpoints: {
    issuer: null,
    authorizationEndpoint: null,
    tokenEndpoint: null,
    revocationEndpoint: null,
    accountEndpoint: null,
    tokenEndpointAuthMethod: "client_secret_basic",
  },
  authorizationParameters: {},
  scopes: [],
  requestPrefixes: [],
  requestHeaders: [],
  pathTemplates: [],
  registrationUrl: null,
  removalUrl: null,
  quirks: {},
};

/** Every kind of third party that this server knows. */
export const kinds: Readonly<Record<ConnectorKind, Kind>> = {
  google,
  "microsoft-graph": microsoftGraph,
  atlassian,
  github,
  slack,
  oauth2,
};

/** A kind as an administrator chooses it: what a new connector begins with. */
export interface KindDescription {
  readonly kind: ConnectorKind;
  readonly name: string;
  readonly description: string;
  readonly defaults: KindDefaults;
  readonly registration: string;
  readonly registrationUrl: string | null;
}

export interface KindDefaults extends KindEndpoints {
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly scopes: readonly ConnectorScope[];
  readonly requestPrefixes: readonly string[];
  readonly methods: readonly ConnectorMethod[];
  readonly requestHeaders: readonly string[];
  readonly pathTemplates: readonly string[];
}

/** Describes every kind. The suggestions allow reading only; administrators add more. */
export function describeKinds(language: Language): readonly KindDescription[] {
  const texts = textsIn(language);
  return connectorKinds.map((kind) => describeKind(kinds[kind], texts));
}

function describeKind(kind: Kind, { text, has }: Texts): KindDescription {
  const { endpoints, authorizationParameters, requestPrefixes, requestHeaders, pathTemplates } = kind;
  const describeScope = (scope: string): string | null => {
    const key = `connector-kinds.${kind.kind}.scopes.${scope}`;
    return has(key) ? text(key) : null;
  };
  return {
    kind: kind.kind,
    name: kind.name,
    description: text(`connector-kinds.${kind.kind}.description`),
    defaults: {
      ...endpoints,
      authorizationParameters,
      scopes: kind.scopes.map((scope) => ({ ...scope, description: describeScope(scope.scope) })),
      requestPrefixes,
      methods: ["GET", "HEAD"],
      requestHeaders,
      pathTemplates,
    },
    registration: text(`connector-kinds.${kind.kind}.registration`),
    registrationUrl: kind.registrationUrl,
  };
}

/** Evidence of scopes that answers need not name: tokens that came with the access token. */
interface GrantEvidence {
  readonly refreshToken: boolean;
  readonly idToken: boolean;
}

/**
 * Returns those of the wanted scopes that a third party has granted, in their own spelling.
 *
 * @param listed - the scopes that the answer names; `undefined` if it names none, which means all (RFC 6749 §5.1)
 */
export function coveredScopes(
  wanted: readonly string[],
  listed: readonly string[] | undefined,
  { quirks, evidence }: { readonly quirks: KindQuirks; readonly evidence: GrantEvidence },
): readonly string[] {
  if (listed === undefined) return wanted;
  const granted: ReadonlySet<string> = new Set(listed);
  return wanted.filter((scope) => {
    if (granted.has(scope) || quirks.implies?.(granted, scope) === true) return true;
    if (scope === "offline_access") return evidence.refreshToken;
    return scope === "openid" && evidence.idToken;
  });
}
