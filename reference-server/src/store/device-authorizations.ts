import { type Database, prepared } from "./postgres/database.js";
import { defineTable, insertMissing } from "./postgres/table.js";

/** A sign-in that a device without a browser waits for (RFC 8628). */
export interface DeviceAuthorization {
  readonly id: string;
  /** SHA-256 of the device code. */
  readonly deviceCodeHash: Buffer;
  /** HMAC of the user code, so that the database does not hold it. */
  readonly userCodeHash: Buffer;
  readonly clientId: string;
  /** The service that it asks for; `null`: this server's own API. */
  readonly resourceId: string | null;
  readonly scopes: readonly string[];
  /** The key that the device code is bound to; `null` when the device named none. */
  readonly dpopJkt: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Polling interval in seconds. Grows when the device polls too early. */
  readonly intervalSeconds: number;
  /** `null` while it is unanswered. */
  readonly answer: DeviceAnswer | null;
  readonly usedAt: Date | null;
}

/** Where and when a device asked, for the person who answers. */
interface PlaceOfRequest {
  /** `null` when it is not known. */
  readonly address: string | null;
  readonly askedAt: Date;
}

export type DeviceAnswer =
  | {
      readonly kind: "allowed";
      readonly userId: string;
      readonly authTime: Date | null;
      readonly amr: readonly string[];
    }
  | { readonly kind: "denied"; readonly userId: string | null };

/** What a row has in place of the answer. */
type StoredDevice = Omit<DeviceAuthorization, "answer"> & {
  readonly answer: DeviceAnswer["kind"] | null;
  readonly userId: string | null;
  readonly authTime: Date | null;
  readonly amr: readonly string[] | null;
};

export const deviceTable = defineTable<StoredDevice>("device_authorizations", {
  id: "id",
  deviceCodeHash: "device_code_hash",
  userCodeHash: "user_code_hash",
  clientId: "client_id",
  resourceId: "resource_id",
  scopes: "scopes",
  dpopJkt: "dpop_jkt",
  createdAt: "created_at",
  expiresAt: "expires_at",
  intervalSeconds: "interval_seconds",
  answer: "answer",
  userId: "user_id",
  authTime: "auth_time",
  amr: "amr",
  usedAt: "used_at",
});

/** A second of grace: what leaves a device in time may arrive a little early. */
const pollSql = `
  WITH before AS (
    SELECT id, polled_at + (interval_seconds - 1) * interval '1 second' > $2::timestamptz AS early
    FROM device_authorizations WHERE id = $1::uuid FOR UPDATE
  )
  UPDATE device_authorizations d
  SET polled_at = $2::timestamptz, interval_seconds = interval_seconds + CASE WHEN early THEN 5 ELSE 0 END
  FROM before WHERE d.id = before.id RETURNING early IS TRUE AS early`;

/** Redeemed by `redemptions.ts`, read for the token endpoint by `token-requests.ts`. */
export function createDeviceAuthorizationStore(database: Database) {
  const waiting = (now: Date) =>
    database("device_authorizations").where({ answer: null }).where("expires_at", ">", now);

  return {
    /** Returns whether it was stored; `false` when another one has the same user code. */
    async insert(device: DeviceAuthorization, clientAddress: string | null): Promise<boolean> {
      const { answer: _none, ...asked } = device;
      const row = { ...deviceTable.toRow(asked), client_address: clientAddress };
      return await insertMissing(database, "device_authorizations", { row, key: "user_code_hash" });
    },
    async findPlace(id: string): Promise<PlaceOfRequest | undefined> {
      return await database("device_authorizations")
        .where({ id })
        .first<PlaceOfRequest | undefined>({ address: "client_address", askedAt: "created_at" });
    },
    /** The one that waits for an answer to this user code. */
    async findWaiting({
      userCodeHash,
      now,
    }: {
      userCodeHash: Buffer;
      now: Date;
    }): Promise<DeviceAuthorization | undefined> {
      const [stored] = await waiting(now)
        .where({ user_code_hash: userCodeHash })
        .select<StoredDevice[]>(database.raw(deviceTable.select()));
      return stored && deviceFromStored(stored);
    },
    /** Stores a user's answer with the scopes it is for. Returns whether this call is the one that answered. */
    async answer({
      id,
      answer,
      scopes,
      now,
    }: {
      id: string;
      answer: DeviceAnswer;
      scopes: readonly string[];
      now: Date;
    }): Promise<boolean> {
      const change = deviceTable.toRow({ ...answer, answer: answer.kind, scopes });
      return (await waiting(now).where({ id }).update(change)) > 0;
    },
    /** Denies every allowed request that its device has not redeemed, of a user or for a client. */
    async denyUnused(of: { readonly userId: string } | { readonly clientId: string }): Promise<number> {
      const whose = "userId" in of ? { user_id: of.userId } : { client_id: of.clientId };
      return await database("device_authorizations")
        .where({ ...whose, answer: "allowed", used_at: null })
        .update({ answer: "denied" });
    },
    /** Counts one poll of a waiting device. One that comes too early makes the interval longer. */
    async poll({ id, now }: { id: string; now: Date }): Promise<"in_time" | "too_early"> {
      const statement = { name: "device_poll", text: pollSql, values: [id, now] };
      const [row] = await prepared<{ early: boolean }>(database, statement);
      return row?.early === true ? "too_early" : "in_time";
    },
  };
}

export function deviceFromStored({
  answer,
  userId,
  authTime,
  amr,
  ...device
}: StoredDevice): DeviceAuthorization {
  if (answer === null) return { ...device, answer };
  if (answer === "denied") return { ...device, answer: { kind: answer, userId } };
  if (userId === null || amr === null) throw new Error("An allowed device has a person.");
  return { ...device, answer: { kind: answer, userId, authTime, amr } };
}
