import { randomUUID } from "node:crypto";
import type { DeviceAuthorization } from "../../store/device-authorizations.js";
import type { Store } from "../../store/store.js";
import type { ProofChecker } from "@authz/dpop";
import { findRequestedResource } from "../requested-resource.js";
import { parseKeyBinding, parseRequestedScopes } from "./authorize/request.js";
import { type AuthenticatedClient, authenticateClient, requireGrantType } from "../clients/authenticate.js";
import { type ClientSources, findClient } from "../clients/find-client.js";
import { readClientCredentials } from "../clients/credentials.js";
import type { FormRequest } from "../clients/form-request.js";
import { readProof } from "../clients/proof.js";
import { useUp } from "../clients/use-up.js";
import { OAuthError } from "../../protocol/oauth-error.js";
import { refuseRepeated } from "../../protocol/parameters.js";
import { createSecret, hashSecret } from "../../protocol/secrets.js";
import { grantTypes, lifetimes, paths, pollIntervalSeconds } from "../../protocol/vocabulary.js";
import { createUserCode, hashUserCode } from "./user-code.js";

export interface DeviceDependencies extends Pick<ClientSources, "clientDocuments"> {
  readonly store: Store;
  readonly issuer: string;
  readonly now: Date;
  readonly proofChecker: Pick<ProofChecker, "check">;
  readonly sessionSecret: Buffer;
}

/** What a device shows to its person and asks with later (RFC 8628 §3.2). */
export interface DeviceAuthorizationResponse {
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
 * A device that names its key, with a `DPoP` header or with `dpop_jkt`, has its code bound to that as a pushed request
 * would be, and the consent page shows which device asks. RFC 8628 knows neither, so any other device is bound when it
 * gets its tokens.
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
  const proof = readProof({ dpop, url: `${issuer}${paths.deviceAuthorization}` }, proofChecker);
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

/** Stores a device under a user code that nobody else has. */
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
    // oxlint-disable-next-line no-await-in-loop -- a second attempt only when a code is taken
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
