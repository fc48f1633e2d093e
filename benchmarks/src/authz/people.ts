import { createProofSigner, type Es256KeyPair, type ProofSigner } from "@authz/dpop";

/** The code verifier of every code that is redeemed here. */
export const codeVerifier = "benchmark-verifier-of-at-least-43-characters";
export const redirectUri = "http://127.0.0.1/callback";
export const scope = "openid profile email offline_access";
/** As in a company: what all of them share is not the same row for all. */
export const peopleCount = 500;
export const clientIds: readonly string[] = [
  "authz-cli",
  ...Array.from({ length: 19 }, (_, index) => `app-${index + 1}`),
];

/** The client of a device. */
export function clientOf(device: number): string {
  return clientIds[device % clientIds.length] ?? "";
}

/** Who signed in: a device has one person for its grant, and another one for each code. */
export function personOf(
  device: number,
  { request = 0, devices }: { readonly request?: number; readonly devices: number },
): number {
  return (device + request * devices) % peopleCount;
}

export function emailOf(person: number): string {
  return `person-${person}@acme.example`;
}

/** A device that is signed in: requests with its access token, each with a proof of its own. */
export interface SignedIn {
  credentials(method: string, url: string): Readonly<Record<string, string>>;
}

/** Exchanges a device's refresh token for an access token: good for five minutes, longer than most runs. */
export async function signIn(
  device: { readonly keyPair: Es256KeyPair; readonly clientId: string; readonly refreshToken: string },
  { issuer, resource }: { readonly issuer: string; readonly resource?: string },
): Promise<SignedIn & { readonly refreshToken: string }> {
  const signer: ProofSigner = createProofSigner(device.keyPair);
  const url = `${issuer}/api/oauth/token`;
  const response = await fetch(url, {
    method: "POST",
    headers: { dpop: signer.sign({ method: "POST", url }) },
    body: new URLSearchParams({
      grant_type: "refresh_token",
      client_id: device.clientId,
      refresh_token: device.refreshToken,
      ...(resource !== undefined && { resource }),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`The refresh was answered with ${response.status}: ${text}`);
  const answer = JSON.parse(text) as { access_token: string; refresh_token: string };
  const accessToken = answer.access_token;
  return {
    refreshToken: answer.refresh_token,
    credentials: (method, target) => ({
      authorization: `DPoP ${accessToken}`,
      dpop: signer.sign({ method, url: target, accessToken }),
    }),
  };
}
