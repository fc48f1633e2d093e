import type { signalStreamShape } from "../objects/signal-stream.js";
import type { StoredObject } from "../objects/object.js";
import { createObjectStore } from "./object-store.js";
import { type Database, prepared, queryRows } from "./postgres/database.js";
import { columnsOf, defineTable, type Versioned } from "./postgres/table.js";

type Described = StoredObject<typeof signalStreamShape>;

/** A stream of security events, as it is stored. */
export interface SignalStream
  extends Pick<
    Described,
    "key" | "name" | "transmitter" | "delivery" | "opaqueSubjects" | "maxAgeSeconds" | "enabled"
  > {
  readonly id: string;
  readonly identityProviderId: string;
  /** Where the metadata of the transmitter was found. */
  readonly configurationUrl: string;
  /** What the transmitter calls it. */
  readonly streamId: string;
  readonly audience: string;
  /** `null` for a stream that is pushed. */
  readonly pollUrl: string | null;
  /** Sealed by the credential vault, bound to `signalStreamRow(id)`. */
  readonly token: Buffer | null;
  /** SHA-256 of what the transmitter presents; `null`: nothing is accepted. */
  readonly credentialHash: Buffer | null;
}

/** What became of one event. */
export type SignalOutcome =
  | "acted"
  | "without_effect"
  | "unknown_subject"
  | "unknown_event"
  | "stale"
  | "repeated"
  | "refused";

/** What the transmitter said last about the stream. */
export type TransmitterStatus = "enabled" | "paused" | "disabled";

/** How a stream does. */
export interface SignalStreamState {
  readonly transmitterStatus: TransmitterStatus;
  readonly lastReceivedAt: Date | null;
  /** Time from the event to its receipt. */
  readonly lastLagSeconds: number | null;
  readonly lastRefusedAt: Date | null;
  /** Why, as a code. */
  readonly lastRefusal: string | null;
  readonly failingSince: Date | null;
  /** Why polling, or a test, fails, as a code. */
  readonly failure: string | null;
  readonly verificationRequestedAt: Date | null;
  readonly verifiedAt: Date | null;
  /** When administrators were told that it is failing or silent. */
  readonly reportedAt: Date | null;
}

/** A stream as administrators see it. */
export interface ListedSignalStream extends SignalStream, SignalStreamState, Versioned {
  /** Key of the identity provider. */
  readonly provider: string;
  readonly counts: Readonly<Partial<Record<SignalOutcome, number>>>;
}

/** What is known of a stream's events since the last time, to be added. */
export interface SignalReceipts {
  readonly streamId: string;
  readonly counts: Readonly<Partial<Record<SignalOutcome, number>>>;
  readonly last: Partial<Pick<SignalStreamState, "lastReceivedAt" | "lastLagSeconds">>;
  readonly refusal: Partial<Pick<SignalStreamState, "lastRefusedAt" | "lastRefusal">>;
}

/** A stream that a process polls until `release`, or until another one may. */
export interface ClaimedStream {
  readonly stream: SignalStream;
  readonly lease: string;
  readonly failingSince: Date | null;
}

const table = defineTable<SignalStream>(
  "signal_streams",
  columnsOf(
    "id",
    "key",
    "name",
    "identityProviderId",
    "transmitter",
    "configurationUrl",
    "streamId",
    "audience",
    "delivery",
    "pollUrl",
    "token",
    "credentialHash",
    "opaqueSubjects",
    "maxAgeSeconds",
    "enabled",
  ),
);

const stateTable = defineTable<SignalStreamState>(
  "signal_streams",
  columnsOf(
    "transmitterStatus",
    "lastReceivedAt",
    "lastLagSeconds",
    "lastRefusedAt",
    "lastRefusal",
    "failingSince",
    "failure",
    "verificationRequestedAt",
    "verifiedAt",
    "reportedAt",
  ),
);

const listedSql = `${stateTable.select("o")},
  (SELECT i.key FROM identity_providers i WHERE i.id = o.identity_provider_id) AS provider,
  (SELECT coalesce(json_object_agg(c.outcome, c.count), '{}') FROM signal_counts c WHERE c.stream_id = o.id) AS counts`;

const claimSql = `
  WITH due AS (
    SELECT id FROM signal_streams WHERE delivery = 'poll' AND enabled AND poll_due_at <= :now
    ORDER BY poll_due_at LIMIT :limit FOR UPDATE SKIP LOCKED)
  UPDATE signal_streams s SET poll_due_at = :leaseUntil, poll_lease = gen_random_uuid() FROM due
  WHERE s.id = due.id
  RETURNING ${table.select("s")}, s.poll_lease AS lease, s.failing_since AS "failingSince"`;

const addCountsSql = `
  INSERT INTO signal_counts AS c (stream_id, outcome, count)
  SELECT n.stream_id, n.outcome, n.count FROM unnest($1::uuid[], $2::text[], $3::bigint[]) AS n (stream_id, outcome, count)
  WHERE EXISTS (SELECT FROM signal_streams s WHERE s.id = n.stream_id)
  ORDER BY n.stream_id, n.outcome
  ON CONFLICT (stream_id, outcome) DO UPDATE SET count = c.count + excluded.count`;

const verifySql = `
  UPDATE signal_streams SET verified_at = $3, verification_hash = NULL,
    failing_since = CASE WHEN delivery = 'push' THEN NULL ELSE failing_since END,
    failure = CASE WHEN delivery = 'push' THEN NULL ELSE failure END
  WHERE id = $1 AND verification_hash = $2 RETURNING id`;

export function createSignalStreamStore(database: Database) {
  const objects = createObjectStore<SignalStream, ListedSignalStream, "key" | "name">(database, {
    table,
    key: "key",
    more: listedSql,
    sorts: { key: { sql: "o.key", type: "text" }, name: { sql: "lower(o.name)", type: "text" } },
  });
  const change = (id: string, state: Partial<SignalStreamState>) =>
    database("signal_streams").where({ id }).update(stateTable.toRow(state));

  return {
    ...objects,
    async findByKey(key: string): Promise<SignalStream | undefined> {
      const [row] = await database("signal_streams")
        .select<SignalStream[]>(database.raw(table.select()))
        .where({ key });
      return row;
    },
    async listAll(): Promise<readonly ListedSignalStream[]> {
      const request = {
        limit: 1000,
        sort: "key",
        descending: false,
        after: undefined,
        q: undefined,
      } as const;
      return (await objects.list(request)).items;
    },
    async count(): Promise<number> {
      const [row] = await database("signal_streams").count<{ count: string }[]>();
      return Number(row?.count);
    },
    async countOf(identityProviderId: string): Promise<number> {
      const [row] = await database("signal_streams")
        .where({ identity_provider_id: identityProviderId })
        .count<{ count: string }[]>();
      return Number(row?.count);
    },
    setStatus: async (id: string, transmitterStatus: TransmitterStatus): Promise<void> =>
      void (await change(id, { transmitterStatus })),
    setCredential: async (id: string, hash: Buffer): Promise<void> =>
      void (await database("signal_streams").where({ id }).update({ credential_hash: hash })),
    /** Notes the state of the verification event that is requested; an earlier one no longer counts. */
    async requestVerification(id: string, { hash, at }: { readonly hash: Buffer; readonly at: Date }) {
      const requested = { verification_hash: hash, verification_requested_at: at };
      await database("signal_streams").where({ id }).update(requested);
    },
    /** Whether the verification event that was requested last has this state; it counts once. */
    async verify(id: string, { hash, at }: { readonly hash: Buffer; readonly at: Date }): Promise<boolean> {
      const statement = { name: "signal_stream_verify", text: verifySql, values: [id, hash, at] };
      return (await prepared(database, statement)).length > 0;
    },
    /** Claims streams that are due to be polled. Each is claimed by one process, until it is released or `leaseUntil`. */
    async claimDue(due: {
      readonly now: Date;
      readonly leaseUntil: Date;
      readonly limit: number;
    }): Promise<readonly ClaimedStream[]> {
      const rows = await queryRows<SignalStream & Omit<ClaimedStream, "stream">>(database, claimSql, due);
      return rows.map(({ lease, failingSince, ...row }) => ({
        stream: table.fromRow(row),
        lease,
        failingSince,
      }));
    },
    /** Schedules the next poll, unless another process has claimed the stream. */
    async release(
      { stream, lease }: ClaimedStream,
      { dueAt, ...state }: { readonly dueAt: Date } & Pick<SignalStreamState, "failingSince" | "failure">,
    ): Promise<void> {
      await database("signal_streams")
        .where({ id: stream.id, poll_lease: lease })
        .update({ ...stateTable.toRow(state), poll_due_at: dueAt, poll_lease: null });
    },
    fail: async (id: string, failed: Pick<SignalStreamState, "failingSince" | "failure">): Promise<void> =>
      void (await database("signal_streams")
        .where({ id })
        .update({
          failure: failed.failure,
          failing_since: database.raw("coalesce(failing_since, ?)", [
            failed.failingSince as unknown as string,
          ]),
        })),
    /** Marks a failing or silent stream as reported. Returns whether this call is the one that did. */
    async markReported(id: string, at: Date): Promise<boolean> {
      return (
        (await database("signal_streams")
          .where({ id })
          .whereNull("reported_at")
          .update({ reported_at: at })) > 0
      );
    },
    forgetReport: async (id: string): Promise<void> => void (await change(id, { reportedAt: null })),
    /** Adds what processes received, with few statements for many events. */
    async addReceipts(receipts: readonly SignalReceipts[]): Promise<void> {
      const counts = receipts.flatMap(({ streamId, counts: of }) =>
        Object.entries(of).map(([outcome, count]) => ({ streamId, outcome, count })),
      );
      const values = [
        counts.map(({ streamId }) => streamId),
        counts.map(({ outcome }) => outcome),
        counts.map(({ count }) => count),
      ];
      await prepared(database, { name: "signal_counts_add", text: addCountsSql, values });
      for (const { streamId, last, refusal } of receipts) await change(streamId, { ...last, ...refusal });
    },
  };
}
