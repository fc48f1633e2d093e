import type { AuditRecord } from "../store/audit-events.js";
import type { AuditName } from "../store/audit-search.js";
import type { Texts, TextValues } from "../text/texts.js";
import { nameKey, providersOf } from "./event-names.js";
import type { AuditEventType } from "./events.js";

/** What a sentence chooses by, where an event has no such value. */
const none = "none";

/**
 * Describes an event in one sentence, which the catalogs have by the event's type.
 *
 * A sentence may name each member of the event's data: lists are joined, and what is inside an object has its name behind an underscore, as
 * `enabled_to`. One that is not there is `none`. Beside them there are `actor`, `subject`, `client`, `provider`, `groupProvider` and
 * `service`, as they are called now, the `clientId`, the `grant` in words, and the `settings` that the data is about. `through` is the app through which a
 * person did it, to stand behind the person: " through Claude Code (claude.ai)"; nothing, when they did it themselves.
 *
 * @param names - what the people, clients, resources and providers of the event are called now, by `nameKey`
 */
export function describeEvent(
  event: AuditRecord,
  names: ReadonlyMap<string, AuditName>,
  texts: Texts,
): string {
  const { text, has } = texts;
  const { type } = event;
  if (!has(`audit.events.${type}`)) return text("audit.words.unknown", { type });
  const sentence = text(`audit.events.${type as AuditEventType}`, valuesOf(event, names, texts));
  const isWord = [text("audit.words.somebody"), text("audit.words.aClient")].some((word) =>
    sentence.startsWith(`${word} `),
  );
  return isWord ? `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}` : sentence;
}

function valuesOf(event: AuditRecord, names: ReadonlyMap<string, AuditName>, texts: Texts): TextValues {
  const { actorType, actorId, subject, clientId, data } = event;
  const { text } = texts;
  const somebody = text("audit.words.somebody");
  const nameOf = (id: string) => displayName(names.get(id)) ?? id;
  const values: Record<string, string | number> = {};
  addMembers(values, data, texts);
  for (const { type, key } of providersOf(event)) {
    values[type === "group-provider" ? "groupProvider" : "provider"] =
      names.get(nameKey(type, key))?.name ?? key;
  }
  const { resource, connector, grantType, reason, error } = data;
  if (typeof resource === "string") values["service"] = nameOf(resource);
  else if (typeof connector === "string") values["service"] = connector;
  if (typeof grantType === "string") values["grant"] = describeGrant(grantType, texts);
  if (typeof reason === "string") values["reason"] = describeReason(reason, texts);
  if (typeof error === "string") values["error"] = describeReason(error, texts);
  values["search"] = describeSearch(data["search"], texts);
  values["settings"] = list(
    Object.keys(data).map((name) => describeSetting(name, texts)),
    texts,
  );
  values["actor"] =
    actorType === "operator" || actorType === "system"
      ? text(`audit.words.${actorType}`)
      : actorId === null
        ? somebody
        : nameOf(actorId);
  values["subject"] = subject === null ? somebody : nameOf(subject);
  values["client"] = clientId === null ? text("audit.words.aClient") : nameOf(clientId);
  values["clientId"] = clientId ?? none;
  const byPerson = actorType === "user" || subject !== null;
  values["through"] =
    clientId === null || !byPerson ? "" : ` ${text("audit.words.through", { client: nameOf(clientId) })}`;
  // Events stay for years, and those of an earlier version may lack what a sentence names today.
  return new Proxy(values, {
    has: () => true,
    get: (all, name: string) => (Object.hasOwn(all, name) ? all[name] : none),
  });
}

/** A person's address, or the name of anything else; the host that an app has proven follows the app's own name. */
function displayName(name: AuditName | undefined): string | undefined {
  if (name === undefined) return undefined;
  const called = name.email ?? name.name ?? name.id;
  return name.host === undefined ? called : `${called} (${name.host})`;
}

function addMembers(
  values: Record<string, string | number>,
  data: Readonly<Record<string, unknown>>,
  texts: Texts,
  prefix = "",
): void {
  for (const [member, value] of Object.entries(data)) {
    const name = prefix + member;
    if (typeof value === "string" || typeof value === "number") values[name] = value;
    else if (typeof value === "boolean") values[name] = String(value);
    else if (Array.isArray(value)) values[name] = list(value, texts);
    else if (typeof value === "object" && value !== null) {
      addMembers(values, value as Readonly<Record<string, unknown>>, texts, `${name}_`);
    }
  }
}

function list(items: readonly string[], { text }: Texts): string {
  return items.length === 0 ? text("audit.words.nothing") : items.join(", ");
}

function describeGrant(grantType: string, { text, has }: Texts): string {
  const key = `audit.grants.${grantType}`;
  return has(key) ? text(key) : grantType;
}

/** The reason of a refusal in words, or the code itself when the catalogs have none. */
export function describeReason(reason: string, { text, has }: Texts): string {
  const key = `audit.reasons.${reason}`;
  return has(key) ? text(key) : reason.replaceAll("_", " ");
}

function describeSetting(name: string, { text, has }: Texts): string {
  const key = `audit.settings.${name}`;
  return has(key) ? text(key) : name;
}

/** The conditions of a search; `none` when there are none. */
function describeSearch(search: unknown, { text }: Texts): string {
  const conditions = typeof search === "object" && search !== null ? Object.entries(search) : [];
  if (conditions.length === 0) return none;
  const or = ` ${text("audit.words.or")} `;
  return conditions.map(([name, value]) => `${name} ${[value].flat().join(or)}`).join(", ");
}
