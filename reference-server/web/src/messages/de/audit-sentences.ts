import type { AdminAuditEvent, AuditLink } from "@admin/audit";
import { reasonOf } from "./audit-reasons";

/** The names in a sentence, and the members of the event's data. */
interface Parts {
  readonly actor: string;
  readonly subject: string;
  readonly client: string;
  readonly text: (member: string) => string;
  readonly list: (member: string) => string;
  /** The sign-in provider, the group provider or the service that the event is about. */
  readonly provider: string;
  readonly groupProvider: string;
  readonly service: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One German sentence for each type of event. */
const sentences: Readonly<Record<string, (parts: Parts) => string>> = {
  "defaults.created": ({ list }) => `Der Server hat angelegt, was jede Installation hat: ${list("records")}.`,
  "installation.restored": ({ actor, text }) =>
    `${actor} hat nach dem Zurückspielen einer Sicherung alles beendet, was vor ${text("before")} ausgestellt wurde.`,
  "installation.completed": ({ actor, data }) =>
    `${actor} hat die Einrichtung ${data["by"] === "browser" ? "im Browser" : "mit einer Datei"} abgeschlossen.`,
  "installation.changed": ({ actor, data }) =>
    `${actor} hat die Einstellungen geändert: ${Object.keys(data)
      .map((name) => settings[name] ?? name)
      .join(", ")}.`,
  "provider.created": ({ actor, provider, text }) =>
    `${actor} hat den Anmeldeanbieter ${provider} (${text("issuer")}) hinzugefügt.`,
  "provider.changed": ({ actor, provider, list }) =>
    `${actor} hat den Anmeldeanbieter ${provider} geändert: ${list("fields")}.`,
  "provider.removed": ({ actor, provider, text }) =>
    `${actor} hat den Anmeldeanbieter ${provider} (${text("issuer")}) entfernt.`,
  "client.created": ({ actor, text }) => `${actor} hat den Client ${text("id")} angemeldet.`,
  "client.changed": ({ actor, text, list }) =>
    `${actor} hat den Client ${text("id")} geändert: ${list("fields")}.`,
  "client.removed": ({ actor, text }) => `${actor} hat den Client ${text("id")} entfernt.`,
  "scope.created": ({ actor, text }) => `${actor} hat den Scope ${text("key")} angelegt.`,
  "scope.changed": ({ actor, text, list }) =>
    `${actor} hat den Scope ${text("key")} geändert: ${list("fields")}.`,
  "scope.removed": ({ actor, text }) => `${actor} hat den Scope ${text("key")} gelöscht.`,
  "resource.created": ({ actor, text }) =>
    `${actor} hat den Dienst ${text("key")} (${text("resource")}) angemeldet.`,
  "resource.changed": ({ actor, text, list }) =>
    `${actor} hat den Dienst ${text("key")} geändert: ${list("fields")}.`,
  "resource.removed": ({ actor, text }) =>
    `${actor} hat den Dienst ${text("key")} (${text("resource")}) gelöscht.`,
  "group_provider.created": ({ actor, groupProvider, data }) =>
    `${actor} hat die Gruppenquelle ${groupProvider} hinzugefügt; sie liest Gruppen aus ${data["source"] === "claim" ? "der Anmeldung" : "einem Verzeichnis"}.`,
  "group_provider.changed": ({ actor, groupProvider, list }) =>
    `${actor} hat die Gruppenquelle ${groupProvider} geändert: ${list("fields")}.`,
  "group_provider.removed": ({ actor, groupProvider }) =>
    `${actor} hat die Gruppenquelle ${groupProvider} entfernt.`,
  "connector.created": ({ actor, text }) =>
    `${actor} hat den Konnektor ${text("key")} (${text("kind")}) hinzugefügt.`,
  "connector.changed": ({ actor, text, list, data }) =>
    `${actor} hat den Konnektor ${text("key")} geändert: ${list("fields")}.${reconnecting(data["reconnect"])}`,
  "connector.removed": ({ actor, text }) =>
    `${actor} hat den Konnektor ${text("key")} (${text("kind")}) gelöscht.`,
  "connector.disconnected": ({ actor, text, data }) =>
    `${actor} hat alle von ${text("key")} getrennt: ${Number(data["connections"])} ${data["connections"] === 1 ? "Verbindung" : "Verbindungen"}.`,
  "connector_key.rewrapped": ({ actor, text, data }) =>
    `${actor} hat ${Number(data["connectors"])} Konnektoren und ${Number(data["connections"])} Verbindungen mit dem Schlüssel ${text("keyId")} neu verschlüsselt.`,
  "credential_key.resealed": ({ actor, text, data }) =>
    `${actor} hat ${Number(data["secrets"])} gespeicherte Zugangsdaten mit dem Schlüssel ${text("keyId")} neu verschlüsselt.`,
  "connection.created": ({ subject, text, list }) =>
    `${subject} hat ein Konto bei ${text("connector")} verbunden: ${list("scopes")}.`,
  "connection.reconnected": ({ subject, text, list }) =>
    `${subject} hat das Konto bei ${text("connector")} neu verbunden: ${list("scopes")}.`,
  "connection.refused": ({ subject, text }) =>
    `${subject} konnte kein Konto bei ${text("connector")} verbinden: ${text("reason")}.`,
  "connection.refreshed": ({ subject, text, list }) =>
    `Der Server hat neue Tokens für ${subject} bei ${text("connector")} bekommen: ${list("scopes")}.`,
  "connection.reconnect_required": ({ subject, text }) =>
    `Das Konto von ${subject} bei ${text("connector")} muss neu verbunden werden: ${text("reason")}.`,
  "connection.removed": ({ actor, subject, text }) =>
    `${actor} hat das Konto von ${subject} bei ${text("connector")} getrennt; der Drittanbieter ${revocations[text("revocation")] ?? text("revocation")}.`,
  "connection.used": ({ subject, text, data }) =>
    `Eine Anfrage von ${subject} ging über ${text("connector")}: ${text("method")} ${text("host")}${text("pathTemplate")}, ${typeof data["status"] === "number" ? `Antwort ${data["status"]}` : "keine Antwort"}.`,
  "connection.denied": ({ subject, text, data }) =>
    `Eine Anfrage von ${subject} über ${text("connector")} wurde abgelehnt, nichts wurde gesendet: ${reasonOf(String(data["reason"]))}.`,
  "user.changed": ({ actor, subject, data }) =>
    `${actor} hat ${subject} ${member(data["enabled"], "to") === true ? "entsperrt" : "gesperrt"}.`,
  "skill.created": ({ actor, text }) => `${actor} hat den Skill ${text("id")} angelegt.`,
  "skill.changed": ({ actor, text, list }) =>
    `${actor} hat den Skill ${text("id")} geändert: ${list("fields")}.`,
  "skill.removed": ({ actor, text }) => `${actor} hat den Skill ${text("id")} gelöscht.`,
  "catalog.refreshed": ({ actor, service, text, data }) =>
    data["failure"] === null
      ? `${actor} hat den Skill-Katalog von ${service} neu holen lassen: ${text("skills")} Skills.`
      : `${actor} hat den Skill-Katalog von ${service} neu holen lassen, und es misslang: ${text("failure")}`,
  "assignment.created": ({ actor, text, groupProvider, data }) =>
    `${actor} hat ${text("scope")} an ${assignee(data, groupProvider)} gegeben.`,
  "assignment.removed": ({ actor, text, groupProvider, data }) =>
    `${actor} hat ${text("scope")} von ${assignee(data, groupProvider)} genommen.`,
  "signing_key.staged": ({ actor, text }) =>
    `${actor} hat den Signaturschlüssel ${text("kid")} bereitgestellt. Er ist veröffentlicht und signiert noch nichts.`,
  "signing_key.activated": ({ actor, text, data }) =>
    `${actor} hat den Signaturschlüssel ${text("kid")}${data["replaced"] === null ? "" : ` anstelle von ${text("replaced")}`}${data["emergency"] === true ? " im Notfall" : ""} aktiviert.`,
  "signing_key.retired": ({ actor, text, data }) =>
    `${actor} hat den Signaturschlüssel ${text("kid")}${data["emergency"] === true ? " im Notfall" : ""} abgelöst. Veröffentlicht bleibt er bis ${text("publishedUntil")}.`,
  "sign_in.completed": ({ subject, provider }) => `${subject} hat sich bei ${provider} angemeldet.`,
  "sign_in.refused": ({ provider, text }) =>
    `Eine Anmeldung bei ${provider} wurde abgelehnt: ${text("reason")}.`,
  "session.ended": ({ actor, subject }) => `${actor} hat eine Browsersitzung von ${subject} beendet.`,
  "groups.changed": ({ subject, groupProvider, list }) =>
    `Bei der Anmeldung nannte ${groupProvider} für ${subject} andere Gruppen. Neu: ${list("added")}. Weg: ${list("removed")}.`,
  "authorization.refused": ({ client, subject, text }) =>
    `${client} bekam keinen Zugriff auf das Konto von ${subject}: ${text("reason")}.`,
  "consent.given": ({ client, subject, list }) =>
    `${subject} hat ${client} diese Scopes erlaubt: ${list("scopes")}.`,
  "consent.refused": ({ client, subject, list }) =>
    `${subject} hat ${client} diese Scopes verweigert: ${list("scopes")}.`,
  "token.issued": ({ client, subject, text, list, data }) =>
    `${client} hat ${data["repeated"] === true ? "durch dieselbe Erneuerung noch einmal" : grant(text("grantType"))} Token für ${subject} erhalten: ${list("scopes")}.`,
  "token.refused": ({ client, service, text, list, data }) =>
    `${client} wurde ${grant(text("grantType"))} abgelehnt${data["resource"] === undefined ? "" : `, gewünscht war ${data["scopes"] === undefined ? "Zugang" : list("scopes")} bei ${service}`}: ${text("reason")}.`,
  "machine_token.issued": ({ client, service, list }) =>
    `${client} hat ein Token für ${service} erhalten: ${list("scopes")}.`,
  "assertion.issued": ({ client, subject, service, list }) =>
    `${client} hat für ${subject} Zugang zu ${service} erhalten: ${list("scopes")}.`,
  "grant.revoked": ({ client, subject, text }) =>
    `Eine Anmeldung von ${client} für ${subject} wurde beendet: ${text("reason")}.`,
  "admin.refused": ({ actor, text, data }) =>
    `${actor} wurde in der Verwaltung abgelehnt: ${refusals[String(data["error"])] ?? text("error")} (${text("method")} ${text("path")}).`,
  "audit.exported": ({ actor, data }) =>
    `${actor} hat ${searched(data["search"])} als ${data["format"] === "csv" ? "CSV" : "NDJSON"} exportiert.`,
  "audit.removed": ({ actor, text }) =>
    `${actor} hat ${text("events")} archivierte Ereignisse entfernt, bis zum Ereignis ${text("throughEvent")}. Das Archiv hat die SHA-256 ${text("archive")}.`,
  "refusals.counted": ({ text, data }) =>
    `${data["count"] === 1 ? "1 weitere Ablehnung wurde" : `${text("count")} weitere Ablehnungen wurden`} nur gezählt: ${text("event")}${typeof data["reason"] === "string" ? `, ${text("reason")}` : ""}${typeof data["address"] === "string" ? `, von ${text("address")}` : ""}, zwischen ${text("from")} und ${text("to")}.`,
};

const refusals: Readonly<Record<string, string>> = {
  access_denied: "die Berechtigung fehlt",
  insufficient_scope: "die Berechtigung fehlt",
  invalid_csrf_token: "die Anfrage kam nicht von der Konsole",
};

function searched(search: unknown): string {
  const conditions = typeof search === "object" && search !== null ? Object.entries(search) : [];
  if (conditions.length === 0) return "das ganze Audit";
  const list = conditions.map(([name, value]) => `${name} ${[value].flat().join(" oder ")}`).join(", ");
  return `Ereignisse des Audits (${list})`;
}

const settings: Readonly<Record<string, string>> = {
  name: "Name",
  instructions: "Text für Agenten",
  logo: "Logo",
};

const revocations: Readonly<Record<string, string>> = {
  confirmed: "hat bestätigt, dass die Tokens beendet sind",
  unconfirmed: "hat nicht bestätigt, dass die Tokens beendet sind",
  unsupported: "kann Tokens nicht beenden",
};

const grants: Readonly<Record<string, string>> = {
  authorization_code: "durch Anmeldung im Browser",
  refresh_token: "beim Erneuern",
  client_credentials: "mit eigenen Zugangsdaten",
  "urn:ietf:params:oauth:grant-type:device_code": "durch Anmeldung auf einem anderen Gerät",
  "urn:ietf:params:oauth:grant-type:token-exchange": "beim Tausch eines Tokens",
};

/** What happened, in German; `undefined` for a type that this console does not know. */
export function sentenceOf(event: AdminAuditEvent): string | undefined {
  const { type, actor, subject, client, data } = event;
  const sentence = Object.hasOwn(sentences, type) ? sentences[type] : undefined;
  return sentence?.({
    data,
    actor:
      actor.type === "system"
        ? "Der Server"
        : actor.type === "operator"
          ? "Jemand an der Kommandozeile"
          : (actor.email ?? actor.name ?? actor.id ?? "Jemand"),
    subject: subject === null ? "jemandem" : (subject.email ?? subject.name ?? subject.id),
    client: client === null ? "Ein Client" : (client.name ?? client.id),
    provider: nameOf("identity-provider", event) ?? show(data["provider"] ?? data["key"], "provider"),
    groupProvider: nameOf("group-provider", event) ?? show(data["groupProvider"] ?? data["key"], "key"),
    service: nameOf("resource", event) ?? show(data["resource"], "resource"),
    text: (name) => show(data[name], name),
    list: (name) => show(data[name], name),
  });
}

/** What the object of this kind is called that the event is about. */
function nameOf(type: AuditLink["type"], { links }: AdminAuditEvent): string | undefined {
  const link = links.find((one) => one.type === type);
  return link?.name ?? link?.id;
}

function show(value: unknown, name: string): string {
  if (Array.isArray(value)) return value.length === 0 ? "nichts" : value.join(", ");
  if (typeof value === "string") return name === "reason" ? reasonOf(value) : value;
  return typeof value === "number" ? String(value) : "nichts";
}

function grant(type: string): string {
  return grants[type] ?? type;
}

function assignee(data: Readonly<Record<string, unknown>>, groupProvider: string): string {
  const { email, group } = data;
  if (typeof email === "string") return email;
  return `die Gruppe ${show(member(group, "key"), "key")} (${groupProvider})`;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

function reconnecting(count: unknown): string {
  if (typeof count !== "number" || count === 0) return "";
  return ` ${count === 1 ? "1 Konto muss" : `${count} Konten müssen`} neu verbunden werden.`;
}
