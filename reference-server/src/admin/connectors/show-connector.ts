import type { EnvelopeVault } from "../../platform/vault/envelope.js";
import { callbackUrlOf } from "../../connectors/provider/callback-url.js";
import type { ListedConnector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import { notFound } from "../http/admin-error.js";
import { isoTime } from "../http/list-query.js";
import type { Connector } from "./schemas.js";

/** What the answer says beside what is stored. */
export interface ConnectorView {
  /** Of this server. */
  readonly issuer: string;
  readonly vault: Pick<EnvelopeVault, "readable">;
}

/** A connector as the API shows it. */
export function showConnector(connector: ListedConnector, { issuer, vault }: ConnectorView): Connector {
  const { id: _id, clientSecret, createdAt, updatedAt, ...shown } = connector;
  return {
    ...shown,
    hasClientSecret: clientSecret !== null,
    keyReadable: clientSecret === null || vault.readable(clientSecret.keyId),
    authorizationParameters: { ...connector.authorizationParameters },
    scopes: connector.scopes.map((scope) => ({ ...scope })),
    requiredScopes: [...connector.requiredScopes],
    requestPrefixes: [...connector.requestPrefixes],
    methods: [...connector.methods] as Connector["methods"],
    pathTemplates: [...connector.pathTemplates],
    callbackUrl: callbackUrlOf(issuer, connector.key),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
}

/** @throws {AdminError} `not_found` */
export async function findConnector(store: Pick<Store, "connectors">, key: string): Promise<ListedConnector> {
  const connector = await store.connectors.describe(key);
  if (connector === undefined) throw notFound(({ things }) => things.connector(key));
  return connector;
}
