import { createHash } from "node:crypto";
import type { Client } from "../../../store/clients.js";
import type { Consent } from "../../../store/consents.js";

/** What a client must still be for a consent to count: where its answers go, and what it proves itself with. */
export function clientDigest({ redirectUris, keys }: Pick<Client, "redirectUris" | "keys">): Buffer {
  const thumbs = keys.map(({ publicJwk: { x, y } }) => `${x}.${y}`);
  return createHash("sha256")
    .update(JSON.stringify([redirectUris.toSorted(), thumbs.toSorted()]))
    .digest();
}

/** Whether somebody has said yes to all of this before, to the same client. Pure. */
export function isCovered(consent: Consent | undefined, wanted: readonly string[], client: Client): boolean {
  if (consent === undefined || !consent.clientDigest.equals(clientDigest(client))) return false;
  return wanted.every((scope) => consent.scopes.includes(scope));
}

/**
 * Whether only the client itself can receive the answer. Any program on the person's computer can listen on a loopback address
 * or claim a scheme, so there a yes of before is shown and asked for once more (RFC 8252 §8.6).
 */
export function isProvenReceiver(redirectUri: string): boolean {
  return redirectUri.startsWith("https:");
}
