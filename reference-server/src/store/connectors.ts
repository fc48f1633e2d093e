import type { Envelope } from "../platform/vault/envelope.js";
import type { ConnectorListStore } from "./connector-list.js";
import type { RewrapStore } from "./rewraps.js";

export const connectorKinds = [
  "google",
  "microsoft-graph",
  "atlassian",
  "github",
  "slack",
  "oauth2",
] as const;

export type ConnectorKind = (typeof connectorKinds)[number];

/** The methods that a connector can allow. */
export const connectorMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

export type ConnectorMethod = (typeof connectorMethods)[number];

/** A scope of the third party that a person can grant. */
export interface ConnectorScope {
  readonly scope: string;
  readonly description: string | null;
  /** Cannot be left out. */
  readonly required: boolean;
  readonly byDefault: boolean;
}

/** How much one forwarded request may take. */
export interface ConnectorLimits {
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly timeoutSeconds: number;
  /** Of one person. */
  readonly requestsPerMinute: number;
}

/** A third party that people can connect accounts of, and the rules for using them. */
export interface Connector {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly kind: ConnectorKind;
  readonly issuer: string | null;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
  readonly revocationEndpoint: string | null;
  /** Says who the connected account is. */
  readonly accountEndpoint: string | null;
  readonly tokenEndpointAuthMethod: ConnectorAuthMethod;
  /** Sent along with every authorization request. */
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly clientId: string;
  /** Sealed for `connectorRow(id)`; `null` for a client without one. */
  readonly clientSecret: Envelope | null;
  readonly scopes: readonly ConnectorScope[];
  /** Scopes of this installation that a person needs, all of them. */
  readonly requiredScopes: readonly string[];
  /** Absolute URLs: the origin exactly, the path by whole segments. */
  readonly requestPrefixes: readonly string[];
  /** Upper case. */
  readonly methods: readonly string[];
  /** Such as `/repos/{owner}/{repo}`: what the audit trail says instead of a path. */
  readonly pathTemplates: readonly string[];
  readonly limits: ConnectorLimits;
  readonly enabled: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly version: number;
}

export type ConnectorAuthMethod = "client_secret_basic" | "client_secret_post" | "none";

/**
 * What is written of a connector. When `clientSecret` is absent, it stays as it is stored: writing back what was read
 * would undo a re-wrapping that happened meanwhile.
 */
export type ConnectorFields = Omit<Connector, "clientSecret" | "createdAt" | "updatedAt" | "version"> & {
  readonly clientSecret?: Envelope | null;
};

export interface ConnectorStore extends ConnectorListStore, RewrapStore {
  find(id: string): Promise<Connector | undefined>;
  findByKey(key: string): Promise<Connector | undefined>;
  /** Every enabled connector, by key. */
  listEnabled(): Promise<readonly Connector[]>;
  /** Lets nobody change it before the transaction ends. Returns whether it is there. */
  lock(id: string): Promise<boolean>;
  /** Inserts or replaces the row with this id. */
  save(connector: ConnectorFields, at: Date): Promise<void>;
}
