import { createHash, randomUUID } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type GenerateKeyPairResult, type JWK, SignJWT } from "jose";

export type Algorithm = "RS256" | "ES256" | "EdDSA";

export interface Key extends GenerateKeyPairResult {
  readonly kid: string;
  readonly alg: string;
  readonly jwk: JWK;
}

/** What a test changes about one assertion. A claim that is `undefined` is left out. */
export interface AssertionChange {
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with this key instead of the current one. */
  readonly key?: Key;
}

/** A company's identity provider that vouches for people, as far as others see it: a discovery document, a key set, assertions. */
export interface AssertionProvider {
  readonly issuer: string;
  readonly alg: Algorithm;
  /** Every path that was asked for, in order. */
  readonly asked: string[];
  /** What `/.well-known/openid-configuration` says besides. */
  metadata: Record<string, unknown>;
  /** What is in the key set instead of its own keys. */
  published: readonly object[] | undefined;
  /** Answers everything with this status. */
  failing: number | undefined;
  sign(claims: Readonly<Record<string, unknown>>, change?: AssertionChange): Promise<string>;
  /** Takes a new key, in place of the ones before. */
  rotate(): Promise<void>;
  newKey(alg?: string): Promise<Key>;
  close(): Promise<void>;
}

async function createKey(alg: string): Promise<Key> {
  const pair = await generateKeyPair(alg, { extractable: true });
  const jwk = await exportJWK(pair.publicKey);
  const kid = createHash("sha256").update(JSON.stringify(jwk)).digest("base64url");
  return { ...pair, kid, alg, jwk: { ...jwk, kid, alg, use: "sig" } };
}

/** @param answer - what else answers requests; returns whether it did */
export async function startAssertionProvider(
  alg: Algorithm,
  answer: (...exchange: Parameters<RequestListener>) => boolean = () => false,
): Promise<AssertionProvider> {
  let current = await createKey(alg);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    if (answer(request, response)) return undefined;
    if (provider.failing !== undefined) return response.writeHead(provider.failing).end("{}");
    const documents: Record<string, object> = {
      "/.well-known/openid-configuration": {
        issuer: provider.issuer,
        jwks_uri: `${provider.issuer}/keys`,
        ...provider.metadata,
      },
      "/keys": { keys: provider.published ?? [current.jwk] },
    };
    const document = documents[path];
    return response
      .writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const provider: AssertionProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    alg,
    asked,
    metadata: {},
    published: undefined,
    failing: undefined,
    async sign(claims, { header = {}, claims: changed = {}, key = current } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = {
        iss: provider.issuer,
        jti: randomUUID(),
        iat: now,
        exp: now + 300,
        ...claims,
        ...changed,
      };
      const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
      return await new SignJWT(given)
        .setProtectedHeader({ alg: key.alg, typ: "oauth-id-jag+jwt", kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    async rotate() {
      current = await createKey(alg);
    },
    newKey: (other = alg) => createKey(other),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
