import type { Store } from "../store/store.js";
import { administerScope } from "../store/system-scopes.js";

/** The change would leave no administrator who can sign in. */
export class LastAdministratorError extends Error {
  override readonly name = "LastAdministratorError";
  constructor() {
    super(
      `After this, nobody who can sign in would have ${administerScope}. Give it to somebody else first, by email address.`,
    );
  }
}

/**
 * Runs a change of the configuration, and refuses it when it takes the last administrator away.
 *
 * Call it inside a transaction: it waits for other changes, so that two of them cannot each leave the other's
 * administrator. Groups of directories do not count, since their servers may be away when an administrator is needed.
 *
 * @throws {LastAdministratorError}
 */
export async function keepAdministrator<T>(
  { store, now }: { readonly store: Store; readonly now: Date },
  change: () => Promise<T>,
): Promise<T> {
  await store.settings.lock();
  const before = await administration({ store, now });
  const result = await change();
  const after = await administration({ store, now });
  if ((before.now && !after.now) || (before.forGood && !after.forGood)) throw new LastAdministratorError();
  return result;
}

/** Whether there is an administrator now, and one who stays: time alone must not take the last one away. */
async function administration({ store, now }: { readonly store: Store; readonly now: Date }) {
  const { permissionHolders } = store;
  return {
    now: await permissionHolders.someoneHas(administerScope, now),
    forGood: await permissionHolders.someoneHas(administerScope, now, { forGood: true }),
  };
}
