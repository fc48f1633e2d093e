import { type Database, prepared } from "./postgres/database.js";

/** A log-in that a device without a browser waits for (RFC 8628). */
export interface DeviceAuthorization {
  readonly id: string;
  /** SHA-256 of the device code. */
  readonly deviceCodeHash: Buffer;
  /** HMAC of the user code, so that the database does not hold it. */
  readonly userCodeHash: Buffer;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** The key that the device code is bound to; `null` when the device named none. */
  readonly dpopJkt: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  /** Seconds that the device waits between two questions. Grows when it does not. */
  readonly intervalSeconds: number;
  /** What a person said; `null` while nobody has answered. */
  readonly answer: DeviceAnswer | null;
  readonly usedAt: Date | null;
}

/** Where and when a device asked, for the person who answers. */
export interface PlaceOfRequest {
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

/** A row of `device_authorizations`, as the driver returns it. */
export interface DeviceRow {
  id: string;
  device_code_hash: Buffer;
  user_code_hash: Buffer;
  client_id: string;
  scopes: string[];
  dpop_jkt: string | null;
  created_at: Date;
  expires_at: Date;
  interval_seconds: number;
  answer: "allowed" | "denied" | null;
  user_id: string | null;
  auth_time: Date | null;
  amr: string[] | null;
  used_at: Date | null;
}

/** A second of grace: what leaves a device in time may arrive a little early. */
const pollSql = `
  WITH before AS (
    SELECT id, polled_at + (interval_seconds - 1) * interval '1 second' > $2::timestamptz AS early
    FROM device_authorizations WHERE id = $1::uuid FOR UPDATE
  )
  UPDATE device_authorizations d
  SET polled_at = $2::timestamptz, interval_seconds = interval_seconds + CASE WHEN early THEN 5 ELSE 0 END
  FROM before WHERE d.id = before.id RETURNING early IS TRUE AS early`;

/** Redeemed by `RedemptionStore`, read for the token endpoint by `LogInStore`. */
export function createDeviceAuthorizationStore(database: Database) {
  const waiting = (now: Date) =>
    database<DeviceRow>("device_authorizations").where({ answer: null }).where("expires_at", ">", now);

  return {
    /** Returns whether it was stored; `false` when another one has the same user code. */
    async insert(device: DeviceAuthorization, clientAddress: string | null): Promise<boolean> {
      const rows: unknown[] = await database("device_authorizations")
        .insert({
          id: device.id,
          device_code_hash: device.deviceCodeHash,
          user_code_hash: device.userCodeHash,
          client_id: device.clientId,
          scopes: [...device.scopes],
          dpop_jkt: device.dpopJkt,
          created_at: device.createdAt,
          expires_at: device.expiresAt,
          interval_seconds: device.intervalSeconds,
          client_address: clientAddress,
        })
        .onConflict("user_code_hash")
        .ignore()
        .returning("id");
      return rows.length > 0;
    },
    async findPlace(id: string): Promise<PlaceOfRequest | undefined> {
      return await database<DeviceRow>("device_authorizations")
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
      const row: DeviceRow | undefined = await waiting(now).where({ user_code_hash: userCodeHash }).first();
      return row && deviceFromRow(row);
    },
    /** Returns whether this call is the one that answered. */
    async answer({ id, answer, now }: { id: string; answer: DeviceAnswer; now: Date }): Promise<boolean> {
      const change = {
        answer: answer.kind,
        user_id: answer.userId,
        ...(answer.kind === "allowed" && { auth_time: answer.authTime, amr: [...answer.amr] }),
      };
      return (await waiting(now).where({ id }).update(change)) > 0;
    },
    /** Counts one question of a waiting device and says whether it came too early, which makes the interval longer. */
    async poll({ id, now }: { id: string; now: Date }): Promise<"in_time" | "too_early"> {
      const statement = { name: "device_poll", text: pollSql, values: [id, now] };
      const [row] = await prepared<{ early: boolean }>(database, statement);
      return row?.early === true ? "too_early" : "in_time";
    },
  };
}

export function deviceFromRow(row: DeviceRow): DeviceAuthorization {
  return {
    id: row.id,
    deviceCodeHash: row.device_code_hash,
    userCodeHash: row.user_code_hash,
    clientId: row.client_id,
    scopes: row.scopes,
    dpopJkt: row.dpop_jkt,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    intervalSeconds: row.interval_seconds,
    answer: answerFromRow(row),
    usedAt: row.used_at,
  };
}

function answerFromRow({ answer, user_id: userId, auth_time, amr }: DeviceRow): DeviceAnswer | null {
  if (answer === null) return null;
  if (answer === "denied") return { kind: "denied", userId };
  if (userId === null || amr === null) throw new Error("An allowed device has a person.");
  return { kind: "allowed", userId, authTime: auth_time, amr };
}
