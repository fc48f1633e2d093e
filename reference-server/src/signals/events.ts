import type { JsonObject } from "@authz/dpop/jws";
import { shortText } from "../text/short-text.js";
import { SignalError } from "./signal-error.js";

const caep = "https://schemas.openid.net/secevent/caep/event-type/";
const risc = "https://schemas.openid.net/secevent/risc/event-type/";
const ssf = "https://schemas.openid.net/secevent/ssf/event-type/";

/** What an event about a person makes this server do. */
type SignalAction = "end_sessions" | "pause" | "check_presence" | "end" | "record";

/** The events about people that this server understands, and requests when it creates a stream. */
const personEvents = {
  [`${caep}session-revoked`]: "session-revoked",
  [`${caep}credential-change`]: "credential-change",
  [`${caep}token-claims-change`]: "token-claims-change",
  [`${risc}account-disabled`]: "account-disabled",
  [`${risc}account-enabled`]: "account-enabled",
  [`${risc}account-purged`]: "account-purged",
  [`${risc}identifier-changed`]: "identifier-changed",
} as const;

type PersonEventName = (typeof personEvents)[keyof typeof personEvents];

export const requestedEvents: readonly string[] = Object.keys(personEvents);

/** What an event says, as far as this server acts on it. */
export type SignalEvent =
  | {
      readonly kind: "person";
      readonly name: PersonEventName;
      readonly action: SignalAction;
      /** The new identifier of an account. Never acted upon. */
      readonly newValue: string | undefined;
    }
  /** `state` is absent when the transmitter sent it of its own accord. */
  | { readonly kind: "verification"; readonly state: string | undefined }
  | { readonly kind: "stream_updated"; readonly status: "enabled" | "paused" | "disabled" }
  | { readonly kind: "unknown" };

const actions: Readonly<Record<Exclude<PersonEventName, "credential-change">, SignalAction>> = {
  "session-revoked": "end_sessions",
  "token-claims-change": "check_presence",
  "account-disabled": "end",
  "account-purged": "end",
  // Whoever was ended is enabled again by an administrator, never by a message.
  "account-enabled": "record",
  // Permissions hang on the address, and only a sign-in moves one.
  "identifier-changed": "record",
};

/** CAEP 1.0 §3.3.1: what happened to the credential. */
const credentialChanges: Readonly<Record<string, SignalAction>> = {
  create: "record",
  update: "record",
  revoke: "pause",
  delete: "pause",
};

/**
 * Reads the event of a security event token.
 *
 * @throws {SignalError} `event`: it lacks what its standard requires.
 */
export function readSignalEvent(type: string, event: JsonObject): SignalEvent {
  if (type === `${ssf}verification`) return { kind: "verification", state: readState(event) };
  if (type === `${ssf}stream-updated`) return { kind: "stream_updated", status: readStatus(event["status"]) };
  const name = Object.hasOwn(personEvents, type)
    ? personEvents[type as keyof typeof personEvents]
    : undefined;
  if (name === undefined) return { kind: "unknown" };
  const newValue = name === "identifier-changed" ? readNewValue(event) : undefined;
  const action = name === "credential-change" ? readCredentialChange(event) : actions[name];
  return { kind: "person", name, action, newValue };
}

function readNewValue({ "new-value": value }: JsonObject): string | undefined {
  return typeof value === "string" && value !== "" ? shortText(value, 254) : undefined;
}

/** The status of a stream as transmitters name it (SSF 1.0 §8.1.2). @throws {SignalError} `event` */
export function readStatus(status: unknown): "enabled" | "paused" | "disabled" {
  if (status === "enabled" || status === "paused" || status === "disabled") return status;
  throw new SignalError("event");
}

function readCredentialChange({ change_type: change }: JsonObject): SignalAction {
  const action =
    typeof change === "string" && Object.hasOwn(credentialChanges, change)
      ? credentialChanges[change]
      : undefined;
  if (action === undefined) throw new SignalError("event");
  return action;
}

function readState({ state }: JsonObject): string | undefined {
  if (state === undefined) return undefined;
  if (typeof state !== "string" || state.length > 256) throw new SignalError("event");
  return state;
}
