import { sample } from "../../registry/scope.js";
import type { Store } from "../../store/store.js";
import type { UsedClient } from "../../store/clients.js";
import type { Message } from "../../text/message.js";
import { note } from "../door/note.js";

/** Remembers which unregistered apps can act now, and says afterwards what a change has done to those that people use. */
export async function watchApps(
  { clients }: Pick<Store, "clients">,
  now: Date,
): Promise<(store: Pick<Store, "clients">) => Promise<readonly Message[]>> {
  const before = new Map((await clients.listUsedUnregistered(now)).map(({ id, trusted }) => [id, trusted]));
  return async (store) => {
    const changed = (await store.clients.listUsedUnregistered(now)).filter(
      ({ id, trusted }) => before.get(id) !== trusted,
    );
    return [
      ...describe(
        "appsStop",
        changed.filter(({ trusted }) => !trusted),
      ),
      ...describe(
        "appsResume",
        changed.filter(({ trusted }) => trusted),
      ),
    ];
  };
}

function describe(code: "appsStop" | "appsResume", apps: readonly UsedClient[]): readonly Message[] {
  if (apps.length === 0) return [];
  const grants = apps.reduce((sum, app) => sum + app.grants, 0);
  return [note(code, { ...sample(apps.map(({ name }) => name)), grants })];
}
