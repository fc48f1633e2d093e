import { AuthzClientError, type AuthzClientErrorReason, type RequestSent } from "../errors.js";
import { isScope } from "@authz/dpop/jwt";
import { readJsonObject } from "../transport/read-json.js";
import type { TransportAnswer } from "../transport/transport.js";
import type { Connection } from "./connection.js";

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
  authorizationUri?: string | undefined;
  expiresInSeconds?: number | undefined;
}

/** Reads an answer that is a refusal; undefined when it does not look like one of this server. Reads the body in any case. */
export async function readRefusal(answer: TransportAnswer, from: string): Promise<Refusal | undefined> {
  const body = await readJsonObject(answer, from).catch((error: unknown) => {
    if (error instanceof AuthzClientError) return undefined;
    throw error;
  });
  if (typeof body?.error !== "string") return undefined;
  const { error, error_description: description, scope, sent } = body;
  const { authorization_uri: uri, expires_in: expiresIn } = body;
  const seconds = answer.headers["retry-after"] ?? "";
  return {
    error,
    ...(typeof description === "string" && description !== "" ? { description } : {}),
    ...(typeof scope === "string" ? { scopes: scope.split(" ").filter(isScope) } : {}),
    ...(sent === "no" || sent === "maybe" ? { sent } : {}),
    ...(isWebAddress(uri) ? { authorizationUri: uri } : {}),
    ...(typeof expiresIn === "number" && expiresIn > 0 ? { expiresInSeconds: expiresIn } : {}),
    ...(/^\d{1,6}$/.test(seconds) ? { retryAfterSeconds: Number(seconds) } : {}),
  };
}

/** An address that a person can open. */
function isWebAddress(value: unknown): value is string {
  if (typeof value !== "string" || value.length > 2048 || !URL.canParse(value)) return false;
  return ["https:", "http:"].includes(new URL(value).protocol);
}

/** Refusals that our own sentences say in full; for the others the server knows more. */
const saidInFull: ReadonlySet<string> = new Set([
  "not_found",
  "not_connected",
  "disconnecting",
  "connector_disabled",
  "insufficient_scope",
]);

/** The server's own words for what {@link sentence} says. */
const saysWhatWasSent = /\bnothing was sent\b|\bbefore you send it again\b/i;

type Known = { connector: string; name: string; connection: Connection | undefined };

/** Our own reasons for refusals whose names would say too little, or something else, among all others. */
const knownReasons = {
  not_found: "connection_not_found",
  insufficient_scope: "connection_scope_missing",
  invalid_target: "connection_target_invalid",
  connector_key_unavailable: "connection_key_unavailable",
  invalid_scope: "connection_scope_invalid",
  invalid_request: "connection_request_invalid",
} as const;

type RefusalName = AuthzClientErrorReason | keyof typeof knownReasons;

/** What each refusal of the server means. */
const meanings: Readonly<Partial<Record<RefusalName, (known: Known) => string>>> = {
  not_found: ({ connector }) => `There is no connection "${connector}".`,
  not_connected: ({ name }) => `Your account at ${name} is not connected.`,
  reconnect_required: ({ name }) => `Your account at ${name} has to be connected again.`,
  disconnecting: ({ name }) => `Your account at ${name} is being disconnected.`,
  connector_disabled: ({ name }) => `${name} is disabled here.`,
  transaction_authorization_required: () => "A person must approve this request first.",
  access_denied: ({ name }) => `The request to ${name} is not allowed.`,
  insufficient_scope: ({ name }) => `You lack a permission that ${name} requires.`,
  invalid_target: () => "The server refuses this address.",
  target_not_allowed: ({ name }) => `This address cannot be called through ${name}.`,
  method_not_allowed: ({ name }) => `This method cannot be used with ${name}.`,
  request_too_large: ({ name }) => `The body is too large to send to ${name}.`,
  response_too_large: ({ name }) => `The answer from ${name} is too large for the server to pass on.`,
  rate_limited: ({ name }) => `You have sent too many requests to ${name} in a short time.`,
  provider_unreachable: ({ name }) => `${name} could not be reached.`,
  provider_timeout: ({ name }) => `${name} did not answer in time.`,
  refresh_unavailable: ({ name }) => `${name} did not renew the server's access to your account.`,
  temporarily_unavailable: () => "The server cannot take this request at the moment.",
  connector_key_unavailable: ({ name }) =>
    `The server cannot read or keep the access to your account at ${name}.`,
  invalid_scope: () => "A scope is not among those that can be requested.",
  invalid_request: () => "The server does not accept this request.",
};

/** Why it was refused, when the server does not say. */
function ownReason(error: string, { name, connection }: Known): string | undefined {
  if (error === "not_found") return "No administrator has set it up, or it is disabled.";
  if (error === "reconnect_required") return reconnectReason(connection?.reason, name);
  if (connection === undefined) return undefined;
  const { requiredScopes, requestPrefixes, methods } = connection;
  if (error === "insufficient_scope" && requiredScopes.length > 0)
    return `It requires ${requiredScopes.join(", ")}.`;
  if (error === "target_not_allowed") return `They begin with ${requestPrefixes.join(", ")}.`;
  return error === "method_not_allowed" ? `It allows ${methods.join(", ")}.` : undefined;
}

/** The error for a refusal of the server, or for one the client foresees; undefined for an unknown reason. */
export function connectionRefused(
  refusal: Refusal,
  { connector, connection }: KnownConnection,
): AuthzClientError | undefined {
  const { error, sent, retryAfterSeconds, authorizationUri, expiresInSeconds, scopes = [] } = refusal;
  const meaning = Object.hasOwn(meanings, error) ? meanings[error as RefusalName] : undefined;
  if (meaning === undefined) return undefined;
  const name = connection?.name ?? connector;
  const known = { connector, name, connection };
  const description = saidInFull.has(error) ? undefined : refusal.description;
  const missing = scopes.length === 0 ? undefined : `Missing: ${scopes.join(", ")}.`;
  const explained = missing ?? description ?? ownReason(error, known) ?? "";
  const outcome = saysWhatWasSent.test(explained) ? "" : sentence(sent, name);
  return new AuthzClientError(reasonOf(error as RefusalName), {
    what: meaning(known),
    why: [explained, outcome].filter(Boolean).join(" ") || undefined,
    missingScopes: scopes,
    sent,
    retryAfterSeconds,
    authorizationUri,
    expiresInSeconds,
    connection: connector,
    connectionName: name,
  });
}

function reasonOf(error: RefusalName): AuthzClientErrorReason {
  return error in knownReasons
    ? knownReasons[error as keyof typeof knownReasons]
    : (error as AuthzClientErrorReason);
}

/** The same for a refusal that is known to mean something. */
export function foreseen(refusal: Refusal, known: KnownConnection): AuthzClientError {
  const error = connectionRefused(refusal, known);
  if (error === undefined) throw new TypeError(`${refusal.error} means nothing.`);
  return error;
}

/** What a caller must know before trying again. */
export function sentence(sent: RequestSent | undefined, name: string): string {
  if (sent === undefined) return "";
  return sent === "no" ? "Nothing was sent." : `The request may have reached ${name}.`;
}

/** Why a connection has to be made again, as a sentence. */
export function reconnectReason(reason: string | undefined, name: string): string {
  switch (reason ?? "") {
    case "refused":
      return `${name} no longer accepts the access: it was revoked there, or it has expired.`;
    case "rotation_lost":
      return `An answer from ${name} was lost while the access was being renewed.`;
    case "grant_shrunk":
      return `${name} has revoked a required permission.`;
    case "expired":
      return "The access has expired and cannot be renewed.";
    case "client_changed":
      return `An administrator has changed how this server signs in at ${name}.`;
    case "unreadable":
      return "The server can no longer read the stored access.";
    default:
      return "The access no longer works.";
  }
}
