import { randomBytes } from "node:crypto";
import { recordAudit } from "../../../audit/record.js";
import type { Refusal, RefusalRecord } from "../../../audit/refusals.js";
import { OAuthError } from "../../../protocol/oauth-error.js";
import { registeredClient } from "../../../store/clients.js";
import type { OpenStore } from "../../../store/store.js";
import { invalidRedirect, type Registration } from "./read-registration.js";

/** More than people use at a time: each program on each computer registers once, and the oldest without a grant makes room. */
const mostRegistrations = 10_000;

/** What a client that registered itself hears (RFC 7591 §3.2.1). It has no secret, and nothing to manage itself with. */
export interface RegistrationResponse {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: "none";
  readonly grant_types: readonly string[];
  readonly response_types: readonly ["code"];
  readonly dpop_bound_access_tokens: boolean;
}

export interface RegistrationContext {
  readonly store: Pick<OpenStore, "transaction">;
  /** Of the address that the client registers from. */
  readonly refusals: RefusalRecord;
  readonly at: Date;
  readonly requestId: string;
}

/**
 * Registers a client, unless that is switched off: then the result is `undefined`.
 *
 * @throws {OAuthError} `invalid_redirect_uri`: a host of its redirects is not allowed. `temporarily_unavailable`: there is no room.
 */
export async function registerClient(
  { name, redirectUris, hosts, dpopBound, grantTypes }: Registration,
  { store, refusals, at, requestId }: RegistrationContext,
): Promise<RegistrationResponse | undefined> {
  const source = "dynamic_registration";
  const id = `dynamic-${randomBytes(16).toString("hex")}`;
  const event: Refusal = {
    type: "client.registered",
    outcome: "success",
    actor: { type: "system" },
    at,
    clientId: id,
    requestId,
    data: { source, name, redirectUris },
  };
  const isRecorded = await refusals.admit(event);
  const isDone = await store.transaction(async (transaction) => {
    const { settings, appHosts, clients } = transaction;
    await settings.hold();
    if (!(await settings.get()).dynamicRegistration) return false;
    const allowed = new Set(await appHosts.findAllowed(hosts));
    if (!hosts.every((host) => allowed.has(host))) throw invalidRedirect();
    if (!(await clients.makeRoom({ source, host: null, most: mostRegistrations }))) throw noRoom();
    const said = { name, redirectUris, dpopBound, grantTypes };
    const decided = { type: "public", keys: [], source, builtIn: false, enabled: true } as const;
    await clients.insertMissing({ ...registeredClient, ...said, ...decided, id }, at);
    if (isRecorded) await recordAudit(transaction, event);
    return true;
  });
  if (!isDone) return undefined;
  return {
    client_id: id,
    client_id_issued_at: Math.floor(at.getTime() / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: "none",
    grant_types: grantTypes,
    response_types: ["code"],
    dpop_bound_access_tokens: dpopBound,
  };
}

function noRoom(): OAuthError {
  return new OAuthError(
    "temporarily_unavailable",
    "registrations_full",
    "There are too many apps here that registered themselves and that people are signed in with. Try again later.",
    { retryAfterSeconds: 60 },
  );
}
