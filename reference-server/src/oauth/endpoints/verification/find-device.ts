import { randomUUID } from "node:crypto";
import type { StoredAuthorizationRequest } from "../../../store/authorization-requests.js";
import type { Store } from "../../../store/store.js";
import { hashUserCode } from "../user-code.js";

/**
 * Finds the device that shows a user code, and makes its wish a request of this browser, so that the same page
 * asks about it. `undefined` when no device waits with this code.
 */
export async function openDeviceRequest(
  userCode: string,
  browserHash: Buffer,
  {
    store,
    sessionSecret,
    now,
  }: { readonly store: Store; readonly sessionSecret: Buffer; readonly now: Date },
): Promise<StoredAuthorizationRequest | undefined> {
  const userCodeHash = hashUserCode(userCode, sessionSecret);
  const device = await store.deviceAuthorizations.findWaiting({ userCodeHash, now });
  if (device === undefined) return undefined;
  const request: StoredAuthorizationRequest = {
    id: randomUUID(),
    browserHash,
    clientId: device.clientId,
    target: { kind: "device", deviceId: device.id },
    resourceId: device.resourceId,
    scopes: device.scopes,
    dpopJkt: device.dpopJkt,
    prompts: [],
    maxAgeSeconds: null,
    createdAt: now,
    expiresAt: device.expiresAt,
  };
  await store.authorizationRequests.insert(request);
  return request;
}
