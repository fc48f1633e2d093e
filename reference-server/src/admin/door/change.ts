import { recordAllAudits } from "../../audit/record.js";
import type { AuditActor, AuditEvent } from "../../audit/events.js";
import type { ServerContext } from "../../context.js";
import { keepAdministrator, LastAdministratorError } from "../../permissions/keep-administrator.js";
import { administerScope } from "../../store/system-scopes.js";
import type { Store } from "../../store/store.js";
import { type Texts } from "../../text/texts.js";
import { renderMessage } from "../../text/message.js";
import { AdminRefusal } from "./refusals.js";
import type { RegistryChange, Work } from "../../registry/work.js";
import type { AdminCall, Caller, ChangeReach } from "./call.js";
import { compareHolders, loadHolders, namePlaces } from "./impact.js";
import type { Impact } from "./impact-schema.js";

/** Ends the transaction of a preview, so that nothing of it lasts. */
export class PreviewEnd extends Error {
  override readonly name = "PreviewEnd";
  readonly impact: Impact;
  constructor(impact: Impact) {
    super("This was a preview.");
    this.impact = impact;
  }
}

/** Creates the one way in which the admin API changes something. */
export function createChange({
  context,
  now,
  actor,
  requestId,
  preview,
  texts,
  requireAllowed,
}: {
  readonly context: Pick<ServerContext, "store" | "credentials">;
  readonly now: Date;
  readonly actor: AuditActor;
  readonly requestId: string;
  readonly preview: boolean;
  readonly texts: Texts;
  /** Throws when the caller may not use the route any more. Asked inside the transaction, once no other change runs. */
  readonly requireAllowed: (store: Store) => Promise<Caller>;
}): AdminCall["change"] {
  return async (work, reach = {}) => {
    try {
      return await context.store.transaction(async (store) => {
        const auditAll = async (changes: readonly RegistryChange[]) => {
          // Nothing of a preview lasts, so nothing of it is recorded.
          if (preview) return;
          const common = { outcome: "success", actor, at: now, requestId };
          await recordAllAudits(
            store,
            changes.map((change) => ({ ...common, ...change }) as AuditEvent),
          );
        };
        const changeWork: Work = {
          store,
          credentials: context.credentials,
          at: now,
          audit: (change) => auditAll([change]),
          auditAll,
        };
        const allowedWork = async () => await work({ ...changeWork, caller: await requireAllowed(store) });
        if (!preview) return await keepAdministrator({ store, now }, allowedWork);
        const impact = await keepAdministrator({ store, now }, () =>
          measure({ store, now, reach, texts }, allowedWork),
        );
        throw new PreviewEnd(impact);
      });
    } catch (error) {
      if (!(error instanceof LastAdministratorError)) throw error;
      throw new AdminRefusal("last_administrator", "lastAdministrator", { scope: administerScope });
    }
  };
}

async function measure(
  {
    store,
    now,
    reach,
    texts,
  }: {
    readonly store: Store;
    readonly now: Date;
    readonly reach: ChangeReach;
    readonly texts: Texts;
  },
  work: () => Promise<unknown>,
): Promise<Impact> {
  const named = typeof reach.scopes === "function" ? await reach.scopes(store) : (reach.scopes ?? []);
  const emails = await reach.emails?.(store);
  const take = async () => {
    const scopes = reach.resource === undefined ? named : await usableScopes(store, reach.resource);
    return await loadHolders(store, { scopes, now, emails });
  };
  const before = await take();
  const nameBefore = await findName(store, reach.resource);
  await work();
  const after = await take();
  const resource = nameBefore ?? (await findName(store, reach.resource));
  const notes = (await reach.notes?.(store)) ?? [];
  const { gains, losses } = compareHolders(before, after);
  // Beside a service, gains and losses are about that one.
  const placed = reach.resource === undefined;
  return {
    gains: placed ? await namePlaces(gains, store) : gains,
    losses: placed ? await namePlaces(losses, store) : losses,
    notes: notes.map((note) => renderMessage(note, texts)),
    ...(resource !== undefined && { resource }),
  };
}

async function findName(
  store: Pick<Store, "resources">,
  key: string | undefined,
): Promise<string | undefined> {
  return key === undefined ? undefined : (await store.resources.findByKey(key))?.name;
}

/** What can be used at a resource at this moment. */
async function usableScopes(store: Store, key: string): Promise<readonly string[]> {
  const resource = await store.resources.findByKey(key);
  return resource?.enabled === true ? resource.supportedScopes : [];
}
