import { setTimeout as delay } from "node:timers/promises";
import type { Answer, RawDevice } from "../support/raw-device.js";
import { audience, resource } from "./installation.js";

/** An answer with tokens that a client has seen. */
export interface Success {
  readonly kind: "code" | "refresh" | "exchange";
  readonly tokenId: string;
  /** Of a code or a refresh. */
  readonly grantId: string | undefined;
  readonly refreshToken: string | undefined;
}

/** Everything a client saw. */
export interface Ledger {
  /** Thumbprints of the devices. */
  readonly keys: Set<string>;
  readonly successes: Success[];
  /** Requests whose outcome the client cannot know: no answer, or one that says the server failed. */
  unclear: number;
  /** Log-ins that were over without a reason that the client knows of, and answers that should not exist. */
  readonly surprises: string[];
}

export function emptyLedger(): Ledger {
  return { keys: new Set(), successes: [], unclear: 0, surprises: [] };
}

export interface LoadDeviceOptions {
  readonly device: RawDevice;
  readonly codes: readonly string[];
  readonly ledger: Ledger;
  /** Where the next request goes. */
  readonly origin: () => string;
  readonly onSuccess: () => void;
}

/**
 * A client at work: redeems a code, refreshes, exchanges, over and over. After an unclear answer it does the same again
 * with a fresh proof. A code may be used up by then, and the next one is taken; a grant goes on for good.
 */
export async function runLoadDevice(options: LoadDeviceOptions, isOver: () => boolean): Promise<void> {
  const { device, codes, ledger } = options;
  ledger.keys.add(device.signer.thumbprint);
  for (const code of codes) {
    let token = await insist(device.codeParameters(code), "code");
    for (let turn = 0; token !== undefined && !isOver(); turn += 1) {
      token = await insist(device.refreshParameters(token.refreshToken ?? ""), "refresh");
      if (token !== undefined && turn % 3 === 0)
        await insist(exchangeParameters(token.refreshToken), "exchange");
    }
    if (isOver()) return;
  }
  ledger.surprises.push("A device has used up all its codes.");

  /** `undefined`: the grant is over, or the test is. */
  async function insist(
    parameters: Readonly<Record<string, string | undefined>>,
    kind: Success["kind"],
  ): Promise<Success | undefined> {
    for (let unclear = 0; !isOver(); ) {
      const answer = await attempt(device, parameters, options.origin());
      if (answer === "not-sent") await delay(20);
      else if (answer === "unclear" || answer.status >= 500) {
        unclear += 1;
        ledger.unclear += 1;
        await delay(20);
      } else if (answer.status === 200) {
        const success = toSuccess(kind, answer);
        ledger.successes.push(success);
        options.onSuccess();
        return success;
      } else {
        const { error = "" } = answer.body;
        const isExplained = error === "invalid_grant" && unclear > 0 && kind === "code";
        if (!isExplained)
          ledger.surprises.push(`${kind}: ${answer.status} ${error} after ${unclear} unclear answers`);
        return undefined;
      }
    }
    return undefined;
  }
}

async function attempt(
  device: RawDevice,
  parameters: Readonly<Record<string, string | undefined>>,
  origin: string,
): Promise<Answer | "unclear" | "not-sent"> {
  try {
    return await device.token(parameters, { origin });
  } catch (error) {
    const { code } = (error as { cause?: { code?: unknown } }).cause ?? {};
    return code === "ECONNREFUSED" ? "not-sent" : "unclear";
  }
}

function exchangeParameters(refreshToken: string | undefined): Readonly<Record<string, string | undefined>> {
  return {
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    client_id: "authz-cli",
    requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    subject_token: refreshToken,
    subject_token_type: "urn:ietf:params:oauth:token-type:refresh_token",
    audience,
    resource,
  };
}

export function toSuccess(kind: Success["kind"], { body }: Answer): Success {
  const [, payload = ""] = (body["access_token"] ?? "").split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString()) as { jti: string; sid?: string };
  return { kind, tokenId: claims.jti, grantId: claims.sid, refreshToken: body["refresh_token"] };
}
