import { randomBytes } from "node:crypto";
import type { TestAuthorizationServer } from "./test-authorization-server.js";
import { oauthError, type TestAnswer } from "./test-http.js";

/** A device that waits for its person (RFC 8628). Times are epoch seconds. */
export interface TestDevice {
  deviceCode: string;
  userCode: string;
  jkt: string;
  interval: number;
  expiresAt: number;
  polledAt: number;
  answer: "allowed" | "denied" | undefined;
  used: boolean;
}

export const deviceCodeGrant = "urn:ietf:params:oauth:grant-type:device_code";

/** The device endpoint, the page where the person agrees at once, and the grant. */
export interface TestDeviceGrants {
  authorize(form: URLSearchParams, jkt: string): TestAnswer;
  visit(userCode: string | null): TestAnswer;
  /** The device that may have its tokens now, or the answer to its question. */
  poll(deviceCode: string | null, jkt: string): TestDevice | TestAnswer;
}

export function createTestDeviceGrants(
  server: TestAuthorizationServer,
  clock: () => number,
): TestDeviceGrants {
  const now = (): number => Math.floor(clock() / 1000);
  return {
    authorize: (form, jkt) => {
      if (form.get("client_id") !== "authz-cli") return oauthError(400, "invalid_client");
      if ((form.get("dpop_jkt") ?? jkt) !== jkt) return oauthError(400, "invalid_dpop_proof");
      const device: TestDevice = {
        deviceCode: randomBytes(32).toString("base64url"),
        userCode: `WDJB-${randomBytes(2).toString("hex").toUpperCase()}`,
        jkt,
        interval: 5,
        expiresAt: now() + 600,
        polledAt: 0,
        answer: undefined,
        used: false,
      };
      server.devices.push(device);
      const body: Record<string, unknown> = {
        device_code: device.deviceCode,
        user_code: device.userCode,
        verification_uri: `${server.origin}/device`,
        verification_uri_complete: `${server.origin}/device?user_code=${device.userCode}`,
        expires_in: 600,
        interval: device.interval,
      };
      server.rewriteDeviceAnswer?.(body);
      return { status: 200, body };
    },
    visit: (userCode) => {
      const device = server.devices.find((candidate) => candidate.userCode === userCode);
      if (device !== undefined) device.answer = "allowed";
      return { status: device === undefined ? 404 : 200, body: "" };
    },
    poll: (deviceCode, jkt) => {
      const device = server.devices.find((candidate) => candidate.deviceCode === deviceCode);
      if (device === undefined || device.jkt !== jkt || device.used) return oauthError(400, "invalid_grant");
      if (device.answer === "denied") return oauthError(400, "access_denied", "Ask Aisha.");
      if (device.expiresAt <= now()) return oauthError(400, "expired_token");
      if (device.answer === undefined) {
        const early = now() - device.polledAt < device.interval;
        if (early) device.interval += 5;
        device.polledAt = now();
        return oauthError(400, early ? "slow_down" : "authorization_pending");
      }
      device.used = true;
      return device;
    },
  };
}
