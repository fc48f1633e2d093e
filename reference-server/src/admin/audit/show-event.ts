import { describeEvent } from "../../audit/describe-event.js";
import { loadEventNames } from "../../audit/event-names.js";
import type { AuditRecord } from "../../store/audit-events.js";
import type { AuditName } from "../../store/audit-search.js";
import type { Store } from "../../store/store.js";
import { type Language, type Texts, textsIn } from "../../text/texts.js";
import { linksOf } from "./links.js";
import type { AdminAuditEvent } from "./schemas.js";

type Names = ReadonlyMap<string, AuditName>;

/** Events as the API shows them, with the names that people and clients have now. */
export async function showEvents(
  store: Pick<Store, "auditSearch">,
  records: readonly AuditRecord[],
  language: Language,
): Promise<AdminAuditEvent[]> {
  const names = await loadEventNames(store, records);
  const texts = textsIn(language);
  return records.map((record) => showEvent(record, names, texts));
}

function showEvent(record: AuditRecord, names: Names, texts: Texts): AdminAuditEvent {
  const { actorType, actorId, subject, clientId, data, ...facts } = record;
  const nameOf = (id: string | null) => (id === null ? undefined : names.get(id));
  return {
    ...facts,
    description: describeEvent(record, names, texts),
    actor: {
      type: actorType,
      id: actorId,
      email: nameOf(actorId)?.email ?? null,
      name: nameOf(actorId)?.name ?? null,
    },
    subject: subject === null ? null : describePerson(subject, nameOf(subject)),
    client: clientId === null ? null : { id: clientId, name: nameOf(clientId)?.name ?? null },
    data: { ...data },
    links: linksOf(record, names),
  };
}

function describePerson(id: string, name: AuditName | undefined) {
  return { id, email: name?.email ?? null, name: name?.name ?? null };
}
