import { createProofSigner, type Es256KeyPair, generateEs256KeyPair, type ProofSigner } from "@authz/dpop";
import type { Caller, TestIssuer } from "@authz/testing";

/** A caller of the service: a key, and an access token bound to it. */
export interface Client {
  readonly keyPair: Es256KeyPair;
  readonly signer: ProofSigner;
  readonly accessToken: string;
}

/** Enough to make cache lookups real, few enough to stay warm. */
export const clientCount = 200;

/**
 * Gives each of 200 clients an access token: from the service's own token route, or straight from the authorization server for
 * those who use an `app`.
 */
export async function createClients(
  issuer: TestIssuer,
  { app }: Pick<Caller, "app"> = {},
): Promise<readonly Client[]> {
  const clients: Client[] = [];
  for (let index = 0; index < clientCount; index += 1) {
    const keyPair = await generateEs256KeyPair();
    const signer = createProofSigner(keyPair);
    const caller = { subject: `user-${index}`, ...(app !== undefined && { app }) };
    clients.push({ keyPair, signer, accessToken: await issuer.issueAccessToken(signer, caller) });
  }
  return clients;
}

/** Makes requests of the clients in turn, each with a proof of its own. */
export function makeRequests<T>(
  clients: readonly Client[],
  count: number,
  make: (headers: { readonly authorization: string; readonly dpop: string }) => T,
  url: string,
): T[] {
  return Array.from({ length: count }, (_, index) => {
    const { signer, accessToken } = clients[index % clients.length] as Client;
    return make({
      authorization: asReceived(`DPoP ${accessToken}`),
      dpop: asReceived(signer.sign({ method: "GET", url, accessToken })),
    });
  });
}

/** A header's text as an HTTP parser hands it over: one piece, where the engine keeps a concatenation as several. */
function asReceived(text: string): string {
  return Buffer.from(text, "latin1").toString("latin1");
}
