import { isDeepStrictEqual } from "node:util";
import type { AuditEvent } from "../../audit/events.js";
import type { Client } from "../../store/clients.js";
import type { Store } from "../../store/store.js";
import type { ClientRegistration } from "./client-schema.js";

/** A registration that contradicts what is there. The message says what to do. */
export class ClientConflictError extends Error {
  override readonly name = "ClientConflictError";
}

export interface RegisterClientDependencies {
  /** Of the transaction. */
  readonly store: Store;
  readonly at: Date;
  readonly audit: (change: Pick<AuditEvent, "type" | "data">) => Promise<void>;
}

/**
 * Stores a client as it is registered; the same registration a second time changes nothing.
 *
 * @throws {ClientConflictError} The id belongs to the built-in client or to one of another type.
 */
export async function registerClient(
  { client, machineScopes }: ClientRegistration,
  { store, at, audit }: RegisterClientDependencies,
): Promise<void> {
  const { id, type } = client;
  const found = await store.clients.find(id);
  if (found?.builtIn === true) throw new ClientConflictError(`"${id}" is built in and cannot be changed`);
  if (found !== undefined && found.type !== type) {
    throw new ClientConflictError(`"${id}" is a ${found.type} client already: choose another id`);
  }
  const heldScopes = found === undefined ? [] : await store.clients.listMachineScopes(id);
  const fields = found === undefined ? [] : changedMembers(found, client);
  const scopesDiffer = !isDeepStrictEqual(heldScopes, machineScopes);
  if (found === undefined || fields.length > 0) await store.clients.save(client, at);
  if (scopesDiffer) await store.clients.saveMachineScopes(id, machineScopes);
  if (found === undefined) return await audit({ type: "client.created", data: { id, type } });
  const changed = scopesDiffer ? [...fields, "scopes"] : fields;
  if (changed.length > 0) await audit({ type: "client.changed", data: { id, fields: changed } });
}

function changedMembers(before: Client, after: Client): readonly string[] {
  const names = Object.keys(after) as (keyof Client)[];
  return names.filter((member) => !isDeepStrictEqual(before[member], after[member]));
}
