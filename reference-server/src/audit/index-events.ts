import type { Logger } from "pino";
import { createLoop, logFailures, type Loop } from "../platform/jobs/loop.js";
import type { AuditRecord } from "../store/audit-events.js";
import type {
  AuditCount,
  AuditIndexBatch,
  AuditName,
  ClientCount,
  ClientPerson,
} from "../store/audit-search.js";
import type { OpenStore } from "../store/store.js";
import { countUsage, hourOf } from "./count-usage.js";
import { loadEventNames } from "./event-names.js";
import { eventWords } from "./event-words.js";

const indexSeconds = 1;
/** The most events per transaction: few enough to delay no requests. */
const batchSize = 500;
/** Batches of one run, so that a stopping process does not wait long. */
const batchesPerRun = 40;

/** Keeps the search and the counts of the audit trail close behind its seals while the server runs. */
export function createAuditIndexer({
  store,
  log,
}: {
  readonly store: OpenStore;
  readonly log: Pick<Logger, "warn">;
}): Loop {
  return createLoop({
    everySeconds: indexSeconds,
    work: async (signal) => void (await indexEvents(store, signal)),
    onError: logFailures(log, {
      code: "AUDIT_INDEX_FAILED",
      message: "Indexing events for the audit search failed; trying again.",
    }),
  });
}

/**
 * Adds sealed events to the search and the counts. Returns how many; `undefined` while another process does it.
 *
 * Only sealed ones: no event can appear among them later, so each is counted exactly once. Requests do not wait for it.
 */
export async function indexEvents(store: OpenStore, signal?: AbortSignal): Promise<number | undefined> {
  return await store.exclusively("audit search", async () => {
    let events = 0;
    for (let batch = 0; batch < batchesPerRun; batch += 1) {
      if (signal?.aborted === true) return events;
      const count = await indexBatch(store);
      events += count;
      if (count < batchSize) return events;
    }
    return events;
  });
}

async function indexBatch(store: OpenStore): Promise<number> {
  const seal = await store.auditSeals.last();
  const { throughEventId: afterEventId } = await store.auditSearch.progress();
  if (seal === undefined || BigInt(seal.lastEventId) <= BigInt(afterEventId)) return 0;
  const range = { afterId: afterEventId, throughId: seal.lastEventId, limit: batchSize };
  const events = await store.auditEvents.read(range);
  const last = events.at(-1);
  if (last === undefined) return 0;
  const names = await loadEventNames(store, events);
  const usage = await countUsage(events, store);
  await store.transaction(async (tx) => {
    await tx.auditSearch.add({ afterEventId, ...describeBatch(events, last, names) });
    await tx.usage.add(usage.rows, usage.denials);
  });
  return events.length;
}

function describeBatch(
  events: readonly AuditRecord[],
  last: AuditRecord,
  names: ReadonlyMap<string, AuditName>,
): Omit<AuditIndexBatch, "afterEventId"> {
  const known = new Map<string, readonly string[]>();
  const wordsOf = (event: AuditRecord) => eventWords(event, names, known);
  return {
    throughEventId: last.id,
    throughAt: new Date(last.at),
    words: events.map((event) => ({ eventId: event.id, at: event.at, words: wordsOf(event) })),
    counts: countHours(events),
    resources: countResources(events),
    clients: countClients(events),
    clientPeople: listClientPeople(events),
  };
}

function countHours(events: readonly AuditRecord[]): readonly AuditCount[] {
  const counts = new Map<string, AuditCount>();
  for (const { at, type, outcome, data } of events) {
    const key = `${at.slice(0, 13)} ${outcome} ${type}`;
    const count = (counts.get(key)?.count ?? 0) + weightOf(type, data);
    counts.set(key, { hour: hourOf(at), type, outcome, count });
  }
  return [...counts.values()];
}

/** A sum of refusals counts as many as it stands for. */
function weightOf(type: string, { count }: AuditRecord["data"]): number {
  return type === "events.counted" && typeof count === "number" ? count : 1;
}

function countClients(events: readonly AuditRecord[]): readonly ClientCount[] {
  const counts = new Map<string, ClientCount>();
  for (const event of events) {
    const { at, type, outcome, clientId, data } = event;
    if (clientId === null || !isUse(event)) continue;
    const key = `${at.slice(0, 13)} ${clientId}`;
    const { issued, denied } = counts.get(key) ?? { issued: 0, denied: 0 };
    const weight = weightOf(type, data);
    const next =
      outcome === "success" ? { issued: issued + weight, denied } : { issued, denied: denied + weight };
    counts.set(key, { hour: hourOf(at), clientId, ...next });
  }
  return [...counts.values()];
}

/** The people that clients were used for. */
function listClientPeople(events: readonly AuditRecord[]): readonly ClientPerson[] {
  const people = new Map<string, ClientPerson>();
  for (const event of events) {
    const { at, clientId, subject } = event;
    if (clientId === null || subject === null || !isUse(event)) continue;
    const key = `${clientId} ${subject}`;
    const before = people.get(key)?.lastHour;
    const hour = hourOf(at);
    const lastHour = before !== undefined && before > hour ? before : hour;
    people.set(key, { clientId, userId: subject, lastHour });
  }
  return [...people.values()];
}

/** Whether something was issued, or refused. */
function isUse({ type, outcome }: AuditRecord): boolean {
  return outcome !== "success" || issuedTypes.has(type);
}

/** Counts what was issued per service. Tokens of this server's own API name none. */
function countResources(events: readonly AuditRecord[]): AuditIndexBatch["resources"] {
  const counts = new Map<string, AuditIndexBatch["resources"][number]>();
  for (const { at, type, outcome, data } of events) {
    const { resource } = data;
    if (outcome !== "success" || !issuedTypes.has(type) || typeof resource !== "string") continue;
    const day = at.slice(0, 10);
    const key = `${day} ${resource}`;
    counts.set(key, { day, resource, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

const issuedTypes: ReadonlySet<string> = new Set([
  "token.issued",
  "assertion.issued",
  "machine_token.issued",
]);
