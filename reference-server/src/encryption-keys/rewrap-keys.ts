import type { AuditActor, AuditEvent } from "../audit/events.js";
import { recordAllAudits } from "../audit/record.js";
import { VaultError } from "../platform/vault/key-ring.js";
import type { SealedSecretChange, SealedTable } from "../store/sealed-secrets.js";
import type { Store } from "../store/store.js";
import {
  countedAs,
  describeKeys,
  type EncryptionKeyContext,
  type KeyPurpose,
  sealedTables,
  vaultOf,
} from "./describe-keys.js";

/** Where a batch ended. Positions are not secret, and a run that was killed needs none: it begins again. */
export interface RewrapPosition {
  readonly table: SealedTable;
  readonly after: string | undefined;
}

export interface RewrapBatch {
  readonly purpose: KeyPurpose;
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
  /** Rows that no key opens; they stay as they are. */
  readonly unreadable: readonly string[];
  /** `undefined`: there is nothing after it. */
  readonly next: RewrapPosition | undefined;
}

/** Ends a request although many rows do not open. The command goes through all of them. */
const maxBatches = 20;

/**
 * Wraps the data keys of some rows with the active key. The ciphertexts stay as they are.
 *
 * Keys are fetched first; then everything is stored in one transaction, with its audit event. A row that changed meanwhile is left
 * alone: its new value is sealed with the active key already.
 *
 * @throws {VaultError} Nothing can be sealed, or the source of a key does not answer. Nothing was changed.
 */
export async function rewrapBatch(batch: RewrapBatch, context: EncryptionKeyContext): Promise<RewrapResult> {
  const {
    purpose,
    limit,
    from: { table, after } = { table: sealedTables[purpose][0], after: undefined },
  } = batch;
  const { sealedSecrets } = context.store;
  const vault = vaultOf(purpose, context);
  const activeKeyId = await vault.activeKeyId();
  const keyIds = await sealedSecrets.listKeyIds(table);
  const replaceable = keyIds.filter((keyId) => keyId !== activeKeyId && vault.readable(keyId));
  const rows = await sealedSecrets.list(table, { keyIds: replaceable, after, limit });
  const changes: SealedSecretChange[] = [];
  const unreadable: string[] = [];
  for (const { id, row, sealed: from } of rows) {
    try {
      changes.push({ id, from, to: await vault.rewrap(from, row) });
    } catch (error) {
      if (!(error instanceof VaultError) || error.reason !== "unreadable") throw error;
      unreadable.push(row);
    }
  }
  const rewrapped = await replaceAll({ table, changes, batch }, context);
  return { rewrapped, unreadable, next: positionAfter({ table, last: rows[limit - 1]?.id }, purpose) };
}

/** The result of one run over all rows of a key. */
export interface RewrapRun {
  readonly rewrapped: number;
  readonly unreadable: readonly string[];
}

/**
 * Wraps the data keys of all rows, batch by batch. Killed in the middle it has done a part.
 *
 * @throws {VaultError}
 */
export async function rewrapAll(
  {
    clock,
    onBatch,
    ...batch
  }: Omit<RewrapBatch, "from" | "at"> & {
    readonly clock: () => number;
    readonly onBatch?: (table: SealedTable, rewrapped: number) => void;
  },
  context: EncryptionKeyContext,
): Promise<RewrapRun> {
  const unreadable: string[] = [];
  let rewrapped = 0;
  let from: RewrapPosition | undefined = { table: sealedTables[batch.purpose][0], after: undefined };
  while (from !== undefined) {
    const result = await rewrapBatch({ ...batch, from, at: new Date(clock()) }, context);
    onBatch?.(from.table, result.rewrapped);
    unreadable.push(...result.unreadable);
    rewrapped += result.rewrapped;
    from = result.next;
  }
  return { rewrapped, unreadable };
}

/**
 * One batch for a caller that keeps no position: continues until it has replaced something, past rows that do not open.
 *
 * @throws {VaultError}
 */
export async function rewrapSome(
  batch: Omit<RewrapBatch, "from">,
  context: EncryptionKeyContext,
): Promise<{ readonly rewrapped: number; readonly remaining: number; readonly unreadable: number }> {
  let from: RewrapPosition | undefined = { table: sealedTables[batch.purpose][0], after: undefined };
  let rewrapped = 0;
  let damaged = 0;
  for (let batches = 0; from !== undefined && rewrapped === 0 && batches < maxBatches; batches += 1) {
    const result: RewrapResult = await rewrapBatch({ ...batch, from }, context);
    rewrapped += result.rewrapped;
    damaged += result.unreadable.length;
    from = result.next;
  }
  const { keys } = await describeKeys(batch.purpose, context);
  const count = (readable: boolean) =>
    keys
      .filter((use) => !use.active && use.readable === readable)
      .reduce((sum, use) => sum + use.secrets + use.connectors + use.connections, 0);
  return {
    rewrapped,
    remaining: Math.max(count(true) - damaged, 0),
    unreadable: count(false) + damaged,
  };
}

/** Stores the new values with one audit event for each key that sealed some of them: a rotation may fall into a batch. */
async function replaceAll(
  {
    table,
    changes,
    batch,
  }: {
    readonly table: SealedTable;
    readonly changes: readonly SealedSecretChange[];
    readonly batch: RewrapBatch;
  },
  { store }: { readonly store: Store },
): Promise<number> {
  if (changes.length === 0) return 0;
  return await store.transaction(async (transaction) => {
    const counts = await transaction.sealedSecrets.replace(table, changes);
    await recordAllAudits(
      transaction,
      counts.map(({ keyId, count }) => rewrapEvent({ keyId, table, count }, batch)),
    );
    return counts.reduce((sum, { count }) => sum + count, 0);
  });
}

function rewrapEvent(
  { keyId, table, count }: { readonly keyId: string; readonly table: SealedTable; readonly count: number },
  { purpose, actor, at, requestId }: RewrapBatch,
): AuditEvent {
  const event = { outcome: "success", actor, at, ...(requestId !== undefined && { requestId }) } as const;
  if (purpose === "credentials") {
    return { ...event, type: "credential_key.resealed", data: { keyId, secrets: count } };
  }
  const data = { keyId, connectors: 0, connections: 0, [countedAs(table)]: count };
  return { ...event, type: "connector_key.rewrapped", data };
}

/** @param last - of a full batch: only then the table may have more rows */
function positionAfter(
  { table, last }: { readonly table: SealedTable; readonly last: string | undefined },
  purpose: KeyPurpose,
): RewrapPosition | undefined {
  if (last !== undefined) return { table, after: last };
  const tables: readonly SealedTable[] = sealedTables[purpose];
  const next = tables[tables.indexOf(table) + 1];
  return next && { table: next, after: undefined };
}
