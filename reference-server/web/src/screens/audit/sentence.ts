import type { AdminAuditEvent, AuditLink } from "@admin/audit";
import { hasText, type Text } from "../../text/text";

/** What happened, in the language of the person; `undefined` for an event that this console does not know. */
export function sentenceOf(event: AdminAuditEvent, t: Text): string | undefined {
  const key = `audit-sentences.types.${event.type}`;
  if (!hasText(key)) return undefined;
  try {
    return t(key, valuesOf(event, t));
  } catch {
    // An event of a newer version may lack what the sentence names.
    return undefined;
  }
}

type Values = Readonly<Record<string, string | number | boolean>>;

function valuesOf(event: AdminAuditEvent, t: Text): Values {
  const { actor, subject, client, data } = event;
  const list = (items: readonly unknown[]) =>
    items.length === 0 ? t("audit-sentences.names.nothing") : items.join(", ");
  const shown = Object.entries(data).map(([name, value]) => [
    name,
    Array.isArray(value) ? list(value) : typeof value === "object" ? "" : value,
  ]);
  const { search, group, email, enabled, scopes, resource, grantType } = data;
  const kind = String(grantType).split(":").at(-1)?.replaceAll("-", "_") ?? "";
  return {
    ...optional,
    ...(Object.fromEntries(shown) as Values),
    actor: actorOf(actor, t),
    subject: subject?.email ?? subject?.name ?? subject?.id ?? t("audit-sentences.names.unknownPerson"),
    client: client?.name ?? client?.id ?? t("audit-sentences.names.unknownApp"),
    provider: nameOf("identity-provider", event) ?? textOf(data["provider"] ?? data["key"]),
    groupProvider: nameOf("group-provider", event) ?? textOf(data["groupProvider"] ?? data["key"]),
    service: nameOf("resource", event) ?? textOf(resource),
    reason: reasonOf(data["reason"] ?? data["error"], t),
    settings: list(Object.keys(data).map((name) => settingOf(name, t))),
    assignee: email === undefined ? "group" : "email",
    group: textOf(memberOf(group, "key")),
    enabled: memberOf(enabled, "to") === true,
    status: typeof data["status"] === "number" ? data["status"] : 0,
    first: data["replaced"] === null,
    failed: data["failure"] !== null,
    grant: data["repeated"] === true ? "repeated" : kind,
    wanted: resource === undefined ? "nothing" : scopes === undefined ? "access" : "scopes",
    all: Object.keys(search ?? {}).length === 0,
    search: list(
      Object.entries(search ?? {}).map(([name, value]) => `${name} ${[value].flat().join(" / ")}`),
    ),
    unexplained: data["reason"] === undefined && data["error"] === undefined,
    anywhere: data["address"] === null,
  };
}

/** What not every event of a type has. */
const optional: Values = { reconnect: 0, skills: 0, scopes: "" };

function actorOf({ type, id, email, name }: AdminAuditEvent["actor"], t: Text): string {
  if (type === "system") return t("audit-sentences.names.system");
  if (type === "operator") return t("audit-sentences.names.operator");
  return email ?? name ?? id ?? t("audit-sentences.names.somebody");
}

/** Why something was refused or ended; a code that this console does not know, as words. */
function reasonOf(code: unknown, t: Text): string {
  const key = `audit-sentences.reasons.${textOf(code)}`;
  return hasText(key) ? t(key) : textOf(code).replaceAll("_", " ");
}

function settingOf(name: string, t: Text): string {
  const key = `audit-sentences.names.settings.${name}`;
  return hasText(key) ? t(key) : name;
}

/** What the object of this kind is called that the event is about. */
function nameOf(type: AuditLink["type"], { links }: AdminAuditEvent): string | undefined {
  const link = links.find((one) => one.type === type);
  return link?.name ?? link?.id;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
