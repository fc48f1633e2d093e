import type { ProofChecker, VerifiedProof } from "@authz/dpop";
import { JwsError, type ParsedJws, parseCompactJws, sha256Base64url } from "@authz/dpop/jws";
import {
  checkAudience,
  checkIssuer,
  checkLifetime,
  JwtError,
  parseJwt,
  readSubject,
  readTokenId,
} from "@authz/dpop/jwt";
import {
  authenticateClient,
  type FormRequest,
  readClientCredentials,
} from "../oauth/clients/authenticate.js";
import { type ClientSources, findClient } from "../oauth/clients/metadata-document/client-documents.js";
import { readProof } from "../oauth/clients/proof.js";
import { keyFault } from "../oauth/grants/person.js";
import type { Keys } from "../oauth/keys/keys.js";
import { checkAccess } from "../oauth/tokens/authenticate-access-token.js";
import { OAuthError } from "../protocol/oauth-error.js";
import { refuseRepeated } from "../protocol/parameters.js";
import { clientAssertionType, lifetimes, paths } from "../protocol/vocabulary.js";
import type { Client } from "../store/clients.js";
import type { Grant } from "../store/grants.js";
import type { OnceRecord } from "../store/redemptions.js";
import type { Resource } from "../store/resources.js";
import type { Store } from "../store/store.js";
import type { ServiceKeys } from "./service-keys.js";

/** What is accepted once of a request. */
interface Brought {
  readonly proof: VerifiedProof | undefined;
  readonly assertionUse: OnceRecord | undefined;
}

/** Who submits a challenge or collects a token: a client, a client with its access token, or the service itself. */
export type TransactionCaller = Brought &
  (
    | { readonly kind: "client"; readonly client: Client }
    | { readonly kind: "token"; readonly clientId: string; readonly grantId: string }
    | { readonly kind: "service"; readonly resource: Resource }
  );

export interface CallerContext extends Pick<ClientSources, "clientDocuments"> {
  readonly store: Store;
  readonly issuer: string;
  readonly keys: Pick<Keys, "publicKey">;
  readonly proofChecker: ProofChecker;
  readonly serviceKeys: ServiceKeys;
}

/** Authenticates the caller of the endpoint. What is accepted once is not used up yet. @throws {OAuthError} */
export async function authenticateCaller(
  request: FormRequest,
  context: CallerContext & { readonly now: Date },
): Promise<TransactionCaller> {
  const { parameters, authorization, dpop } = request;
  if (authorization.length > 0 && parameters.get("client_assertion") === undefined) {
    const protectedRequest = { method: "POST", url: paths.transaction, authorization, dpop };
    const { claims, proof } = checkAccess(protectedRequest, context);
    const { clientId, grantId } = claims;
    return { kind: "token", clientId, grantId, proof, assertionUse: undefined };
  }
  const service = await findService(request, context);
  if (service !== undefined) return await authenticateService(request, service, context);
  const credentials = readClientCredentials(request);
  const found = await findClient(credentials.clientId, request.clientAddress, context);
  const place = { issuer: context.issuer, now: context.now, endpoint: paths.transaction };
  const { client, assertionUse } = authenticateClient(found, credentials, place);
  const url = `${context.issuer}${paths.transaction}`;
  const proof = readProof({ dpop, method: "POST", url }, context.proofChecker);
  return { kind: "client", client, proof, assertionUse };
}

const assertionKind = { type: "client-authentication+jwt", maxBytes: 4096 };

/** The service that an assertion names. A request with a `client_id` is a client's. */
async function findService(
  { parameters }: FormRequest,
  { store }: Pick<CallerContext, "store">,
): Promise<Resource | undefined> {
  const assertion = parameters.get("client_assertion");
  if (assertion === undefined || parameters.get("client_id") !== undefined) return undefined;
  const { sub } = parseAssertion(assertion)?.payload ?? {};
  if (typeof sub !== "string" || !URL.canParse(sub) || sub.includes("\0")) return undefined;
  return await store.resources.findByIdentifier(sub);
}

function parseAssertion(assertion: string): ParsedJws | undefined {
  try {
    return parseCompactJws(assertion, assertionKind);
  } catch (error) {
    if (error instanceof JwsError) return undefined;
    throw error;
  }
}

/** @throws {OAuthError} `invalid_client`, `temporarily_unavailable` */
async function authenticateService(
  { parameters }: FormRequest,
  resource: Resource,
  { issuer, now, serviceKeys }: Pick<CallerContext, "issuer" | "serviceKeys"> & { readonly now: Date },
): Promise<TransactionCaller> {
  refuseRepeated(parameters, ["client_assertion", "client_assertion_type"]);
  const assertion = parameters.get("client_assertion") ?? "";
  if (parameters.get("client_assertion_type") !== clientAssertionType)
    throw invalidService("client_assertion_type");
  const { jti, expiresAt } = refusing(() => {
    const { claims } = parseJwt(assertion, assertionKind);
    checkIssuer(claims, resource.resource);
    if (readSubject(claims) !== resource.resource) throw new JwtError("subject");
    checkAudience(claims, issuer);
    const limits = { now: Math.floor(now.getTime() / 1000), maximum: lifetimes.clientAssertion };
    return { jti: readTokenId(claims), expiresAt: checkLifetime(claims, limits).expiresAt };
  });
  if (!resource.enabled || resource.builtIn) throw invalidService("service_disabled");
  if (!(await serviceKeys.isSigned(assertion, resource))) throw invalidService("assertion_signature");
  const assertionUse = { key: `service:${resource.id}.${sha256Base64url(jti)}`, expiresAt };
  return { kind: "service", resource, proof: undefined, assertionUse };
}

function refusing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JwtError) throw invalidService(`assertion_${error.reason}`);
    throw error;
  }
}

function invalidService(reason: string): OAuthError {
  const message =
    "The service did not prove who it is. Check the key, typ, iss, sub, aud, exp and jti of its client_assertion, and the clock.";
  return new OAuthError("invalid_client", reason, message);
}

/** Why a caller may not act for this grant at this service, or `undefined` when it may. */
export function callerFault(
  caller: TransactionCaller,
  { grant, resource }: { readonly grant: Grant; readonly resource: Pick<Resource, "id"> },
): OAuthError | undefined {
  if (caller.kind === "service")
    return caller.resource.id === resource.id ? undefined : foreign("foreign_service");
  if (caller.kind === "token") return caller.grantId === grant.id ? undefined : foreign("foreign_grant");
  if (caller.client.id !== grant.clientId) return foreign("foreign_client");
  // A public client proves nothing but the key of its grant. Without one it sends its access token.
  if (grant.jkt === null && caller.client.type === "public") return foreign("public_client");
  return keyFault(grant.jkt, caller.proof);
}

function foreign(reason: string): OAuthError {
  const message =
    "The transaction belongs to another client, session or service. Send the grant's key or an access token of this server for the same sign-in.";
  return new OAuthError("invalid_grant", reason, message);
}
