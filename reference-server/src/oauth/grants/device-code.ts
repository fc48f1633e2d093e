import { OAuthError } from "../../protocol/oauth-error.js";
import { requireParameter } from "../../protocol/parameters.js";
import { hashSecret } from "../../protocol/secrets.js";
import { grantTypes } from "../../protocol/vocabulary.js";
import type { Permissions } from "../../permissions/effective-scopes.js";
import type { Client } from "../../store/clients.js";
import type { Resource } from "../../store/resources.js";
import { otherTarget, readResource } from "../requested-resource.js";
import type { DeviceAnswer, DeviceAuthorization } from "../../store/device-authorizations.js";
import { beginGrant, readDeviceName } from "./issue-tokens.js";
import { type GrantContext, type GrantType, invalidGrant, type Verdict } from "./grant.js";
import { keyFault, resolvePerson } from "./person.js";
import { type Admission, admit } from "./service-access.js";

export interface DeviceInput {
  readonly deviceCode: string;
  readonly resource: string | undefined;
  readonly deviceName: string | null;
}

/** The device that polls, and the user who allowed it, if any. */
export interface DeviceSituation {
  readonly client: Client | undefined;
  readonly device: DeviceAuthorization | undefined;
  readonly person: Permissions | undefined;
  readonly resource: Resource | undefined;
  readonly stopped: boolean;
}

export interface DevicePermit extends Admission {
  readonly device: DeviceAuthorization;
  readonly answer: Extract<DeviceAnswer, { kind: "allowed" }>;
  readonly resource: Resource | undefined;
  readonly deviceName: string | null;
}

/**
 * Answers a device that polls for its tokens (RFC 8628 §3.4, §3.5).
 *
 * Of two concurrent polls one gets the tokens. The other ends nothing: a device that polls too often is no thief, and the code is
 * bound to its key.
 */
export const deviceCodeGrant: GrantType<DeviceInput, DeviceSituation, DevicePermit> = {
  parameters: ["device_code", "device_name"],

  parse: (parameters) => ({
    deviceCode: requireParameter(parameters, "device_code"),
    resource: readResource(parameters),
    deviceName: readDeviceName(parameters),
  }),

  async load(store, input, context) {
    const { clientId } = context;
    const found = await store.tokenRequests.findByDeviceCode({
      hash: hashSecret(input.deviceCode),
      clientId,
    });
    return { ...found, person: await resolvePerson(found.person, { ...context, store }) };
  },

  decide: decideDevice,

  issue({ device, answer, ...permit }, context) {
    const { authTime, amr } = answer;
    const { scopes: consented, resourceId } = device;
    const allowance = { ...permit, consented, resourceId, authTime, amr };
    const grantType = grantTypes.deviceCode;
    const { respond, audit, basis, begun } = beginGrant(allowance, context, { grantType, nonce: null });
    return {
      respond,
      audit,
      basis,
      store: (redemptions, record) => redemptions.redeemDevice({ ...record, ...begun, deviceId: device.id }),
    };
  },
};

/** Decides over one poll of a device. Pure. */
export function decideDevice(
  { device, person, resource, stopped }: Omit<DeviceSituation, "client">,
  input: DeviceInput,
  { client, proof, now, issuer }: Pick<GrantContext, "client" | "proof" | "now" | "issuer">,
): Verdict<DevicePermit> {
  if (device === undefined) return { kind: "refuse", error: invalidGrant("unknown_device_code") };
  if (device.clientId !== client.id) return { kind: "refuse", error: invalidGrant("foreign_client") };
  const wrongKey = keyFault(device.dpopJkt, proof);
  if (wrongKey !== undefined) return { kind: "refuse", error: wrongKey };

  const { answer } = device;
  const concern = { userId: answer?.userId ?? undefined, grantId: null };
  if (device.usedAt !== null) return { kind: "refuse", error: invalidGrant("device_code_reused"), concern };
  if (answer?.kind === "denied") {
    const error = new OAuthError("access_denied", "device_denied", "The request was denied in the browser.");
    return { kind: "refuse", error, concern };
  }
  if (device.expiresAt <= now) {
    const error = new OAuthError(
      "expired_token",
      "device_code_expired",
      "The device code has expired. Start again.",
    );
    return { kind: "refuse", error };
  }
  if (answer === null) return waitFor(device, now);
  if (input.resource !== undefined && input.resource !== resource?.resource)
    return { kind: "refuse", error: otherTarget(), concern };
  const admitted = admit(device.scopes, {
    person,
    client,
    resource,
    jkt: proof?.thumbprint ?? null,
    stopped,
    issuer,
  });
  if (admitted instanceof OAuthError) return { kind: "refuse", error: admitted, concern };
  return { kind: "permit", permit: { device, answer, resource, deviceName: input.deviceName, ...admitted } };
}

function waitFor({ id }: DeviceAuthorization, now: Date): Verdict<never> {
  return {
    kind: "wait",
    async ask(store) {
      const early = (await store.deviceAuthorizations.poll({ id, now })) === "too_early";
      return early
        ? new OAuthError(
            "slow_down",
            "polled_too_early",
            "Poll less often: wait five seconds longer each time.",
          )
        : new OAuthError("authorization_pending", "no_answer_yet", "Nobody has answered in the browser yet.");
    },
  };
}
