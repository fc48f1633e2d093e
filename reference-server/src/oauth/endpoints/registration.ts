import { randomBytes } from "node:crypto";
import { type JsonObject, JwsError, parseStrictJsonObject } from "@authz/dpop/jws";
import type { FastifyInstance } from "fastify";
import { recordAudit } from "../../audit/record.js";
import type { Refusal, RefusalRecord } from "../../audit/refusals.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { redirectHosts, redirectPlace, redirectUriFault } from "../../protocol/redirect-uri.js";
import { type GrantTypeName, grantTypes, paths } from "../../protocol/vocabulary.js";
import { registeredClient } from "../../store/clients.js";
import type { OpenStore } from "../../store/store.js";
import { readClientName, readGrantTypes, readTexts } from "../clients/client-metadata.js";
import type { OauthContext } from "../context.js";

/** As for a metadata document, which has the same content. */
const largestBody = 5 * 1024;
const jsonType = /^application\/json[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i;

/** Mounts the registration endpoint (RFC 7591 §3). While it is switched off there is nothing at its address. */
export function registerRegistration(app: FastifyInstance, oauth: OauthContext): void {
  const { store } = oauth;
  app.post(paths.registration, { bodyLimit: largestBody }, async (request, reply) => {
    if (!(await store.settings.get()).dynamicRegistration) return reply.callNotFound();
    if (!jsonType.test(request.headers["content-type"] ?? "")) {
      const message = "The body must be sent as application/json.";
      throw new OAuthError("invalid_client_metadata", "content_type", message);
    }
    const registration = readRegistration((request.body as Buffer | undefined) ?? new Uint8Array());
    const registered = await registerClient(registration, {
      store,
      refusals: oauth.refusals.from(app.addressOf(request)),
      at: oauth.now(),
      requestId: request.id,
    });
    if (registered === undefined) return reply.callNotFound();
    return await reply.code(201).send(registered);
  });
}

/** Maximum registrations: above any use, since each program registers once per computer. The oldest without a grant is evicted. */
const mostRegistrations = 10_000;

/** The answer to a registration (RFC 7591 §3.2.1). The client gets no secret and no way to change its registration. */
interface RegistrationResponse {
  readonly client_id: string;
  readonly client_id_issued_at: number;
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly token_endpoint_auth_method: "none";
  readonly grant_types: readonly string[];
  readonly response_types: readonly ["code"];
  readonly dpop_bound_access_tokens: boolean;
}

interface RegistrationContext {
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
async function registerClient(
  { hosts, ...described }: Registration,
  { store, refusals, at, requestId }: RegistrationContext,
): Promise<RegistrationResponse | undefined> {
  const { name, redirectUris } = described;
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
    const decided = { type: "public", keys: [], source, builtIn: false, enabled: true } as const;
    await clients.insertMissing({ ...registeredClient, ...described, ...decided, id }, at);
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
    grant_types: described.grantTypes,
    response_types: ["code"],
    dpop_bound_access_tokens: described.dpopBound,
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

const { authorizationCode, refreshToken } = grantTypes;

/** The accepted metadata of a client that registers. */
interface Registration {
  readonly name: string;
  readonly redirectUris: readonly string[];
  /** The hosts of its redirects that are not on the person's own computer. */
  readonly hosts: readonly string[];
  readonly dpopBound: boolean;
  readonly grantTypes: readonly GrantTypeName[];
}

/**
 * Reads client metadata (RFC 7591 §2): a public client with the authorization code flow. Unknown members are ignored.
 *
 * @throws {OAuthError} `invalid_client_metadata` or `invalid_redirect_uri`
 */
function readRegistration(body: Uint8Array): Registration {
  const metadata = parse(body);
  const method = metadata["token_endpoint_auth_method"] ?? "none";
  if (method !== "none") {
    throw invalidMetadata(
      "registration_method",
      "Clients that register themselves have no secret and no key here: the token_endpoint_auth_method must be none.",
    );
  }
  const listed = readGrantTypes(metadata) ?? [];
  if (!listed.includes(authorizationCode)) {
    throw invalidMetadata(
      "registration_flow",
      "The grant_types must include authorization_code, and the response_types code.",
    );
  }
  const redirectUris = readRedirectUris(metadata["redirect_uris"]);
  return {
    name: readName(metadata["client_name"], redirectUris),
    redirectUris,
    hosts: redirectHosts(redirectUris),
    dpopBound: metadata["dpop_bound_access_tokens"] === true,
    grantTypes: listed.filter((grantType) => grantType === authorizationCode || grantType === refreshToken),
  };
}

/** The refusal of a redirect that a client that registers itself cannot have. */
function invalidRedirect(): OAuthError {
  return new OAuthError(
    "invalid_redirect_uri",
    "registration_redirect",
    "Redirects must be http to 127.0.0.1, [::1] or localhost, or https at a host that an administrator has allowed.",
  );
}

function parse(body: Uint8Array): JsonObject {
  try {
    return parseStrictJsonObject(body);
  } catch (error) {
    if (!(error instanceof JwsError)) throw error;
    throw invalidMetadata("registration_malformed", "The body must be one JSON object, each member once.");
  }
}

function readRedirectUris(value: unknown): readonly string[] {
  const uris = readTexts(value);
  const isGood = (uri: string) => /^https?:/.test(uri) && redirectUriFault(uri, "public") === undefined;
  if (uris === undefined || uris.length === 0 || !uris.every(isGood)) throw invalidRedirect();
  return [...new Set(uris)];
}

function readName(value: unknown, [first = ""]: readonly string[]): string {
  const name = value === undefined ? redirectPlace(first) : readClientName(value);
  if (name !== undefined) return name;
  throw invalidMetadata("registration_name", "The client_name cannot be shown: it must be 1 to 100 letters.");
}

function invalidMetadata(reason: string, message: string): OAuthError {
  return new OAuthError("invalid_client_metadata", reason, message);
}
