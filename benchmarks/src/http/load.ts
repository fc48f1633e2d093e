import { createProofSigner, type ProofSigner } from "@authz/dpop";
import autocannon from "autocannon";
import type { Serving } from "./server-process.js";

const path = "/api/contracts";
const connections = 32;

/** One client of the load generator: a key and the access token bound to it. */
export interface LoadClient {
  readonly signer: ProofSigner;
  readonly accessToken: string;
}

/** Redeems the assertions a server handed out, over HTTP, as a client would. */
export async function createLoadClients(serving: Serving): Promise<LoadClient[]> {
  const clients: LoadClient[] = [];
  for (const { keyPair, assertion, accessToken } of serving.credentials) {
    const signer = createProofSigner(keyPair);
    clients.push({ signer, accessToken: accessToken ?? (await redeem(serving, signer, assertion ?? "")) });
  }
  return clients;
}

/** How long requests are sent, and how fast; without a rate, as fast as the server takes them. */
export interface LoadOptions {
  readonly seconds: number;
  readonly requestsPerSecond?: number;
}

/**
 * Sends requests, each with a proof of its own. At a given rate the proofs are signed before the clock starts, so that
 * the load generator has time to spare.
 *
 * @throws {Error} An answer was not 200: the figures would be about something else.
 */
export async function generateLoad(
  serving: Serving,
  clients: readonly LoadClient[],
  { seconds, requestsPerSecond }: LoadOptions,
): Promise<{ requests: number; seconds: number }> {
  const url = `${serving.publicOrigin}${path}`;
  let next = 0;
  const sign = (): Record<string, string> => {
    const { signer, accessToken } = clients[next++ % clients.length] as LoadClient;
    return {
      authorization: `DPoP ${accessToken}`,
      dpop: signer.sign({ method: "GET", url, accessToken }),
    };
  };
  const signed = Array.from({ length: Math.ceil((requestsPerSecond ?? 0) * seconds * 1.2) }, sign);
  const result = await autocannon({
    url: `http://127.0.0.1:${serving.port}`,
    connections,
    duration: seconds,
    ...(requestsPerSecond !== undefined && { overallRate: requestsPerSecond }),
    requests: [
      {
        method: "GET",
        path,
        setupRequest: (request) => {
          request.headers = { ...request.headers, ...(signed.pop() ?? sign()) };
          return request;
        },
      },
    ],
  });
  const failures = result.non2xx + result.errors + result.timeouts;
  if (failures > 0)
    throw new Error(`${failures} of ${result.requests.total} requests were not answered with 200.`);
  return { requests: result.requests.total, seconds: result.duration };
}

async function redeem(serving: Serving, signer: ProofSigner, assertion: string): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${serving.port}/oauth/token`, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      dpop: signer.sign({ method: "POST", url: `${serving.publicOrigin}/oauth/token` }),
    },
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion,
    }).toString(),
  });
  const body = (await response.json()) as { access_token?: string; error_description?: string };
  if (body.access_token === undefined) throw new Error(`No access token: ${body.error_description}`);
  return body.access_token;
}
