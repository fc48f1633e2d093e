import type { CodeBelow } from "../text/message-key.js";

/** Why something was refused or ended: the codes for which the catalogs have words. */
export type AuditReason = CodeBelow<"audit.reasons">;

/**
 * What each audited event says, by type. A new event is one entry here, and in each language a sentence in `locales`; the events of
 * an object need no entry, see `ObjectEventData`.
 *
 * No secret and no token ever appears in an event; an identifier of one (a `jti`, a grant's id) may.
 */
interface ListedEventData {
  /** The server created its own records in an empty database. */
  "defaults.created": { readonly records: readonly string[] };
  /** There is a provider and an administrator, so the set-up is closed for good. */
  "installation.completed": { readonly by: "browser" | "file" | "registry" };
  /** What is not there did not change. */
  "installation.changed": {
    readonly name?: Change<string>;
    readonly instructions?: Change<string | null>;
    /** The digest of the image. */
    readonly logo?: Change<string | null>;
    readonly appTrust?: Change<"off" | "listed" | "any">;
    readonly dynamicRegistration?: Change<boolean>;
  };
  /** After a backup was restored, an operator ended what it brought back: how much of each, and which signing keys. */
  "installation.restored": {
    readonly before: string;
    readonly ended: Readonly<Record<string, number>>;
    readonly retiredKeys: readonly string[];
  };
  "provider.created": { readonly key: string; readonly issuer: string };
  "provider.removed": { readonly key: string; readonly issuer: string };
  /** An administrator began a sign-in that signs nobody in. `changes`: with changes that are not saved. */
  "provider.test_started": { readonly key: string; readonly test: string; readonly changes: boolean };
  /** It is over. `fault`: the reason for which a check failed; absent: all passed. */
  "provider.tested": {
    readonly key: string;
    readonly test: string;
    readonly changes: boolean;
    readonly fault?: string;
  };
  /** It serves with settings that nobody has tested, because somebody answers for them: an operator, or a caller of the API. */
  "provider.test_skipped": { readonly key: string };
  "client.created": { readonly id: string; readonly type: "public" | "confidential" | "machine" };
  "client.changed": { readonly id: string; readonly fields: readonly string[] };
  "client.removed": { readonly id: string; readonly type: "public" | "confidential" | "machine" };
  /** A client that no administrator registered is here for the first time. */
  "client.registered": {
    readonly source: "metadata_document" | "dynamic_registration";
    readonly name: string;
    readonly redirectUris: readonly string[];
  };
  /** What a client's metadata document says has changed. */
  "client_document.changed": { readonly fields: readonly string[] };
  /** A metadata document was not taken. The host is in punycode. */
  "client_document.refused": { readonly host: string; readonly reason: AuditReason };
  /** Whether a host may be where apps come from; `null`: nobody had decided, or nobody has any more. */
  "app_host.changed": { readonly host: string; readonly allowed: Change<boolean | null> };
  /** A person came with an app of a host that is not allowed. */
  "app_host.asked": { readonly host: string };
  "resource.created": { readonly key: string; readonly resource: string };
  "resource.removed": { readonly key: string; readonly resource: string };
  /** Who decides for a service or connector: addresses, and groups as `provider:group`. */
  "owners.changed": {
    readonly kind: "service" | "connector";
    /** Its key. */
    readonly target: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  "group_provider.created": { readonly key: string; readonly source: "claim" | "scim" | "directory" };
  "connector.created": { readonly key: string; readonly kind: string };
  "connector.changed": {
    readonly key: string;
    readonly fields: readonly string[];
    /** How many accounts have to be connected again, because the tokens belong to another client. */
    readonly reconnect?: number;
  };
  /** Rules for calls of agents: how many there are, and how many are new or gone. */
  "rules.changed": {
    readonly resource?: string;
    readonly connector?: string;
    readonly rules: number;
    readonly added: number;
    readonly removed: number;
  };
  /** The third party was asked whether it knows the client id and secret. */
  "connector.tested": {
    readonly key: string;
    readonly verdict: "accepted" | "refused" | "unknown";
    /** Which answer it was. */
    readonly answer: string;
  };
  "connector.removed": { readonly key: string; readonly kind: string };
  /** Somebody had the accounts of everybody there disconnected; each one has an event of its own when it is done. */
  "connector.disconnected": { readonly key: string; readonly connections: number };
  /** Data keys of connectors and connections were sealed with another key; tokens were not touched. */
  "connector_key.rewrapped": {
    readonly keyId: string;
    readonly connectors: number;
    readonly connections: number;
  };
  /** Stored credentials were sealed with another key: of providers and directories, signing keys, the key of the seals. */
  "credential_key.resealed": { readonly keyId: string; readonly secrets: number };
  /** A person connected an account; `connector` is a key. */
  "connection.created": ConnectionScopes;
  /** The same account again: after the third party asked for it, or for other scopes. */
  "connection.reconnected": ConnectionScopes;
  /** An attempt to connect ended without a connection. */
  "connection.refused": { readonly connector: string; readonly reason: AuditReason };
  "connection.refreshed": ConnectionScopes;
  "connection.reconnect_required": {
    readonly connector: string;
    readonly connectionId: string;
    readonly reason: AuditReason;
  };
  "connection.removed": {
    readonly connector: string;
    readonly connectionId: string;
    /** Whether the third party says that it has ended the tokens. */
    readonly revocation: "confirmed" | "unconfirmed" | "unsupported";
  };
  /** A request went to a third party with a person's token. Never its query, its body or a token. */
  "connection.used": {
    readonly connector: string;
    readonly connectionId: string;
    readonly method: string;
    readonly host: string;
    /** The path without what identifies things. */
    readonly pathTemplate: string;
    /** `null`: the third party did not answer, or nobody knows whether it did. */
    readonly status: number | null;
    /** `null`, like the sizes: the server ended in the middle. */
    readonly durationMs: number | null;
    readonly requestBytes: number | null;
    readonly responseBytes: number | null;
  };
  /** Nothing of the request went anywhere. */
  "connection.denied": {
    readonly connector: string;
    readonly reason: string;
    readonly method?: string;
    readonly host?: string;
    /** The permissions that are missing. */
    readonly scopes?: readonly string[];
    /** The number of the rule that decided, from 1. */
    readonly rule?: number;
  };
  /** A request went to a service with a token that this server signed for a person and their client. Never its query or body. */
  "service.called": {
    /** The key of the service. */
    readonly resource: string;
    readonly grantId: string;
    readonly method: string;
    readonly host: string;
    /** The path without what identifies things. */
    readonly pathTemplate: string;
    /** `null`: the service did not answer, or nobody knows whether it did. */
    readonly status: number | null;
    /** `null`, like the sizes: the server ended in the middle. */
    readonly durationMs: number | null;
    readonly requestBytes: number | null;
    readonly responseBytes: number | null;
  };
  /** Nothing of the request went anywhere. */
  "service.call_denied": {
    /** The key of the service; absent when none covers the address. */
    readonly resource?: string;
    readonly grantId: string;
    readonly reason: string;
    readonly method?: string;
    readonly host?: string;
    /** The permissions that are missing. */
    readonly scopes?: readonly string[];
    /** The number of the rule that decided, from 1. */
    readonly rule?: number;
  };
  "user.changed": { readonly enabled: Change<boolean> };
  /** A person was disabled, and everything of theirs has ended: how much of each. */
  "person.ended": AuditedCause & {
    readonly sessions: number;
    readonly grants: number;
    /** Codes and allowed devices that had not led to a grant yet. */
    readonly unused: number;
    readonly requests: number;
    readonly connections: number;
  };
  /** Nothing is issued for a person until they sign in again. */
  "person.paused": AuditedCause & { readonly sessions: number };
  /** Something is stopped, for the subject, through the client, or at the service; without any of them, everything. */
  "stop.set": AuditedStop;
  /** It was started again. What had begun before stays ended. */
  "stop.lifted": AuditedStop;
  /** A paused person has signed in, or with a cause: it turned out to be none. */
  "person.resumed": Partial<AuditedCause>;
  /** The provider gave no answer that counts about a person, who goes on until then. */
  "presence.unanswered": {
    readonly provider: string;
    readonly reason: AuditReason;
    /** When they are paused, unless it answers. */
    readonly until: string;
  };
  /** The provider confirmed a person under another address or name. */
  "presence.identity_changed": { readonly provider: string; readonly fields: readonly string[] };
  /** The answers of a provider about people do not count, or there are none. */
  "presence.alarm_raised": { readonly provider: string; readonly reason: AuditReason };
  "presence.alarm_ended": { readonly provider: string; readonly reason: AuditReason };
  /** A provider created a person by SCIM, or took over one who was known here. */
  "user.provisioned": Provisioned & {
    /** By what the person was known; `null`: there was none. */
    readonly known: "account" | "address" | null;
    readonly active: boolean;
  };
  /** A provider changed a person by SCIM: names of attributes, never their values. */
  "user.updated": Provisioned & { readonly fields: readonly string[] };
  /** A provider removed a person by SCIM; what was signed in has ended. */
  "user.deprovisioned": Provisioned;
  /** A provider tried to end the break-glass administrator by SCIM. */
  "user.kept": Provisioned;
  /** A provider created a group by SCIM; assignments use its name. */
  "group.created": ProvisionedGroupData;
  "group.renamed": Omit<ProvisionedGroupData, "name"> & { readonly name: Change<string> };
  "group.removed": ProvisionedGroupData;
  /** Ids of people; a large change is several events. */
  "group.changed": ProvisionedGroupData & {
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  /** A credential with which a provider calls SCIM was created or removed. */
  "provisioning_credential.created": { readonly provider: string; readonly credential: string };
  "provisioning_credential.removed": { readonly provider: string; readonly credential: string };
  /**
   * An account at a provider became that of a person who was known by the address: at a sign-in, or, with a client, by an assertion that
   * it redeemed.
   */
  "user.linked": {
    /** The key of the provider. */
    readonly provider: string;
    /** What the provider calls the account: its `sub`. */
    readonly account: string;
  };
  "skill.created": { readonly id: string };
  "skill.changed": { readonly id: string; readonly fields: readonly string[] };
  "skill.removed": { readonly id: string };
  /** An owner wants to change a skill, and a second person decides. Its text is not in the trail. */
  "proposal.created": AuditedProposal;
  "proposal.approved": AuditedProposal;
  "proposal.declined": AuditedProposal;
  "proposal.withdrawn": AuditedProposal;
  /** Somebody had the catalog of a resource fetched again. */
  "catalog.refreshed": {
    readonly resource: string;
    readonly skills: number | null;
    readonly failure: string | null;
  };
  /** A person asked for permissions. Neither the reason nor the word of a decision is in the trail. */
  "access.requested": AuditedRequest;
  "access.approved": {
    readonly request: string;
    readonly kind: "service" | "connector" | "installation";
    readonly target: string;
    /** What was given. */
    readonly scopes: readonly string[];
    /** Absent: for good. */
    readonly expiresAt?: string;
  };
  "access.declined": AuditedRequest;
  "access.withdrawn": AuditedRequest;
  /** An app needs a person's approval for one call. Neither its address nor its details are in the trail. */
  "approval.asked": AuditedApproval;
  "approval.approved": AuditedApproval;
  "approval.declined": AuditedApproval;
  /** It ended with the person, the app's sign-in, or by an administrator. */
  "approval.withdrawn": AuditedApproval;
  "approval.expired": AuditedApproval;
  /** The token for the approved call was issued. */
  "approval.collected": AuditedApproval & {
    readonly grantId: string;
    readonly tokenId: string;
    readonly scopes: readonly string[];
    /** `null`: bound to no key. */
    readonly jkt: string | null;
    /** The same token once more. */
    readonly repeated?: true;
  };
  /** The approved call goes through this server, once: it was about to be sent. */
  "approval.used": AuditedApproval & { readonly grantId: string };
  /** A challenge was not taken up: what is wrong with it, or too much waits already. */
  "approval.refused": {
    readonly grantId: string;
    /** The identifier of the service. */
    readonly resource: string;
    readonly error: string;
    readonly reason: string;
  };
  /** A message about something was not delivered in a day, or cannot be, and is given up. */
  "notification.failed": {
    /** The type of the event that it was about. */
    readonly event: string;
    readonly channel: "webhook" | "mail";
    /** Whom the mail was for. */
    readonly recipient?: string;
    /** Why the last attempt failed, as a code. */
    readonly cause: string;
    readonly attempts: number;
  };
  "assignment.created": AuditedAssignment;
  "assignment.removed": AuditedAssignment;
  /** It will end soon. */
  "assignment.expiring": AuditedAssignment;
  /** Its time was over, and it was removed. It counted no longer than that. */
  "assignment.expired": AuditedAssignment;
  /** A key is in the key set and signs nothing yet. */
  "signing_key.staged": { readonly kid: string; readonly source: "environment" | "generated" };
  /** A staged key begins to sign by itself; `null`: no longer. */
  "signing_key.scheduled": { readonly kid: string; readonly activatesAt: string | null };
  "signing_key.activated": {
    readonly kid: string;
    readonly replaced: string | null;
    readonly emergency: boolean;
  };
  "signing_key.retired": {
    readonly kid: string;
    /** When it leaves the key set. */
    readonly publishedUntil: string;
    readonly emergency: boolean;
  };
  "sign_in.completed": {
    readonly provider: string;
    readonly sessionId: string;
    readonly amr: readonly string[];
  };
  "sign_in.refused": { readonly provider: string; readonly reason: AuditReason };
  /** A provider said by a logout token that a session of its own, or all of an account, have ended. */
  "logout.received": {
    readonly provider: string;
    /** The token names one session. */
    readonly session: boolean;
  };
  "logout.refused": { readonly provider: string; readonly reason: AuditReason };
  /** An identity provider sent an event about a person: what it was, and what that changed here. */
  "signal.received": {
    /** The key of the stream. */
    readonly stream: string;
    /** The last part of the event's type: `session-revoked`. */
    readonly event: string;
    /** `exempt`: the person is the break-glass administrator. */
    readonly effect: "sessions_ended" | "paused" | "ended" | "presence_checked" | "nothing" | "exempt";
    /** When the transmitter issued it. */
    readonly issuedAt: string;
    /** What the transmitter calls the transaction that it belongs to. */
    readonly transaction?: string;
    /** The new identifier that an account has there. Assignments are never moved by it. */
    readonly newValue?: string;
  };
  /** A security event token was not accepted. */
  "signal.refused": { readonly stream: string; readonly reason: AuditReason };
  /** An event was about an account that nobody here has. */
  "signal.unknown_subject": {
    readonly stream: string;
    readonly event: string;
    /** Of the subject identifier. */
    readonly format: string;
  };
  /** An administrator asked the transmitter for a verification event. */
  "signal_stream.tested": { readonly key: string };
  /** The transmitter has to present another credential from now on. */
  "signal_stream.credential_replaced": { readonly key: string };
  "session.ended": { readonly sessionId: string };
  /** At a sign-in the provider named other groups than the last time. */
  "groups.changed": {
    readonly groupProvider: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
  };
  /** An authorization request ended without asking the person. */
  "authorization.refused": { readonly error: string; readonly reason: string };
  "consent.given": {
    /** The service that it is about; absent: this server's own API. */
    readonly resource?: string;
    readonly scopes: readonly string[];
    readonly jkt: string | null;
    /** The person had allowed the same before, and was not asked again. */
    readonly remembered?: true;
  };
  "consent.refused": {
    readonly resource?: string;
    readonly scopes: readonly string[];
    readonly jkt: string | null;
  };
  "token.issued": {
    readonly grantType: string;
    /** `null`: of an assertion of an identity provider, except at the address for agents. */
    readonly grantId: string | null;
    readonly tokenId: string;
    /** The service that it is for; absent: this server's own API. */
    readonly resource?: string;
    readonly scopes: readonly string[];
    /** `null`: bound to no key. */
    readonly jkt: string | null;
    /** The same refresh once more: its refresh token is the one that was issued the first time. */
    readonly repeated?: true;
    /** The key of the identity provider that vouched for the person in an assertion. */
    readonly provider?: string;
  };
  "token.refused": {
    readonly grantType: string;
    readonly grantId: string | null;
    readonly error: string;
    readonly reason: string;
    /** What was asked for, where the request said so. */
    readonly resource?: string;
    readonly scopes?: readonly string[];
  };
  /** A machine got a token for one resource. */
  "machine_token.issued": {
    readonly tokenId: string;
    readonly resource: string;
    readonly scopes: readonly string[];
    readonly jkt: string;
  };
  "assertion.issued": {
    readonly grantId: string;
    readonly tokenId: string;
    readonly resource: string;
    readonly scopes: readonly string[];
    /** `null`: bound to no key. */
    readonly jkt: string | null;
  };
  "grant.revoked": { readonly grantId: string; readonly reason: AuditReason };
  /** Somebody who is known was refused at the administration. */
  "admin.refused": {
    readonly error: string;
    readonly method: string;
    /** Without its query. */
    readonly path: string;
  };
  /** Somebody took events out of the audit trail by the administration. */
  "audit.exported": {
    readonly format: "csv" | "ndjson";
    /** What was searched for; empty: everything. */
    readonly search: Readonly<Record<string, string | readonly string[] | undefined>>;
  };
  /** Archived events were removed, up to this one. */
  "audit.removed": {
    readonly events: number;
    readonly seals: number;
    readonly throughEvent: string;
    readonly throughSeal: number;
    /** Of the last seal that was removed. */
    readonly digest: string;
    /** SHA-256 of the archive file. */
    readonly archive: string;
  };
  /** Refusals, new apps and changed documents beyond what is recorded one by one; see `refusals.ts`. */
  "events.counted": {
    /** The type that each of them would have had. */
    readonly event: string;
    readonly count: number;
    readonly from: string;
    readonly to: string;
    /** Where they came from, when that is why they were counted. */
    readonly address: string | null;
    readonly error?: string;
    readonly reason?: string;
    readonly grantType?: string;
    readonly grantId?: string;
    readonly provider?: string;
    readonly stream?: string;
    readonly connector?: string;
    readonly resource?: string;
  };
}

/**
 * What an event says that has a sentence and no entry above: which object was created, changed or removed. Any other type has no
 * data that could be recorded.
 */
export type ObjectEventData = {
  readonly [Type in Exclude<
    CodeBelow<"audit.events">,
    keyof ListedEventData
  >]: Type extends `${string}.changed`
    ? { readonly key: string; readonly fields: readonly string[] }
    : Type extends `${string}.${"created" | "removed"}`
      ? { readonly key: string }
      : never;
};

export interface AuditEventData extends ListedEventData, ObjectEventData {}

interface Provisioned {
  /** The key of the provider. */
  readonly provider: string;
  /** The id of SCIM. */
  readonly account: string;
}

interface ProvisionedGroupData {
  /** The key of the provider. */
  readonly provider: string;
  /** The id of SCIM. */
  readonly group: string;
  readonly name: string;
}

/** What is to become of a skill. */
interface AuditedProposal {
  readonly proposal: string;
  /** The id of the skill. */
  readonly skill: string;
  readonly action: "create" | "change" | "remove";
}

/** Tokens of a connection came, for these scopes of the third party. */
interface ConnectionScopes {
  readonly connector: string;
  readonly connectionId: string;
  readonly scopes: readonly string[];
}

/** Who decided that something of a person ends, or which word of a provider. */
interface AuditedCause {
  readonly cause: "administrator" | "support" | "scim" | "logout" | "presence" | "signal";
  /** The key of the provider. */
  readonly provider?: string;
  /** The type of its event. */
  readonly event?: string;
}

/** What is stopped. */
interface AuditedStop {
  readonly kind: "all" | "user" | "client" | "app" | "service";
  /** The identifier of the service. */
  readonly resource?: string;
}

/** One call that needs a person's approval. */
interface AuditedApproval {
  /** The id of the approval. */
  readonly approval: string;
  /** The identifier of the service. */
  readonly resource?: string;
  /** The key of the connector, in place of a service. */
  readonly connector?: string;
  /** The type of the authorization detail. */
  readonly detail: string;
  readonly method: string;
  readonly txn: string;
}

/** What somebody asked for; of a decision, what was decided about. */
interface AuditedRequest {
  /** The id of the request. */
  readonly request: string;
  readonly kind: "service" | "connector" | "installation";
  /** The key of the service or connector; `authz`: this installation itself. */
  readonly target: string;
  readonly scopes: readonly string[];
}

/** Whom the scope was given to: an email address, or a group of a group provider; and until when, absent: for good. */
type AuditedAssignment =
  | { readonly email: string; readonly scope: string; readonly expiresAt?: string }
  | {
      readonly group: { readonly provider: string; readonly key: string };
      readonly scope: string;
      readonly expiresAt?: string;
    };

interface Change<T> {
  readonly from: T;
  readonly to: T;
}

export type AuditEventType = keyof AuditEventData;

/** The version of the `data` of every event. To be raised for a type whose new rows a reader of old ones could misread. */
export const eventVersion = 1;

/** Who did it: a person, a client on its own behalf, an operator at the command line, or the server itself. */
export type AuditActor =
  | { readonly type: "user" | "client"; readonly id: string }
  | { readonly type: "operator" | "system" };

interface AuditEnvelope<Type extends AuditEventType> {
  readonly type: Type;
  readonly outcome: "success" | "denied" | "failed";
  readonly actor: AuditActor;
  readonly at: Date;
  /** The user that the event is about. */
  readonly subject?: string;
  readonly clientId?: string;
  /** The id of the HTTP request, as in the log. */
  readonly requestId?: string;
  readonly data: AuditEventData[Type];
}

export type AuditEvent = { [Type in AuditEventType]: AuditEnvelope<Type> }[AuditEventType];
