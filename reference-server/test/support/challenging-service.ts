import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { generateEs256KeyPair } from "@authz/dpop";
import {
  type AuthorizationDetail,
  callDigest,
  challengeType,
  contentDigest,
  createTxn,
} from "@authz/dpop/approval";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import { findFreePort } from "../../../tools/src/network/ports.js";

/** A service that challenges: it publishes its metadata and keys, and signs what a test wants. */
export interface ChallengingService {
  readonly origin: string;
  readonly resource: string;
  /** Paths that it was asked for. */
  readonly asked: string[];
  /** What its metadata says, for a test to spoil. */
  readonly metadata: Record<string, unknown>;
  challenge(claims: Readonly<Record<string, unknown>>, header?: Readonly<Record<string, unknown>>): string;
  close(): Promise<void>;
}

export async function startChallengingService(): Promise<ChallengingService> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const resource = `${origin}/api`;
  const { publicJwk, privateJwk } = await generateEs256KeyPair();
  const key = importPrivateJwk(privateJwk);
  const kid = "service-1";
  const asked: string[] = [];
  const metadata: Record<string, unknown> = {
    resource,
    txn_challenge_jwks_uri: `${origin}/.well-known/jwks.json`,
  };
  const documents: Readonly<Record<string, object>> = {
    "/.well-known/oauth-protected-resource": metadata,
    "/.well-known/jwks.json": { keys: [{ ...publicJwk, kid, alg: "ES256", use: "sig" }] },
  };
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    asked.push(path);
    const document = documents[path];
    response.writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  });
  await new Promise<void>((resolve) => void server.listen(port, "127.0.0.1", resolve));
  return {
    origin,
    resource,
    asked,
    metadata,
    challenge: (claims, header = {}) => signCompactJws({ typ: challengeType, kid, ...header }, claims, key),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}

/** The claims of a challenge that is right in every respect. */
export function challengeClaims(
  service: ChallengingService,
  {
    issuer,
    subject,
    sessionId,
    actor = "authz-cli",
    now = Date.now(),
    path = "/api/contracts/7",
    detail,
  }: {
    readonly issuer: string;
    readonly subject: string;
    readonly sessionId: string;
    readonly actor?: string;
    readonly now?: number;
    readonly path?: string;
    readonly detail?: Partial<AuthorizationDetail>;
  },
): Record<string, unknown> {
  const htu = `${service.origin}${path}`;
  const authorizationDetail: AuthorizationDetail = {
    type: "contract_deletion",
    actions: ["delete"],
    locations: [htu],
    contract: { title: "Lease", version: 3 },
    content_digest: contentDigest(new Uint8Array()),
    ...detail,
  };
  const call = {
    issuer: service.resource,
    subject,
    actor,
    sessionId,
    method: "DELETE",
    url: htu,
    headers: {},
    authorizationDetail,
  };
  const iat = Math.floor(now / 1000);
  return {
    iss: service.resource,
    aud: issuer,
    iat,
    exp: iat + 300,
    jti: randomUUID(),
    txn: createTxn(callDigest(call)),
    sub: subject,
    sid: sessionId,
    act: { sub: actor },
    authorization_details: [authorizationDetail],
    reason: "Contracts cannot be restored.",
    htm: "DELETE",
    htu,
  };
}

/** The claims of an assertion with which the service authenticates. */
export function serviceAssertionClaims(
  service: Pick<ChallengingService, "resource">,
  issuer: string,
  now: number = Date.now(),
): Record<string, unknown> {
  const iat = Math.floor(now / 1000);
  return { iss: service.resource, sub: service.resource, aud: issuer, iat, exp: iat + 60, jti: randomUUID() };
}
