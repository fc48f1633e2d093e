import { createHash } from "node:crypto";
import { canonicalJson } from "@authz/dpop/jws";
import type { Logger } from "pino";
import { createLoop, type Loop } from "../platform/jobs/loop.js";
import type { RefusalSum } from "../store/audit-refusals.js";
import type { OpenStore, Store } from "../store/store.js";
import type { AuditActor, AuditEvent } from "./events.js";
import { recordAllAudits, recordAudit } from "./record.js";
import { hourMs, minuteMs } from "../platform/durations.js";

/**
 * Refusals per hour that are events of their own: about one grant or person, from one address, and about unknown persons at one
 * provider. Far more than an administrator reads.
 */
export const refusalLimits = { concern: 20, address: 200, anybody: 1_000 } as const;

const loopSeconds = 1;
/** Interval of checks for complete hours. */
const lookSeconds = 60;
/** After this time every process has stored its counts. */
const settleSeconds = 120;
/** Sums that one transaction turns into events. */
const batchSize = 200;
/** Keys and sums held in memory; beyond, each refusal is counted in the database, and sums are coarser. */
const maxHeld = 10_000;

/**
 * Events that callers can cause again and again: refusals, those about apps that no administrator registered, and signals that change
 * nothing.
 */
export type Refusal = Extract<
  AuditEvent,
  {
    type:
      | "admin.refused"
      | "approval.refused"
      | "authorization.refused"
      | "client.registered"
      | "client_document.changed"
      | "client_document.refused"
      | "connection.denied"
      | "connection.refused"
      | "consent.refused"
      | "logout.refused"
      | "service.call_denied"
      | "sign_in.refused"
      | "signal.received"
      | "signal.refused"
      | "signal.unknown_subject"
      | "token.refused";
  }
>;

/** Records the refusals of one request. */
export interface RefusalRecord {
  /** Whether to record this refusal. Otherwise it is counted: after the hour one event has the number. */
  readonly admit: (event: Refusal) => Promise<boolean>;
  /** Records a refusal, or counts it. */
  readonly record: (store: Pick<Store, "auditEvents">, event: Refusal) => Promise<void>;
}

/** Decides which refusals are events of their own, together with all other processes. */
export interface Refusals extends Loop {
  /** For the request that came from this address. */
  readonly from: (address: string) => RefusalRecord;
  /** Refusals by this process, by the type of the event. */
  readonly refused: () => Readonly<Record<string, number>>;
  /** Stores the counts of this process, and turns complete hours into events. */
  readonly run: () => Promise<void>;
}

export interface RefusalsContext {
  readonly store: Pick<OpenStore, "auditRefusals" | "rateLimits" | "exclusively" | "transaction">;
  readonly clock: () => number;
  readonly log: Pick<Logger, "warn">;
}

type Limit = keyof typeof refusalLimits;

interface CountedBy {
  readonly limit: Limit;
  readonly key: string;
}

type Sum = { -readonly [Member in keyof RefusalSum]: RefusalSum[Member] };

/**
 * Creates the limit on recorded refusals, which keeps callers from filling the disk with them.
 *
 * A refusal within the limits costs one more statement, which counts it among those of all processes. Beyond them it
 * costs none: it is counted in memory, and stored once a second. A killed process loses that second.
 */
export function createRefusals({ store, clock, log }: RefusalsContext): Refusals {
  const limits = createHourLimits({ store, log });
  const sums = createSums(store);
  let lookAt = 0;
  /** From the start, so that the first refusal shows as an increase. */
  const totals: Record<string, number> = { "sign_in.refused": 0, "token.refused": 0 };

  async function recordSums(): Promise<void> {
    const endedBefore = new Date(clock() - settleSeconds * 1000);
    await store.exclusively("audit refusals", async () => {
      for (;;) {
        const taken = await store.transaction(async (transaction) => {
          const batch = await transaction.auditRefusals.take({ endedBefore, limit: batchSize });
          await recordAllAudits(
            transaction,
            batch.map((sum) => countedEvent(sum, new Date(clock()))),
          );
          return batch.length;
        });
        if (taken < batchSize) return;
      }
    });
  }

  async function run(): Promise<void> {
    await sums.flush();
    if (clock() < lookAt) return;
    limits.forget(clock());
    await recordSums();
    lookAt = clock() + lookSeconds * 1000;
  }

  const onError = (err: unknown) =>
    log.warn(
      { code: "AUDIT_REFUSALS_NOT_STORED", err },
      "Counted refusals could not be stored; trying again.",
    );
  const loop = createLoop({ everySeconds: loopSeconds, work: run, onError });

  async function admit(event: Refusal, address: string): Promise<boolean> {
    totals[event.type] = (totals[event.type] ?? 0) + 1;
    const endsAt = hourEnd(clock());
    const exceeded = await limits.findExceeded(countedBy(event, address), endsAt);
    if (exceeded === undefined) return true;
    sums.add(event, inCommon(event, exceeded.limit === "address" ? address : null), endsAt);
    return false;
  }

  return {
    ...loop,
    run,
    refused: () => totals,
    from: (address) => ({
      admit: (event) => admit(event, address),
      async record(target, event) {
        if (await admit(event, address)) await recordAudit(target, event);
      },
    }),
    async stop() {
      await loop.stop();
      await sums.flush().catch(onError);
    },
  };
}

/** Counts refusals by hour among those of all processes. */
function createHourLimits({ store, log }: Pick<RefusalsContext, "store" | "log">) {
  /** Keys known to be over a limit, with the end of the hour. */
  const full = new Map<string, number>();
  const reported = new Map<Limit, number>();

  function report({ limit, key }: CountedBy, endsAt: number): void {
    if (reported.get(limit) === endsAt) return;
    reported.set(limit, endsAt);
    log.warn(
      { code: "AUDIT_REFUSALS_COUNTED", limit, key, perHour: refusalLimits[limit] },
      "More refusals, or apps that are new, than the audit trail records one by one; the rest of this hour is counted.",
    );
  }

  return {
    async findExceeded(keys: readonly CountedBy[], endsAt: number): Promise<CountedBy | undefined> {
      const known = keys.find(({ key }) => full.get(key) === endsAt);
      if (known !== undefined) return known;
      // The last minute of the hour stands for the hour.
      const minute = endsAt / minuteMs - 1;
      const counts = await store.rateLimits.add(keys.map(({ key }) => ({ key, minute, count: 1 })));
      const countOf = new Map(counts.map(({ key, count }) => [key, count]));
      const exceeded = keys.filter(({ limit, key }) => (countOf.get(key) ?? 0) > refusalLimits[limit]);
      for (const counted of exceeded) {
        if (full.size < maxHeld) full.set(counted.key, endsAt);
        report(counted, endsAt);
      }
      return exceeded[0];
    },
    /** Forgets the hours that have ended. */
    forget(now: number): void {
      for (const [key, endsAt] of full) if (endsAt <= now) full.delete(key);
    },
  };
}

/** Adds up alike refusals in memory until they are stored. */
function createSums(store: RefusalsContext["store"]) {
  let sums = new Map<string, Sum>();

  function add(event: Refusal, common: Readonly<Record<string, unknown>>, endsAt: number): void {
    const id = `${canonicalJson(common)} ${endsAt}`;
    const known = sums.get(id);
    if (known !== undefined) {
      known.count += 1;
      known.lastAt = event.at;
      return;
    }
    if (sums.size >= maxHeld && "actor" in common) return add(event, coarsely(event), endsAt);
    const key = createHash("sha256").update(canonicalJson(common)).digest();
    sums.set(id, {
      key,
      endsAt: new Date(endsAt),
      event: common,
      count: 1,
      firstAt: event.at,
      lastAt: event.at,
    });
  }

  async function flush(): Promise<void> {
    if (sums.size === 0) return;
    const held = sums;
    sums = new Map();
    try {
      await store.auditRefusals.add([...held.values()]);
    } catch (error) {
      for (const [id, { count, firstAt, ...sum }] of held) {
        const newer = sums.get(id);
        const lastAt = newer?.lastAt ?? sum.lastAt;
        sums.set(id, { ...sum, firstAt, lastAt, count: count + (newer?.count ?? 0) });
      }
      throw error;
    }
  }

  return { add, flush };
}

function hourEnd(now: number): number {
  return (Math.floor(now / hourMs) + 1) * hourMs;
}

/** The keys of a refusal: where it came from, and the grant, the person or the client that it is about. */
function countedBy(
  { type, actor, subject = "", clientId = "", data }: Refusal,
  address: string,
): CountedBy[] {
  const by = (limit: Limit, key: string) => ({ limit, key: `refusal.${limit} ${key}` });
  const grantId = "grantId" in data ? data.grantId : null;
  const actorId = "id" in actor ? `${actor.type} ${actor.id}` : "";
  const provider = "provider" in data ? data.provider : "stream" in data ? data.stream : "";
  const isKnown = actorId !== "" || subject !== "";
  const concern = grantId ?? `${actorId} ${subject} ${clientId}`;
  return [by("address", address), isKnown ? by("concern", concern) : by("anybody", `${type} ${provider}`)];
}

/** Members that describe the refusal. The others differ from request to request, and the caller can choose them. */
const kept = ["error", "reason", "grantType", "grantId", "provider", "stream", "connector"];

/** Events whose client id is the caller's choice: counted together, or each id would have a sum of its own. */
const namedByCaller: ReadonlySet<Refusal["type"]> = new Set([
  "client.registered",
  "client_document.changed",
  "client_document.refused",
]);

function inCommon(event: Refusal, address: string | null): Readonly<Record<string, unknown>> {
  const { actor, subject = null } = event;
  const clientId = (namedByCaller.has(event.type) ? undefined : event.clientId) ?? null;
  const data: Readonly<Record<string, unknown>> = event.data;
  // The resource of a denied call is registered; that of a token request is the caller's choice.
  const names = event.type === "service.call_denied" ? [...kept, "resource"] : kept;
  const details = Object.fromEntries(
    names.flatMap((name) => (typeof data[name] === "string" ? [[name, data[name]]] : [])),
  );
  return { type: event.type, outcome: event.outcome, actor, subject, clientId, address, details };
}

/** Fewer distinctions, for when there are too many sums. */
function coarsely({ type, outcome }: Refusal): Readonly<Record<string, unknown>> {
  return { type, outcome, subject: null, clientId: null, address: null, details: {} };
}

function countedEvent({ event, count, firstAt, lastAt }: RefusalSum, at: Date): AuditEvent {
  const { type, outcome, actor, subject, clientId, address, details } = event as {
    readonly type: Refusal["type"];
    readonly outcome: AuditEvent["outcome"];
    readonly actor?: AuditActor;
    readonly subject: string | null;
    readonly clientId: string | null;
    readonly address: string | null;
    readonly details: Readonly<Record<string, string>>;
  };
  return {
    type: "events.counted",
    outcome,
    actor: actor ?? { type: "system" },
    at,
    ...(subject !== null && { subject }),
    ...(clientId !== null && { clientId }),
    data: {
      event: type,
      count,
      from: firstAt.toISOString(),
      to: lastAt.toISOString(),
      address,
      ...details,
    },
  };
}
