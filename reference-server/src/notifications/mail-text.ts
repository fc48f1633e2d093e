import { renderMoment } from "../pages/dates.js";
import type { ListedAccessRequest } from "../store/access-requests.js";
import type { ListedApproval } from "../store/approvals.js";
import type { NotificationEvent } from "../store/notifications.js";
import type { Texts } from "../text/texts.js";
import { shortText } from "../text/short-text.js";

const mostOfName = 80;

/** A mail in the language of its recipient. */
export interface MailText {
  readonly subject: string;
  readonly body: string;
}

/** The issuer that a mail links to, and its installation. */
export interface MailPlace {
  readonly issuer: string;
  readonly installation: string;
  readonly texts: Texts;
}

/** Notifies an administrator of a new request. */
export function requestedMail(request: ListedAccessRequest, place: MailPlace): MailText {
  const { text } = place.texts;
  const { person, reason, id } = request;
  const name = nameOf(person);
  const values = { ...valuesOf(request, place), name, address: person.email ?? person.id };
  return compose(text("notifications.requested.subject", values), [
    text("notifications.requested.lead", values),
    `${text("notifications.requested.reason")}\n${quote(reason)}`,
    `${text("notifications.requested.decide")}\n${place.issuer}/admin/access-requests/${id}`,
  ]);
}

/** Notifies the requester of a decision. */
export function decidedMail(request: ListedAccessRequest, place: MailPlace): MailText {
  const { text } = place.texts;
  const { state, grantedScopes, expiresAt, note } = request;
  const values = { ...valuesOf(request, place), given: grantedScopes.join(", ") };
  const kind = state === "approved" ? "approved" : "declined";
  const until = expiresAt === null ? undefined : renderMoment(expiresAt, place.texts);
  return compose(text(`notifications.${kind}.subject`, values), [
    text(`notifications.${kind}.lead`, values),
    ...(until === undefined ? [] : [text("notifications.approved.until", { until })]),
    ...(note === null ? [] : [`${text("notifications.note")}\n${quote(note)}`]),
    `${text("notifications.account")}\n${place.issuer}/`,
  ]);
}

/** Notifies a user that a permission ends soon. */
export function expiringMail(
  { scope, expiresAt }: Extract<NotificationEvent, { type: "assignment.expiring" }>,
  place: MailPlace,
): MailText {
  const { text } = place.texts;
  const { installation } = place;
  const values = { installation, scope, until: renderMoment(new Date(expiresAt), place.texts) };
  return compose(text("notifications.expiring.subject", values), [
    text("notifications.expiring.lead", values),
    `${text("notifications.expiring.again")}\n${place.issuer}/`,
  ]);
}

/** Notifies an administrator that a provider's answers about people do not count. */
export function presenceMail(
  {
    provider: key,
    reason,
    name,
  }: Extract<NotificationEvent, { type: "presence.alarm_raised" }> & { readonly name: string },
  place: MailPlace,
): MailText {
  const { text } = place.texts;
  const { issuer, installation } = place;
  const values = { installation: ourName(installation), provider: ourName(name) };
  const kind = reason === "refused_wave" ? "wave" : "client";
  return compose(text("notifications.presence.subject", values), [
    text(`notifications.presence.${kind}`, values),
    `${text("notifications.presence.look")}\n${issuer}/admin/identity-providers/${encodeURIComponent(key)}`,
  ]);
}

/** Notifies an administrator of a stream of security events that brings nothing. */
export function streamMail(
  { stream, name, state }: Extract<NotificationEvent, { type: "signal_stream.failing" }>,
  place: MailPlace,
): MailText {
  const { text } = place.texts;
  const values = { name: ourName(name), installation: ourName(place.installation), state };
  return compose(text("notifications.stream.subject", values), [
    text("notifications.stream.lead", values),
    `${text("notifications.stream.look")}\n${place.issuer}/admin/signal-streams/${stream}`,
  ]);
}

/** Notifies a person that an app needs their approval. What the call does is only on the page: mails are read in many places. */
export function approvalMail(
  { client, clientId, resource, expiresAt }: ListedApproval,
  url: string,
  place: MailPlace,
): MailText {
  const { text } = place.texts;
  const values = {
    installation: ourName(place.installation),
    app: shortText(client?.name ?? clientId, mostOfName)?.replaceAll(/["“”„‟«»]/gu, "'") ?? "",
    target: ourName(resource.name),
    until: renderMoment(expiresAt, place.texts),
  };
  return compose(text("notifications.approval.subject", values), [
    text("notifications.approval.lead", values),
    `${text("notifications.approval.open")}\n${url}`,
    text("notifications.approval.unexpected"),
  ]);
}

function valuesOf({ target, targetName, scopes, kind }: ListedAccessRequest, { installation }: MailPlace) {
  const place = kind === "installation" ? installation : (targetName ?? target);
  return { installation: ourName(installation), target: ourName(place), scopes: scopes.join(", ") };
}

function compose(subject: string, paragraphs: readonly string[]): MailText {
  return { subject, body: `${paragraphs.join("\n\n")}\n` };
}

/** What a person is called, for quotation marks that it cannot close: people choose their names at many providers. */
function nameOf({ name, email, id }: ListedAccessRequest["person"]): string {
  return (shortText(name ?? "", mostOfName) ?? email ?? id).replaceAll(/["“”„‟«»]/gu, "'");
}

/** What an administrator has named. */
function ourName(text: string): string {
  return shortText(text, mostOfName) ?? "";
}

/** Quotes text of a user, so that it cannot pass for this server's own. */
function quote(text: string): string {
  return text
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
