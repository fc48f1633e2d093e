import { randomUUID } from "node:crypto";
import { isMailAddress } from "../config/notifications.js";
import type { ListedAccessRequest } from "../store/access-requests.js";
import type { NewNotification, NotificationEvent } from "../store/notifications.js";
import type { OpenStore, Store } from "../store/store.js";
import { administerScope } from "../store/system-scopes.js";
import { paths } from "../protocol/vocabulary.js";
import { languages, textsIn } from "../text/texts.js";
import type { NotificationConfig } from "./deliver.js";
import {
  approvalMail,
  decidedMail,
  expiringMail,
  type MailPlace,
  type MailText,
  presenceMail,
  requestedMail,
  streamMail,
} from "./mail-text.js";

export interface AddressOptions {
  readonly store: Pick<OpenStore, "transaction">;
  readonly config: NotificationConfig;
  readonly now: () => Date;
}

/** Maximum events per transaction. */
const mostAtOnce = 50;
/** Above this number, installations configure a mailing list, or a group of owners decides in the console. */
const mostAdministrators = 20;

/** Maximum notified requests per person and hour. The console shows all. */
const mostPerHour = 20;

/** The content of an event's notifications: JSON for the webhook, and a mail for each recipient. */
interface Announcement {
  readonly data: object;
  readonly recipients: readonly string[];
  readonly mail: (place: MailPlace) => MailText;
}

/** Makes of each event a message for each receiver. Several processes may do so at once: each event is taken by one of them. */
export async function addressEvents({ store, config, now }: AddressOptions): Promise<void> {
  let more = true;
  while (more) {
    more = await store.transaction(async (tx) => {
      const events = await tx.notifications.takeEvents(mostAtOnce);
      for (const event of events) {
        await addressEvent(event, { tx, config, at: now() });
      }
      return events.length === mostAtOnce;
    });
  }
}

async function addressEvent(
  event: NotificationEvent,
  { tx, config, at }: { readonly tx: Store; readonly config: NotificationConfig; readonly at: Date },
): Promise<void> {
  const { notifyWebhookUrl, notifyMailServer } = config;
  if (notifyWebhookUrl === undefined && notifyMailServer === undefined) return;
  const announcement = await describeEvent(event, { tx, config });
  if (announcement === undefined) return;
  const { type } = event;
  const messages: NewNotification[] = [];
  if (notifyWebhookUrl !== undefined) {
    const body = JSON.stringify({ type, timestamp: at.toISOString(), data: announcement.data });
    messages.push({ id: randomUUID(), type, channel: "webhook", body });
  }
  if (notifyMailServer !== undefined) {
    const { installationName: installation } = await tx.settings.get();
    const recipients = [...new Set(announcement.recipients)].filter(isMailAddress);
    const spoken = await tx.users.findLanguages(recipients);
    for (const recipient of recipients) {
      const texts = textsIn(spoken.get(recipient.toLowerCase()) ?? languages[0]);
      const mail = announcement.mail({ issuer: config.issuer, installation, texts });
      messages.push({ id: randomUUID(), type, channel: "mail", recipient, ...mail });
    }
  }
  await tx.notifications.add(messages);
}

/** `undefined`: nothing is worth a notification any more. */
async function describeEvent(
  event: NotificationEvent,
  { tx, config }: { readonly tx: Store; readonly config: NotificationConfig },
): Promise<Announcement | undefined> {
  if (event.type === "assignment.expiring") {
    const { type: _type, email, group, ...what } = event;
    return {
      data: { ...(email !== null && { email }), ...(group !== null && { group }), ...what },
      recipients: email === null ? [] : [email],
      mail: (place) => expiringMail(event, place),
    };
  }
  if (event.type === "presence.alarm_raised") {
    const { type: _type, ...data } = event;
    const provider = await tx.identityProviders.findByKey(event.provider);
    if (provider === undefined) return undefined;
    return {
      data: { ...data, url: `${config.issuer}/admin/identity-providers/${encodeURIComponent(provider.key)}` },
      recipients: await administrators(tx, config),
      mail: (place) => presenceMail({ ...event, name: provider.name }, place),
    };
  }
  if (event.type === "signal_stream.failing") {
    const { type: _type, ...data } = event;
    const url = `${config.issuer}/admin/signal-streams/${event.stream}`;
    return {
      data: { ...data, url },
      recipients: await administrators(tx, config),
      mail: (place) => streamMail(event, place),
    };
  }
  if (event.type === "approval.asked") return await describeApproval(event.approval, { tx, config });
  const request = await tx.accessRequests.find(event.request);
  if (request === undefined) return undefined;
  const data = requestData(request, config.issuer);
  if (event.type !== "access.requested") {
    const { email } = request.person;
    return {
      data,
      recipients: email === null ? [] : [email],
      mail: (place) => decidedMail(request, place),
    };
  }
  // A request that was withdrawn at once notifies no administrator.
  if (request.state !== "pending") return undefined;
  // Asking and withdrawing repeatedly must not fill mailboxes.
  if ((await tx.accessRequests.countHourOf(request)) > mostPerHour) return undefined;
  return {
    data,
    recipients: await deciders(request, tx, config),
    mail: (place) => requestedMail(request, place),
  };
}

/** The owners first: administrators only get what no owner can decide alone. The console shows them everything. */
async function deciders(
  { kind, target, scopes, person }: ListedAccessRequest,
  tx: Store,
  config: NotificationConfig,
): Promise<readonly string[]> {
  if (kind === "installation") return await administrators(tx, config);
  const found = await tx.owners.listPeople({ kind, key: target }, mostAdministrators + 1);
  const owners = found.filter((email) => email !== person.email).slice(0, mostAdministrators);
  const shared = await tx.owners.areShared({ kind, key: target }, scopes);
  return owners.length === 0 || shared ? [...owners, ...(await administrators(tx, config))] : owners;
}

/** Notifies the person themselves. The members of a group find what waits for them on their account page. */
async function describeApproval(
  id: string,
  { tx, config }: { readonly tx: Store; readonly config: NotificationConfig },
): Promise<Announcement | undefined> {
  const approval = await tx.approvals.describe(id);
  if (approval?.state !== "pending") return undefined;
  const { person, client, resource, approver, method, detail } = approval;
  const url = `${config.issuer}${paths.approve}/${id}`;
  return {
    data: {
      id,
      person,
      client: client && { id: client.id, name: client.name },
      resource: resource.resource,
      ...(resource.resource === null && { connector: resource.key }),
      type: detail.type,
      method,
      approver,
      expiresAt: approval.expiresAt.toISOString(),
      url,
    },
    recipients: approver === null && person.email !== null ? [person.email] : [],
    mail: (place) => approvalMail(approval, url, place),
  };
}

async function administrators(
  { assignments }: Pick<Store, "assignments">,
  { notifyTo }: NotificationConfig,
): Promise<readonly string[]> {
  if (notifyTo.length > 0) return notifyTo;
  const people = await assignments.listPeopleByScope(administerScope, mostAdministrators);
  return people.map(({ email }) => email);
}

/** A request as a webhook reads it. */
function requestData(request: ListedAccessRequest, issuer: string): object {
  const { id, kind, target, targetName, scopes, reason, state, grantedScopes, expiresAt, note, person } =
    request;
  return {
    id,
    state,
    person: { id: person.id, email: person.email, name: person.name },
    kind,
    target,
    targetName,
    scopes,
    reason,
    createdAt: request.createdAt.toISOString(),
    ...(request.decidedAt !== null && { decidedAt: request.decidedAt.toISOString() }),
    ...(state === "approved" && { grantedScopes }),
    ...(expiresAt !== null && { until: expiresAt.toISOString() }),
    ...(note !== null && { note }),
    url: `${issuer}/admin/access-requests/${id}`,
  };
}
