import { createHash } from "node:crypto";
import type { Logger } from "pino";
import { createLoop, type Loop } from "../platform/jobs/loop.js";
import type { RefusalSum } from "../store/audit-refusals.js";
import type { OpenStore, Store } from "../store/store.js";
import { canonicalJson } from "./canonical.js";
import type { AuditActor, AuditEvent } from "./events.js";
import { recordAllAudits, recordAudit } from "./record.js";

/**
 * Refusals of one hour that are events of their own: far more than anybody reads about one grant, about the people
 * behind one address, or about nobody in particular at one provider.
 */
export const refusalLimits = { concern: 20, address: 200, anybody: 1_000 } as const;

const hourSeconds = 3600;
const loopSeconds = 1;
/** How often a process looks whether an hour is complete. */
const lookSeconds = 60;
/** Every process has told what it counted by then. */
const settleSeconds = 120;
/** Sums that one transaction turns into events. */
const batchSize = 200;
/** Keys and sums that are held at a time; beyond, every refusal is counted in the database, and alike ones more coarsely. */
const maxHeld = 10_000;

/** What anyone can cause again and again: refusals, and what is recorded of apps that no administrator registered. */
export type Refusal = Extract<
  AuditEvent,
  {
    type:
      | "admin.refused"
      | "authorization.refused"
      | "client.registered"
      | "client_document.changed"
      | "client_document.refused"
      | "connection.denied"
      | "connection.refused"
      | "consent.refused"
      | "service.call_denied"
      | "sign_in.refused"
      | "token.refused";
  }
>;

/** What records the refusals of one request. */
export interface RefusalRecord {
  /** Whether this refusal is to be recorded. When not, it is counted: an hour later one event says how many there were. */
  readonly admit: (event: Refusal) => Promise<boolean>;
  /** Records a refusal, or counts it. */
  readonly record: (store: Pick<Store, "auditEvents">, event: Refusal) => Promise<void>;
}

/** Decides which refusals are events of their own, together with all other processes. */
export interface Refusals extends Loop {
  /** For the request that came from this address. */
  readonly from: (address: string) => RefusalRecord;
  /** How many this process has refused, by the type of the event. */
  readonly refused: () => Readonly<Record<string, number>>;
  /** Stores what was counted here, and turns what is complete into events. */
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
 * Creates the limit on recorded refusals: nobody may fill the disk with them.
 *
 * A refusal within the limits costs one more statement, which counts it among those of all processes. Beyond them it
 * costs none: it is counted in memory, and stored once a second. A process that is killed forgets that second.
 */
export function createRefusals({ store, clock, log }: RefusalsContext): Refusals {
  /** What is known to be over a limit, until the hour is over. */
  const full = new Map<string, number>();
  const reported = new Map<Limit, number>();
  let sums = new Map<string, Sum>();
  let lookAt = 0;
  /** From the start, so that the first one is an increase. */
  const totals: Record<string, number> = { "sign_in.refused": 0, "token.refused": 0 };

  async function findExceeded(asked: readonly CountedBy[], endsAt: number): Promise<CountedBy | undefined> {
    const known = asked.find(({ key }) => full.get(key) === endsAt);
    if (known !== undefined) return known;
    // The last minute of the hour stands for the hour.
    const minute = endsAt / 60_000 - 1;
    const counts = await store.rateLimits.add(asked.map(({ key }) => ({ key, minute, count: 1 })));
    const countOf = new Map(counts.map(({ key, count }) => [key, count]));
    const exceeded = asked.filter(({ limit, key }) => (countOf.get(key) ?? 0) > refusalLimits[limit]);
    for (const { limit, key } of exceeded) {
      if (full.size < maxHeld) full.set(key, endsAt);
      report(limit, key, endsAt);
    }
    return exceeded[0];
  }

  function report(limit: Limit, key: string, endsAt: number): void {
    if (reported.get(limit) === endsAt) return;
    reported.set(limit, endsAt);
    log.warn(
      { code: "AUDIT_REFUSALS_COUNTED", limit, key, perHour: refusalLimits[limit] },
      "More refusals, or apps that are new, than the audit trail records one by one; the rest of this hour is counted.",
    );
  }

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

  async function recordSums(): Promise<void> {
    const endedBefore = new Date(clock() - settleSeconds * 1000);
    await store.exclusively("audit refusals", async () => {
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- batch after batch
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
    await flush();
    if (clock() < lookAt) return;
    for (const [key, endsAt] of full) if (endsAt <= clock()) full.delete(key);
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
    const exceeded = await findExceeded(countedBy(event, address), endsAt);
    if (exceeded === undefined) return true;
    add(event, inCommon(event, exceeded.limit === "address" ? address : null), endsAt);
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
      await flush().catch(onError);
    },
  };
}

function hourEnd(now: number): number {
  const milliseconds = hourSeconds * 1000;
  return (Math.floor(now / milliseconds) + 1) * milliseconds;
}

/** The keys of a refusal: where it came from, and the grant, the person or the client that it is about. */
function countedBy(
  { type, actor, subject = "", clientId = "", data }: Refusal,
  address: string,
): CountedBy[] {
  const by = (limit: Limit, key: string) => ({ limit, key: `refusal.${limit} ${key}` });
  const grantId = "grantId" in data ? data.grantId : null;
  const actorId = "id" in actor ? `${actor.type} ${actor.id}` : "";
  const provider = "provider" in data ? data.provider : "";
  const isKnown = actorId !== "" || subject !== "";
  const concern = grantId ?? `${actorId} ${subject} ${clientId}`;
  return [by("address", address), isKnown ? by("concern", concern) : by("anybody", `${type} ${provider}`)];
}

/** Members that say what happened. The others differ from request to request, and whoever asks can choose them. */
const kept = ["error", "reason", "grantType", "grantId", "provider", "connector"];

/** Whose client is named by the caller alone: counted together, or each would have a sum of its own. */
const namedByCaller: ReadonlySet<Refusal["type"]> = new Set([
  "client.registered",
  "client_document.changed",
  "client_document.refused",
]);

function inCommon(event: Refusal, address: string | null): Readonly<Record<string, unknown>> {
  const { actor, subject = null } = event;
  const clientId = (namedByCaller.has(event.type) ? undefined : event.clientId) ?? null;
  const data: Readonly<Record<string, unknown>> = event.data;
  // What a denied call names is registered; what a request for a token names is its sender's choice.
  const names = event.type === "service.call_denied" ? [...kept, "resource"] : kept;
  const details = Object.fromEntries(
    names.flatMap((name) => (typeof data[name] === "string" ? [[name, data[name]]] : [])),
  );
  return { type: event.type, outcome: event.outcome, actor, subject, clientId, address, details };
}

/** When there are too many to tell apart. */
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
