import { AuthzClientError, type AuthzClientErrorCode, type RequestSent } from "../errors.js";
import type { NextStep } from "../next-step.js";
import type { Connection } from "./connection.js";
import { reconnectReason } from "./reconnect-reason.js";

/** What is known of a connection when something is refused: its name always, the rest when it was asked for. */
export interface KnownConnection {
  connector: string;
  connection?: Connection | undefined;
}

/** A refusal as the server words it. */
export interface Refusal {
  error: string;
  description?: string | undefined;
  /** Permissions that are missing. */
  scopes?: readonly string[];
  /** Set when a request was to be sent on. */
  sent?: RequestSent | undefined;
  retryAfterSeconds?: number | undefined;
}

interface Words {
  code: AuthzClientErrorCode;
  what: string;
  why?: string;
  hint: string;
  next?: NextStep;
}

/** Refusals that these words say in full; for the others the server knows more. */
const SAID_IN_FULL: ReadonlySet<string> = new Set([
  "not_found",
  "not_connected",
  "disconnecting",
  "connector_disabled",
  "insufficient_scope",
]);

/** The server's own words for what {@link sentence} says. */
const SAYS_WHAT_WAS_SENT = /\bnothing was sent\b|\bbefore you send it again\b/i;

type Wording = (known: { connector: string; name: string; connection: Connection | undefined }) => Words;

const connect = (connection: string): NextStep => ({ do: "connect", connection });
const show = (connection: string): NextStep => ({ do: "show_connection", connection });

/** What each refusal of the server means to the person. `why` is what to say when the server gives no reason. */
const WORDINGS: Readonly<Record<string, Wording>> = {
  not_found: ({ connector }) => ({
    code: "not_found",
    what: `There is no connection "${connector}".`,
    why: "No administrator has set it up, or it is switched off.",
    hint: "See which there are",
    next: { do: "list_connections" },
  }),
  not_connected: ({ connector, name }) => ({
    code: "not_connected",
    what: `Your account at ${name} is not connected.`,
    hint: "Connect it",
    next: connect(connector),
  }),
  reconnect_required: ({ connector, name, connection }) => ({
    code: "reconnect_required",
    what: `Your account at ${name} has to be connected again.`,
    why: reconnectReason(connection?.reason, name),
    hint: "Connect it again",
    next: connect(connector),
  }),
  disconnecting: ({ connector, name }) => ({
    code: "disconnecting",
    what: `Your account at ${name} is being disconnected.`,
    hint: "Wait a minute, then connect it again",
    next: connect(connector),
  }),
  connector_disabled: ({ name }) => ({
    code: "connector_disabled",
    what: `${name} is switched off here.`,
    hint: "Ask an administrator.",
  }),
  insufficient_scope: ({ connector, name, connection }) => ({
    code: "scope_not_granted",
    what: `You lack a permission that using ${name} takes.`,
    ...(connection === undefined || connection.requiredScopes.length === 0
      ? {}
      : { why: `It takes ${connection.requiredScopes.join(", ")}.` }),
    hint: "Ask an administrator for it. See what is missing",
    next: show(connector),
  }),
  invalid_target: () => ({
    code: "invalid_request",
    what: "The server refuses this address.",
    hint: "Write it out plainly, like https://api.example.com/items/1",
  }),
  target_not_allowed: ({ connector, name, connection }) => ({
    code: "target_not_allowed",
    what: `This address is not among those of ${name} that can be called.`,
    ...(connection === undefined ? {} : { why: `They begin with ${connection.requestPrefixes.join(", ")}.` }),
    hint: "Check the address. An administrator can allow more. See what is allowed",
    next: show(connector),
  }),
  method_not_allowed: ({ connector, name, connection }) => ({
    code: "method_not_allowed",
    what: `This method cannot be used with ${name}.`,
    ...(connection === undefined ? {} : { why: `It allows ${connection.methods.join(", ")}.` }),
    hint: "An administrator can allow more. See what is allowed",
    next: show(connector),
  }),
  request_too_large: ({ name }) => ({
    code: "request_too_large",
    what: `The body is larger than ${name} may be sent.`,
    hint: "Send less, or ask an administrator to raise the limit.",
  }),
  response_too_large: ({ name }) => ({
    code: "response_too_large",
    what: `The answer of ${name} is larger than the server passes on.`,
    hint: "Ask for less, for example for a page, or ask an administrator to raise the limit.",
  }),
  rate_limited: ({ name }) => ({
    code: "rate_limited",
    what: `You have sent too many requests to ${name} in a short time.`,
    hint: "Wait, then try again.",
  }),
  provider_unreachable: ({ name }) => ({
    code: "unreachable",
    what: `${name} could not be reached.`,
    hint: "Try again later.",
  }),
  provider_timeout: ({ name }) => ({
    code: "unreachable",
    what: `${name} did not answer in time.`,
    hint: "Try again later, or ask for less.",
  }),
  refresh_unavailable: ({ name }) => ({
    code: "unreachable",
    what: `${name} did not renew the server's access to your account.`,
    hint: "Try again in a minute.",
  }),
  temporarily_unavailable: () => ({
    code: "unreachable",
    what: "The server cannot take this request at the moment.",
    hint: "Try again in a moment.",
  }),
  connector_key_unavailable: ({ name }) => ({
    code: "refused",
    what: `The server cannot read or keep the access to your account at ${name}.`,
    hint: "Nothing you did is wrong. Show this message to your administrator.",
  }),
  invalid_scope: ({ connector }) => ({
    code: "invalid_request",
    what: "A scope is not among those that can be asked for.",
    hint: "See which can be",
    next: show(connector),
  }),
  invalid_request: () => ({
    code: "invalid_request",
    what: "The server does not take this request.",
    hint: "Correct it and try again.",
  }),
};

/** The error for a refusal of the server, or for one the client foresees; undefined for a reason nobody knows. */
export function connectionRefused(
  refusal: Refusal,
  { connector, connection }: KnownConnection,
): AuthzClientError | undefined {
  const wording = Object.hasOwn(WORDINGS, refusal.error) ? WORDINGS[refusal.error] : undefined;
  if (wording === undefined) return undefined;
  const name = connection?.name ?? connector;
  const { code, what, why, ...offered } = wording({ connector, name, connection });
  const { sent, retryAfterSeconds } = refusal;
  const { scopes = [] } = refusal;
  const description = SAID_IN_FULL.has(refusal.error) ? undefined : refusal.description;
  const missing = scopes.length === 0 ? undefined : `Missing: ${scopes.join(", ")}.`;
  const explained = missing ?? description ?? why ?? "";
  const outcome = SAYS_WHAT_WAS_SENT.test(explained) ? "" : sentence(sent, name);
  const reason = [explained, outcome].filter(Boolean).join(" ");
  return new AuthzClientError(code, {
    what,
    ...(reason === "" ? {} : { why: reason }),
    ...hintFor({ code, ...offered, sent, retryAfterSeconds }),
    missingScopes: scopes,
    ...(sent === undefined ? {} : { sent }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

function hintFor({
  code,
  hint,
  next,
  sent,
  retryAfterSeconds: seconds,
}: Pick<Words, "code" | "hint" | "next"> & Pick<Refusal, "sent" | "retryAfterSeconds">): Pick<
  Words,
  "hint" | "next"
> {
  if (code === "unreachable" && sent === "maybe") return { hint: LOOK_FIRST };
  if (seconds === undefined) return next === undefined ? { hint } : { hint, next };
  return { hint: `Wait ${String(seconds)} second${seconds === 1 ? "" : "s"}, then try again.` };
}

/** The same for a refusal that is known to have words. */
export function foreseen(refusal: Refusal, known: KnownConnection): AuthzClientError {
  const error = connectionRefused(refusal, known);
  if (error === undefined) throw new TypeError(`${refusal.error} has no words.`);
  return error;
}

/** What to do when nobody knows whether a request has arrived. */
export const LOOK_FIRST =
  "What only reads can be sent again. Otherwise look first whether it was carried out.";

/** What a caller must know before trying again. */
export function sentence(sent: RequestSent | undefined, name: string): string {
  if (sent === undefined) return "";
  return sent === "no" ? "Nothing was sent." : `The request may have reached ${name}.`;
}
