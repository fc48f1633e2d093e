import type { ObjectEventData } from "../audit/events.js";
import type { ObjectStore } from "../store/object-store.js";
import type { Store } from "../store/store.js";
import type { CodeBelow } from "../text/message-key.js";
import { taken } from "./refusal.js";
import { changedFields, type Saving, type Work } from "./work.js";

interface Keyed {
  readonly key: string;
}

type ObjectName<Type> = Type extends `${infer Name}.created` ? Name : never;

/** How objects of one kind are kept, recorded and called. */
export interface ObjectKind<Item extends Keyed> {
  readonly storeOf: (store: Store) => Pick<ObjectStore<Item>, "insertMissing" | "save" | "remove">;
  /** What its events begin with: `scope` of `scope.created`. */
  readonly event: ObjectName<keyof ObjectEventData>;
  /** What its sentences are called in the catalogs. */
  readonly sentence: CodeBelow<"administration.refusals.notFound"> &
    CodeBelow<"administration.refusals.taken">;
}

/** Saves an object as it shall be; nothing happens when it is so already. @throws {Refusal} `already_exists` */
export async function saveObject<Item extends Keyed>(
  { storeOf, event, sentence }: ObjectKind<Item>,
  { before, after }: Saving<Item, Item>,
  { store, at, audit }: Work,
): Promise<void> {
  const { key } = after;
  if (before === undefined) {
    if (!(await storeOf(store).insertMissing(after, at))) throw taken(sentence, { key }, "key");
    return await audit({ type: `${event}.created`, data: { key } });
  }
  const fields = changedFields(before, after);
  if (fields.length === 0) return;
  await storeOf(store).save(after, at);
  await audit({ type: `${event}.changed`, data: { key, fields } });
}

export async function removeObject<Item extends Keyed>(
  { storeOf, event }: ObjectKind<Item>,
  { key }: Keyed,
  { store, audit }: Work,
): Promise<void> {
  await storeOf(store).remove(key);
  await audit({ type: `${event}.removed`, data: { key } });
}
