import type { PersonRules } from "./assignments.js";
import type { AuthorizationCode } from "./authorization-codes.js";
import type { Client } from "./clients.js";
import type { DeviceAuthorization } from "./device-authorizations.js";
import type { Grant } from "./grants.js";
import type { RefreshToken, Successor } from "./refresh-tokens.js";
import type { User } from "./users.js";

/** What the database says about a person's permissions. Directories have to be asked still: `resolvePermissions`. */
export interface PermissionRecords extends PersonRules {
  readonly user: User;
}

/** The client that asks, and whom the log-in belongs to. */
export interface LogInParties {
  readonly client: Client | undefined;
  /** Directories have to be asked still. */
  readonly person: PermissionRecords | undefined;
}

/** Everything that decides over a token request, as it was at one moment: each method is one statement. */
export interface LogInStore {
  findByCode(lookup: {
    hash: Buffer;
    clientId: string;
  }): Promise<LogInParties & { readonly code: AuthorizationCode | undefined }>;
  findByDeviceCode(lookup: {
    hash: Buffer;
    clientId: string;
  }): Promise<LogInParties & { readonly device: DeviceAuthorization | undefined }>;
  findByRefreshToken(lookup: {
    hash: Buffer;
    clientId: string;
  }): Promise<LogInParties & { readonly token: RefreshToken | undefined; readonly grant: Grant | undefined }>;
  /** What followed a rotated refresh token; `undefined` when that is not this one. */
  findSuccessor(lookup: { usedHash: Buffer; nextHash: Buffer }): Promise<Successor | undefined>;
  findByGrant(lookup: {
    id: string;
    clientId: string;
  }): Promise<LogInParties & { readonly grant: Grant | undefined }>;
}
