import type { Connection, ConnectionState, ReconnectReason } from "../connections.js";

export interface ConnectionRow {
  id: string;
  connector_id: string;
  user_id: string;
  state: ConnectionState;
  reason: ReconnectReason | null;
  account_subject: string | null;
  account_label: string | null;
  granted_scopes: string[];
  key_id: string;
  wrapped_key: Buffer;
  credentials: Buffer;
  credential_version: number;
  access_expires_at: Date | null;
  refreshable: boolean;
  refresh_lease: string | null;
  refresh_lease_until: Date | null;
  refresh_uncertain: boolean;
  refresh_not_before: Date | null;
  connected_at: Date;
  refreshed_at: Date | null;
  last_used_at: Date | null;
}

/** By name: a prepared "*" would fail in running processes when a migration adds a column. */
export const connectionColumns = [
  "id",
  "connector_id",
  "user_id",
  "state",
  "reason",
  "account_subject",
  "account_label",
  "granted_scopes",
  "key_id",
  "wrapped_key",
  "credentials",
  "credential_version",
  "access_expires_at",
  "refreshable",
  "refresh_lease",
  "refresh_lease_until",
  "refresh_uncertain",
  "refresh_not_before",
  "connected_at",
  "refreshed_at",
  "last_used_at",
] as const satisfies readonly (keyof ConnectionRow)[];

export function connectionFromRow(row: ConnectionRow): Connection {
  return {
    id: row.id,
    connectorId: row.connector_id,
    userId: row.user_id,
    state: row.state,
    reason: row.reason,
    account: { subject: row.account_subject, label: row.account_label },
    grantedScopes: row.granted_scopes,
    credentials: { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.credentials },
    credentialVersion: row.credential_version,
    accessExpiresAt: row.access_expires_at,
    refreshable: row.refreshable,
    refresh: {
      lease: row.refresh_lease,
      until: row.refresh_lease_until,
      uncertain: row.refresh_uncertain,
      notBefore: row.refresh_not_before,
    },
    connectedAt: row.connected_at,
    refreshedAt: row.refreshed_at,
    lastUsedAt: row.last_used_at,
  };
}
