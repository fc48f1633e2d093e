/**
 * The clients of the heap benchmark, in a process of their own: what they make is not what the service keeps. Answers each
 * message with that many requests, every one with a new key, a new token and a new proof.
 */
import { randomUUID } from "node:crypto";
import { createProofSigner, generateEs256KeyPair, type PrivateJwk } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";

/** How the service issues its access tokens. */
export interface ServiceFacts {
  readonly publicOrigin: string;
  readonly resource: string;
  readonly scope: string;
  readonly url: string;
  readonly signingKey: { readonly kid: string; readonly privateJwk: PrivateJwk };
}

/** Milliseconds since 1970 of the first request, and how many follow, one each millisecond. */
export interface Batch {
  readonly from: number;
  readonly count: number;
}

export interface Presented {
  readonly accessToken: string;
  readonly proof: string;
}

const facts = JSON.parse(process.argv[2] ?? "{}") as ServiceFacts;
const key = importPrivateJwk(facts.signingKey.privateJwk);

process.on("message", ({ from, count }: Batch) => {
  void Promise.all(Array.from({ length: count }, (_, index) => present(from + index))).then((requests) =>
    process.send?.(requests),
  );
});
process.on("disconnect", () => process.exit());

async function present(now: number): Promise<Presented> {
  const signer = createProofSigner(await generateEs256KeyPair(), { clock: () => now });
  const issuedAt = Math.floor(now / 1000);
  const claims = {
    iss: facts.publicOrigin,
    aud: facts.resource,
    sub: randomUUID(),
    client_id: "authz-cli",
    scope: facts.scope,
    cnf: { jkt: signer.thumbprint },
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + 600,
  };
  const accessToken = signCompactJws({ typ: "at+jwt", kid: facts.signingKey.kid }, claims, key);
  return { accessToken, proof: signer.sign({ method: "GET", url: facts.url, accessToken }) };
}
