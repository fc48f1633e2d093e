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
import type { Kind, KindEndpoints } from "./kind.js";
import { microsoftGraph } from "./microsoft-graph.js";
import { oauth2 } from "./oauth2.js";
import { slack } from "./slack.js";

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

/** Describes every kind. The suggestions allow reading only; whoever wants more adds it. */
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
