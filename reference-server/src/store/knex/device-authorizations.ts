import type {
  DeviceAnswer,
  DeviceAuthorization,
  DeviceAuthorizationStore,
  PlaceOfRequest,
} from "../device-authorizations.js";
import { type Database, prepared } from "./database.js";

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

export function createDeviceAuthorizationStore(database: Database): DeviceAuthorizationStore {
  const waiting = (now: Date) =>
    database<DeviceRow>("device_authorizations").where({ answer: null }).where("expires_at", ">", now);

  return {
    async insert(device, clientAddress) {
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
    async findPlace(id) {
      return await database<DeviceRow>("device_authorizations")
        .where({ id })
        .first<PlaceOfRequest | undefined>({ address: "client_address", askedAt: "created_at" });
    },
    async findWaiting({ userCodeHash, now }) {
      const row: DeviceRow | undefined = await waiting(now).where({ user_code_hash: userCodeHash }).first();
      return row && deviceFromRow(row);
    },
    async answer({ id, answer, now }) {
      const change = {
        answer: answer.kind,
        user_id: answer.userId,
        ...(answer.kind === "allowed" && { auth_time: answer.authTime, amr: [...answer.amr] }),
      };
      return (await waiting(now).where({ id }).update(change)) > 0;
    },
    async poll({ id, now }) {
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
