import { type AuditActor, type AuditEvent } from "../../audit/events.js";
import { recordAllAudits } from "../../audit/record.js";
import type { RewrapCandidate } from "../../store/rewraps.js";
import type { Store } from "../../store/store.js";
import { type ConnectorKeyContext, listKeyUses } from "./describe-keys.js";
import { ConnectorKeyError, type WrappedKey } from "../../platform/vault/key-ring.js";

/** Where a batch ended. Positions are not secret, and a run that was killed needs none: it begins again. */
export interface RewrapPosition {
  readonly table: "connectors" | "connections";
  readonly after: string | undefined;
}

export interface RewrapBatch {
  readonly limit: number;
  /** Absent: from the beginning. */
  readonly from?: RewrapPosition | undefined;
  readonly actor: AuditActor;
  readonly at: Date;
  /** The id of the HTTP request, as in the log. */
  readonly requestId?: string;
}

export interface RewrapResult {
  /** Rows whose data key the active key seals now. */
  readonly rewrapped: number;
  /** Rows that were looked at and that no key opens; they stay as they are. */
  readonly unreadable: readonly string[];
  /** `undefined`: there is nothing after it. */
  readonly next: RewrapPosition | undefined;
}

/** So that a request ends, however many rows do not open. The command goes through all of them. */
const maxBatches = 20;

interface Rewrapped extends RewrapCandidate {
  readonly to: WrappedKey;
}

/**
 * Seals the data keys of some rows with the active key. Tokens are not touched, and nobody waits.
 *
 * Keys are asked for first, and then everything is stored in one transaction, with its audit event. A row that changed
 * meanwhile keeps what it has: a refresh seals with the active key by itself.
 *
 * @throws {ConnectorKeyError} Nothing can be sealed, or the place of a key does not answer. Nothing was changed.
 */
export async function rewrapBatch(batch: RewrapBatch, context: ConnectorKeyContext): Promise<RewrapResult> {
  const { store, connectorVault } = context;
  const { limit, from = { table: "connectors", after: undefined } } = batch;
  const keyIds = await keysToReplace(from.table, context);
  const rows = await store[from.table].nextToRewrap({ keyIds, after: from.after, limit });
  const done: Rewrapped[] = [];
  const unreadable: string[] = [];
  for (const candidate of rows) {
    try {
      const { keyId, wrapped: wrappedKey } = candidate.key;
      // oxlint-disable-next-line no-await-in-loop -- one after the other: a transit engine serves the requests as well
      done.push({ ...candidate, to: await connectorVault.rewrap({ keyId, wrappedKey }, candidate.row) });
    } catch (error) {
      if (!(error instanceof ConnectorKeyError) || error.reason !== "unreadable") throw error;
      unreadable.push(candidate.row);
    }
  }
  const rewrapped = await storeAll({ table: from.table, done, batch }, store);
  return { rewrapped, unreadable, next: positionAfter(from, rows, limit) };
}

/**
 * One batch for somebody who keeps no position: looks on until it has replaced something, past rows that do not open.
 *
 * @throws {ConnectorKeyError}
 */
export async function rewrapSome(
  batch: Omit<RewrapBatch, "from">,
  context: ConnectorKeyContext,
): Promise<{ readonly rewrapped: number; readonly remaining: number; readonly unreadable: number }> {
  let from: RewrapPosition | undefined = { table: "connectors", after: undefined };
  let rewrapped = 0;
  let damaged = 0;
  for (let batches = 0; from !== undefined && rewrapped === 0 && batches < maxBatches; batches += 1) {
    // oxlint-disable-next-line no-await-in-loop -- ends with the first batch that has something to do
    const result: RewrapResult = await rewrapBatch({ ...batch, from }, context);
    rewrapped += result.rewrapped;
    damaged += result.unreadable.length;
    from = result.next;
  }
  const { activeKeyId = null } = await context.connectorVault.state();
  const uses = await listKeyUses(context, activeKeyId);
  const count = (readable: boolean) =>
    uses
      .filter((use) => !use.active && use.readable === readable)
      .reduce((sum, use) => sum + use.connectors + use.connections, 0);
  return {
    rewrapped,
    remaining: Math.max(count(true) - damaged, 0),
    unreadable: count(false) + damaged,
  };
}

/** Every key that has sealed something and is not the active one, as far as it is configured. */
async function keysToReplace(
  table: RewrapPosition["table"],
  { store, connectorVault }: ConnectorKeyContext,
): Promise<readonly string[]> {
  const { state, problem, activeKeyId } = await connectorVault.state();
  if (state !== "ready") throw new ConnectorKeyError(state, problem ?? "No key is ready.");
  const keyIds = await store[table].listKeyIds();
  return keyIds.filter((keyId) => keyId !== activeKeyId && connectorVault.readable(keyId));
}

async function storeAll(
  change: {
    readonly table: RewrapPosition["table"];
    readonly done: readonly Rewrapped[];
    readonly batch: RewrapBatch;
  },
  store: Store,
): Promise<number> {
  const { table, done, batch } = change;
  if (done.length === 0) return 0;
  return await store.transaction(async (transaction) => {
    const changes = done.map(({ id, key, to }) => ({ id, from: key, to }));
    const changed = await transaction[table].rewrap(changes);
    const counts = new Map<string, number>();
    for (const { id, to } of done) {
      if (changed.has(id)) counts.set(to.keyId, (counts.get(to.keyId) ?? 0) + 1);
    }
    const events = [...counts].map(([keyId, count]) => rewrapEvent({ keyId, table, count }, batch));
    await recordAllAudits(transaction, events);
    return changed.size;
  });
}

function rewrapEvent(
  { keyId, table, count }: { keyId: string; table: RewrapPosition["table"]; count: number },
  { actor, at, requestId }: RewrapBatch,
): AuditEvent {
  const data = { keyId, connectors: 0, connections: 0, [table]: count };
  const request = requestId === undefined ? {} : { requestId };
  return { type: "connector_key.rewrapped", outcome: "success", actor, at, ...request, data };
}

function positionAfter(
  { table }: RewrapPosition,
  rows: readonly RewrapCandidate[],
  limit: number,
): RewrapPosition | undefined {
  if (rows.length === limit) return { table, after: rows.at(-1)?.id };
  return table === "connectors" ? { table: "connections", after: undefined } : undefined;
}
