import type { AuditRecord } from "../store/audit-events.js";
import type { AuditName } from "../store/audit-search.js";
import { nameKey } from "./event-names.js";
import type { AuditEventData, AuditEventType } from "./events.js";

/** The people and things of one event, as they stand in a sentence. */
interface Parts {
  /** Who did it, at the beginning of a sentence. */
  readonly actor: string;
  /** Whom it is about; "somebody" when that is not known. */
  readonly subject: string;
  readonly client: string;
  readonly nameOf: (id: string) => string;
  readonly providerName: (key: string) => string;
  readonly groupProviderName: (key: string) => string;
}

type Descriptions = {
  readonly [Type in AuditEventType]: (data: AuditEventData[Type], parts: Parts) => string;
};

/** One sentence for each type. A new event is one line here. */
const descriptions: Descriptions = {
  "defaults.created": ({ records }) => `The server created what every installation has: ${list(records)}.`,
  "installation.completed": ({ by }, { actor }) =>
    `${actor} completed the installation ${by === "browser" ? "in a browser" : `with ${by === "file" ? "an installation file" : "a registry file"}`}. The set-up is closed.`,
  "installation.changed": (data, { actor }) =>
    `${actor} changed the installation: ${list(Object.keys(data))}.`,
  "installation.restored": ({ before, ended }, { actor }) =>
    `${actor} ended everything from before ${before}, after a backup was restored: ${ended["grants"] ?? 0} log-ins, ${ended["browserSessions"] ?? 0} browser sessions and what was under way.`,
  "provider.created": ({ key, issuer }, { actor, providerName }) =>
    `${actor} added the sign-in provider ${providerName(key)} (${issuer}).`,
  "provider.changed": ({ key, fields }, { actor, providerName }) =>
    `${actor} changed the sign-in provider ${providerName(key)}: ${list(fields)}.`,
  "provider.removed": ({ key, issuer }, { actor, providerName }) =>
    `${actor} removed the sign-in provider ${providerName(key)} (${issuer}).`,
  "client.created": ({ id, type }, { actor }) => `${actor} registered the ${type} client ${id}.`,
  "client.changed": ({ id, fields }, { actor }) => `${actor} changed the client ${id}: ${list(fields)}.`,
  "client.removed": ({ id, type }, { actor }) => `${actor} removed the ${type} client ${id}.`,
  "scope.created": ({ key }, { actor }) => `${actor} created the scope ${key}.`,
  "scope.changed": ({ key, fields }, { actor }) => `${actor} changed the scope ${key}: ${list(fields)}.`,
  "scope.removed": ({ key }, { actor }) => `${actor} removed the scope ${key}.`,
  "resource.created": ({ key, resource }, { actor }) =>
    `${actor} registered the resource ${key} (${resource}).`,
  "resource.changed": ({ key, fields }, { actor }) =>
    `${actor} changed the resource ${key}: ${list(fields)}.`,
  "resource.removed": ({ key, resource }, { actor }) => `${actor} removed the resource ${key} (${resource}).`,
  "group_provider.created": ({ key, source }, { actor, groupProviderName }) =>
    `${actor} added the group source ${groupProviderName(key)}, which takes groups from ${source === "claim" ? "sign-ins" : "a directory"}.`,
  "group_provider.changed": ({ key, fields }, { actor, groupProviderName }) =>
    `${actor} changed the group source ${groupProviderName(key)}: ${list(fields)}.`,
  "group_provider.removed": ({ key }, { actor, groupProviderName }) =>
    `${actor} removed the group source ${groupProviderName(key)}.`,
  "connector.created": ({ key, kind }, { actor }) => `${actor} added the connector ${key} (${kind}).`,
  "connector.changed": ({ key, fields, reconnect = 0 }, { actor }) =>
    `${actor} changed the connector ${key}: ${list(fields)}.${reconnect === 0 ? "" : ` ${reconnect} ${reconnect === 1 ? "account has" : "accounts have"} to be connected again.`}`,
  "connector.removed": ({ key, kind }, { actor }) => `${actor} removed the connector ${key} (${kind}).`,
  "connector.disconnected": ({ key, connections }, { actor }) =>
    `${actor} disconnected everybody from ${key}: ${connections} ${connections === 1 ? "connection" : "connections"}.`,
  "connector_key.rewrapped": ({ keyId, connectors, connections }, { actor }) =>
    `${actor} encrypted ${connectors} connectors and ${connections} connections again with the key ${keyId}.`,
  "credential_key.resealed": ({ keyId, secrets }, { actor }) =>
    `${actor} encrypted ${secrets} stored credentials again with the key ${keyId}.`,
  "connection.created": ({ connector, scopes }, { subject }) =>
    `${capital(subject)} connected an account at ${connector}: ${list(scopes)}.`,
  "connection.reconnected": ({ connector, scopes }, { subject }) =>
    `${capital(subject)} connected the account at ${connector} again: ${list(scopes)}.`,
  "connection.refused": ({ connector, reason }, { subject }) =>
    `${capital(subject)} could not connect an account at ${connector}: ${words(reason)}.`,
  "connection.refreshed": ({ connector, scopes }, { subject }) =>
    `The server got new tokens for ${subject} at ${connector}: ${list(scopes)}.`,
  "connection.reconnect_required": ({ connector, reason }, { subject }) =>
    `The account of ${subject} at ${connector} has to be connected again: ${words(reason)}.`,
  "connection.removed": ({ connector, revocation }, { actor, subject }) =>
    `${actor} disconnected the account of ${subject} at ${connector}; the third party ${revocations[revocation]}.`,
  "connection.used": ({ connector, method, host, pathTemplate, status }, { subject }) =>
    `A request of ${subject} went through ${connector}: ${method} ${host}${pathTemplate}, ${status === null ? "no answer" : `answered with ${status}`}.`,
  "connection.denied": ({ connector, reason, method, host }, { subject }) =>
    `A request of ${subject} through ${connector} was refused, and nothing was sent: ${words(reason)}${method === undefined ? "" : ` (${method}${host === undefined ? "" : ` ${host}`})`}.`,
  "user.changed": ({ enabled }, { actor, subject }) =>
    `${actor} ${enabled.to ? "enabled" : "disabled"} ${subject}.`,
  "skill.created": ({ id }, { actor }) => `${actor} created the skill ${id}.`,
  "skill.changed": ({ id, fields }, { actor }) => `${actor} changed the skill ${id}: ${list(fields)}.`,
  "skill.removed": ({ id }, { actor }) => `${actor} removed the skill ${id}.`,
  "catalog.refreshed": ({ resource, skills, failure }, { actor }) =>
    failure === null
      ? `${actor} had the skill catalog of ${resource} fetched again: ${skills ?? 0} skills.`
      : `${actor} had the skill catalog of ${resource} fetched again, and it failed: ${failure}`,
  "assignment.created": (data, { actor, groupProviderName }) =>
    `${actor} gave ${data.scope} to ${assignee(data, groupProviderName)}.`,
  "assignment.removed": (data, { actor, groupProviderName }) =>
    `${actor} took ${data.scope} away from ${assignee(data, groupProviderName)}.`,
  "signing_key.staged": ({ kid }, { actor }) =>
    `${actor} staged the signing key ${kid}: it is in the key set and signs nothing yet.`,
  "signing_key.activated": ({ kid, replaced, emergency }, { actor }) =>
    `${actor} activated the signing key ${kid}${replaced === null ? "" : ` in place of ${replaced}`}${inEmergency(emergency)}.`,
  "signing_key.retired": ({ kid, publishedUntil, emergency }, { actor }) =>
    `${actor} retired the signing key ${kid}, which leaves the key set at ${publishedUntil}${inEmergency(emergency)}.`,
  "sign_in.completed": ({ provider }, { subject, providerName }) =>
    `${capital(subject)} signed in at ${providerName(provider)}.`,
  "sign_in.refused": ({ provider, reason }, { providerName }) =>
    `A sign-in at ${providerName(provider)} was refused: ${words(reason)}.`,
  "session.ended": (_data, { actor, subject }) => `${actor} ended a browser session of ${subject}.`,
  "groups.changed": ({ groupProvider, added, removed }, { subject, groupProviderName }) =>
    `At a sign-in ${groupProviderName(groupProvider)} named other groups for ${subject}: ${groupChange(added, removed)}.`,
  "authorization.refused": ({ reason }, { client, subject }) =>
    `${capital(client)} was refused access to the account of ${subject}: ${words(reason)}.`,
  "consent.given": ({ scopes }, { client, subject }) =>
    `${capital(subject)} allowed ${client} the scopes ${list(scopes)}.`,
  "consent.refused": ({ scopes }, { client, subject }) =>
    `${capital(subject)} refused ${client} the scopes ${list(scopes)}.`,
  "token.issued": ({ grantType, scopes, repeated = false }, { client, subject }) =>
    `${capital(client)} got tokens for ${subject} by ${repeated ? "the same refresh again" : grantName(grantType)}: ${list(scopes)}.`,
  "token.refused": ({ grantType, reason, resource, scopes }, { client, nameOf }) =>
    `${capital(client)} was refused by ${grantName(grantType)}${wanted(scopes, resource, nameOf)}: ${words(reason)}.`,
  "machine_token.issued": ({ resource, scopes }, { client, nameOf }) =>
    `${capital(client)} got a token for ${nameOf(resource)}: ${list(scopes)}.`,
  "assertion.issued": ({ resource, scopes }, { client, subject, nameOf }) =>
    `${capital(client)} got an identity assertion for ${subject} at ${nameOf(resource)}: ${list(scopes)}.`,
  "grant.revoked": ({ reason }, { client, subject }) =>
    `A log-in of ${client} for ${subject} was ended: ${words(reason)}.`,
  "admin.refused": ({ error, method, path }, { actor }) =>
    `${actor} was refused at the administration: ${words(error)} (${method} ${path}).`,
  "audit.exported": ({ format, search }, { actor }) =>
    `${actor} exported ${Object.keys(search).length === 0 ? "the whole audit trail" : `events of the audit trail (${searched(search)})`} as ${format === "csv" ? "CSV" : "NDJSON"}.`,
  "audit.removed": ({ events, throughEvent, archive }, { actor }) =>
    `${actor} removed ${events} archived events, up to event ${throughEvent}. The archive has the SHA-256 ${archive}.`,
  "refusals.counted": ({ event, count, from, to, address, reason, error }) =>
    `${count} more ${count === 1 ? "refusal was" : "refusals were"} counted and not recorded one by one: ${event}${reason === undefined && error === undefined ? "" : `, ${words(reason ?? error ?? "")}`}${address === null ? "" : `, from ${address}`}, between ${from} and ${to}.`,
};

function searched(search: AuditEventData["audit.exported"]["search"]): string {
  const conditions = Object.entries(search).map(([name, value]) => `${name} ${[value].flat().join(" or ")}`);
  return list(conditions);
}

/**
 * Says in one English sentence what happened.
 *
 * @param names - what the people, clients, resources and providers of the event are called now, by `nameKey`
 */
export function describeEvent(event: AuditRecord, names: ReadonlyMap<string, AuditName>): string {
  const { type, actorType, actorId, subject, clientId, data } = event;
  if (!Object.hasOwn(descriptions, type)) return `${type}: an event that this version does not know.`;
  const describe = descriptions[type as AuditEventType] as (data: unknown, parts: Parts) => string;
  const nameOf = (id: string) => {
    const name = names.get(id);
    return name?.email ?? name?.name ?? id;
  };
  const providerName = (key: string) => names.get(nameKey("identity-provider", key))?.name ?? key;
  const groupProviderName = (key: string) => names.get(nameKey("group-provider", key))?.name ?? key;
  return describe(data, {
    actor: describeActor(actorType, actorId === null ? undefined : nameOf(actorId)),
    subject: subject === null ? "somebody" : nameOf(subject),
    client: clientId === null ? "a client" : nameOf(clientId),
    nameOf,
    providerName,
    groupProviderName,
  });
}

function describeActor(type: AuditRecord["actorType"], name: string | undefined): string {
  if (type === "operator") return "An operator at the command line";
  return type === "system" ? "The server" : (name ?? "Somebody");
}

function assignee(
  data: AuditEventData["assignment.created"],
  groupProviderName: Parts["groupProviderName"],
): string {
  return "email" in data
    ? data.email
    : `the group ${data.group.key} of ${groupProviderName(data.group.provider)}`;
}

function groupChange(added: readonly string[], removed: readonly string[]): string {
  return [
    ...(added.length === 0 ? [] : [`${list(added)} added`]),
    ...(removed.length === 0 ? [] : [`${list(removed)} removed`]),
  ].join(", ");
}

const revocations: Readonly<Record<AuditEventData["connection.removed"]["revocation"], string>> = {
  confirmed: "confirmed that the tokens are ended",
  unconfirmed: "did not confirm that the tokens are ended",
  unsupported: "has no way to end the tokens",
};

const grantNames: Readonly<Record<string, string>> = {
  authorization_code: "a log-in with a browser",
  refresh_token: "a refresh",
  client_credentials: "its own credentials",
  "urn:ietf:params:oauth:grant-type:device_code": "a log-in on another device",
  "urn:ietf:params:oauth:grant-type:token-exchange": "a token exchange",
};

function grantName(grantType: string): string {
  return (Object.hasOwn(grantNames, grantType) ? grantNames[grantType] : undefined) ?? grantType;
}

/** What a refused request asked for, as far as it said. */
function wanted(
  scopes: readonly string[] | undefined,
  resource: string | undefined,
  nameOf: Parts["nameOf"],
): string {
  if (resource === undefined) return "";
  return ` for ${scopes === undefined ? "access" : list(scopes)} at ${nameOf(resource)}`;
}

function inEmergency(emergency: boolean): string {
  return emergency ? ", in an emergency" : "";
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "nothing" : items.join(", ");
}

/** A reason such as `code_reused` as words. */
function words(reason: string): string {
  return reason.replaceAll("_", " ");
}

function capital(text: string): string {
  return text === "somebody" || text === "a client"
    ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
    : text;
}
