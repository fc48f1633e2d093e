import { createHmac, randomInt, randomUUID } from "node:crypto";
import type { ProofChecker } from "@authz/dpop";
import { OAuthError } from "../../protocol/oauth-error.js";
import { refuseRepeated } from "../../protocol/parameters.js";
import { createSecret, hashSecret } from "../../protocol/secrets.js";
import { grantTypes, lifetimes, paths, pollIntervalSeconds } from "../../protocol/vocabulary.js";
import type { DeviceAuthorization } from "../../store/device-authorizations.js";
import type { Store } from "../../store/store.js";
import {
  authenticateClient,
  type AuthenticatedClient,
  readClientCredentials,
  requireGrantType,
  type FormRequest,
} from "../clients/authenticate.js";
import { type ClientSources, findClient } from "../clients/metadata-document/client-documents.js";
import { readProof, useUp } from "../clients/proof.js";
import { findRequestedResource } from "../requested-resource.js";
import { parseKeyBinding, parseRequestedScopes } from "./authorize/request.js";

interface DeviceDependencies extends Pick<ClientSources, "clientDocuments"> {
  readonly store: Store;
  readonly issuer: string;
  readonly now: Date;
  readonly proofChecker: Pick<ProofChecker, "check">;
  readonly sessionSecret: Buffer;
}

/** What a device shows to its user, and polls with (RFC 8628 §3.2). */
interface DeviceAuthorizationResponse {
  readonly device_code: string;
  readonly user_code: string;
  readonly verification_uri: string;
  readonly verification_uri_complete: string;
  readonly expires_in: number;
  readonly interval: number;
}

/**
 * Begins the sign-in of a device that has no browser (RFC 8628).
 *
 * A device that names its key, with a `DPoP` header or with `dpop_jkt`, has its code bound to the key like a pushed request, and the
 * consent page shows which device asks. RFC 8628 knows neither, so any other device is bound when it gets its tokens.
 *
 * @throws {OAuthError}
 */
export async function authorizeDevice(
  request: FormRequest,
  dependencies: DeviceDependencies,
): Promise<DeviceAuthorizationResponse> {
  const { store, issuer, now, proofChecker } = dependencies;
  const { parameters, dpop, clientAddress } = request;
  refuseRepeated(parameters, ["scope", "dpop_jkt"]);
  const credentials = readClientCredentials(request);
  const found = await findClient(credentials.clientId, clientAddress, dependencies);
  const authenticated = authenticateClient(found, credentials, { issuer, now });
  const { client } = authenticated;
  requireGrantType(client, grantTypes.deviceCode);
  const proof = readProof(
    { dpop, method: "POST", url: `${issuer}${paths.deviceAuthorization}` },
    proofChecker,
  );
  const dpopJkt = parseKeyBinding(parameters, proof?.thumbprint);
  const resource = await findRequestedResource(parameters, client, store);
  const scopes = parseRequestedScopes(parameters.get("scope"), client, resource);
  const deviceCode = createSecret();
  const device = {
    deviceCodeHash: hashSecret(deviceCode),
    resourceId: resource?.id ?? null,
    scopes,
    dpopJkt: dpopJkt ?? null,
  };
  const userCode = await store.transaction(async (transaction) => {
    await useUp(transaction, { proof, assertionUse: authenticated.assertionUse });
    return await insertDevice(transaction, { ...device, client, clientAddress }, dependencies);
  });
  const verificationUri = `${issuer}${paths.device}`;
  return {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: verificationUri,
    verification_uri_complete: `${verificationUri}?user_code=${userCode}`,
    expires_in: lifetimes.deviceAuthorization,
    interval: pollIntervalSeconds,
  };
}

/** Stores a device under an unused user code. */
async function insertDevice(
  store: Store,
  {
    client,
    clientAddress,
    ...device
  }: Pick<DeviceAuthorization, "deviceCodeHash" | "resourceId" | "scopes" | "dpopJkt"> &
    Pick<AuthenticatedClient, "client"> &
    Pick<FormRequest, "clientAddress">,
  { now, sessionSecret }: DeviceDependencies,
): Promise<string> {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const userCode = createUserCode();
    const inserted = await store.deviceAuthorizations.insert(
      {
        ...device,
        id: randomUUID(),
        userCodeHash: hashUserCode(userCode, sessionSecret),
        clientId: client.id,
        createdAt: now,
        expiresAt: new Date(now.getTime() + lifetimes.deviceAuthorization * 1000),
        intervalSeconds: pollIntervalSeconds,
        answer: null,
        usedAt: null,
      },
      clientAddress(),
    );
    if (inserted) return userCode;
  }
  throw new OAuthError(
    "temporarily_unavailable",
    "no_user_code",
    "Too many devices are signing in. Try again.",
  );
}

/** No vowels, which could form words, and no ambiguous characters (RFC 8628 §6.1). */
const alphabet = "BCDFGHJKLMNPQRSTVWXZ";
const length = 8;
const codeText = new RegExp(`^[${alphabet}]{${length}}$`);

/** A new code of 34 random bits for typing on another device: `WDJB-MJHT`. */
export function createUserCode(): string {
  const code = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
  return withHyphen(code);
}

/** Normalizes a typed code: capitals with a hyphen. `undefined` when it cannot be one. */
export function readUserCode(text: string | undefined): string | undefined {
  if (text === undefined || text.length > 64) return undefined;
  const letters = text.toUpperCase().replace(/[\s.‐-―_-]/gu, "");
  return codeText.test(letters) ? withHyphen(letters) : undefined;
}

/** The stored form of a code. Keyed, because a plain hash of a code this short could be reversed. */
export function hashUserCode(code: string, sessionSecret: Buffer): Buffer {
  return createHmac("sha256", sessionSecret).update(`user-code:${code}`).digest();
}

function withHyphen(letters: string): string {
  return `${letters.slice(0, 4)}-${letters.slice(4)}`;
}
