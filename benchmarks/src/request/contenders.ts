import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestIssuer } from "@authz/testing";
import { type Authz, type AuthzRequest, type Decision, initAuthz } from "@authz/verify";
import type { Request as ExpressRequest, Response as ExpressResponse } from "express";
import { customFetch, validateJwtAccessToken } from "oauth4webapi";
import { jwtBearer } from "../http/jwt-bearer.js";
import { type Client, makeRequests } from "./clients.js";
import { type Contender, defineContender } from "./measure.js";

const scope = "contracts:read";
const path = "/api/contracts";

/** The service whose tokens all contenders check: keys, audience and tokens are the same for all. */
export interface Service {
  readonly issuer: TestIssuer;
  readonly clients: readonly Client[];
}

/** Requests as the adapters hand them to `decide`. */
export function makeServiceRequests({ issuer, clients }: Service, count: number): AuthzRequest[] {
  return makeRequests(
    clients,
    count,
    ({ authorization, dpop }) => ({ method: "GET", url: path, authorization: [authorization], dpop: [dpop] }),
    publicUrl(issuer),
  );
}

/**
 * One P-256 verification by `node:crypto` over as many bytes as a proof has: what no check can avoid.
 *
 * It has as many keys as the contenders have clients: with a single key it would run from a warmer cache.
 */
export function bareVerify({ clients }: Service): Contender<unknown> {
  const keys = clients.map(({ keyPair: { privateJwk, publicJwk } }) => ({
    privateKey: createPrivateKey({ key: { ...privateJwk }, format: "jwk" }),
    publicKey: createPublicKey({ key: { ...publicJwk }, format: "jwk" }),
  }));
  return defineContender<{ data: Buffer; signature: Buffer; publicKey: KeyObject }>({
    name: "crypto.verify",
    prepare: (count) =>
      Array.from({ length: count }, (_, index) => {
        const { privateKey, publicKey } = keys[index % keys.length] as (typeof keys)[number];
        const data = Buffer.alloc(480, index);
        return { data, signature: sign("sha256", data, privateKey), publicKey };
      }),
    run: (input) => verify("sha256", input.data, input.publicKey, input.signature),
  });
}

/** `decide` of @authz/verify, which the adapters call: token, binding, proof, scopes, and the replay store last. */
export function ours(name: string, { issuer, clients }: Service): Contender<unknown> {
  const authz = initAuthz(issuer.url, issuer.options);
  const policy = authz.definePolicy({ scopes: [scope] });
  const admit = ({ refusal }: Decision) => {
    if (refusal !== undefined) throw new Error(`A request was refused: ${refusal.body}`);
  };
  return defineContender<AuthzRequest>({
    name,
    async prepare(count) {
      // Two accepted requests make a client's key a protected entry of the caches.
      for (const request of makeServiceRequests({ issuer, clients }, 2 * clients.length)) {
        admit(await authz.decide(request, policy));
      }
      return makeServiceRequests({ issuer, clients }, count);
    },
    run(request) {
      const decision = authz.decide(request, policy);
      return decision instanceof Promise ? decision.then(admit) : admit(decision);
    },
  });
}

/** `validateJwtAccessToken` of oauth4webapi, with its key set cached. It has no replay protection. */
export function theOauth4webapi({ issuer, clients }: Service): Contender<unknown> {
  const { publicOrigin, resource } = issuer.options;
  const authz = initAuthz(issuer.url, issuer.options);
  const as = { issuer: publicOrigin, jwks_uri: `${publicOrigin}/.well-known/jwks.json` };
  const options = { requireDPoP: true, [customFetch]: keySetFetch(authz) };
  return defineContender<Request>({
    name: "oauth4webapi",
    prepare: (count) =>
      makeRequests(
        clients,
        count,
        (headers) => new Request(publicUrl(issuer), { headers }),
        publicUrl(issuer),
      ),
    run: (request) => validateJwtAccessToken(as, request, resource, options),
  });
}

/** The middleware of express-oauth2-jwt-bearer in DPoP mode. It has no replay protection. */
export async function theJwtBearer({ issuer, clients }: Service): Promise<Contender<unknown>> {
  const { publicOrigin, resource } = issuer.options;
  const check = jwtBearer.auth({
    issuer: publicOrigin,
    jwksUri: await serveKeySet(initAuthz(issuer.url, issuer.options)),
    audience: resource,
    tokenSigningAlg: "ES256",
    dpop: { enabled: true, required: true },
  });
  const { host } = new URL(publicOrigin);
  return defineContender<ExpressRequest>({
    name: "express-oauth2-jwt-bearer",
    prepare: (count) =>
      makeRequests(clients, count, (headers) => expressRequest({ ...headers, host }), publicUrl(issuer)),
    run: (request) =>
      new Promise<void>((resolve, reject) => {
        void check(request, {} as ExpressResponse, (error?: unknown) =>
          error instanceof Error ? reject(error) : resolve(),
        );
      }),
  });
}

function publicUrl(issuer: TestIssuer): string {
  return issuer.options.publicOrigin + path;
}

function keySetFetch(authz: Authz): (url: string) => Promise<Response> {
  return async (url) => (await authz.handleFetch(new Request(url))) ?? new Response(null, { status: 404 });
}

/** It can fetch keys over a socket only. */
async function serveKeySet(authz: Authz): Promise<string> {
  const answer = await authz.handleFetch(new Request("https://service.test/.well-known/jwks.json"));
  const body = await answer?.text();
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** What the middleware reads of a request, without the cost of a socket. */
function expressRequest(headers: Readonly<Record<string, string>>): ExpressRequest {
  const request = {
    method: "GET",
    protocol: "https",
    originalUrl: path,
    url: path,
    headers,
    query: {},
    body: undefined,
    get: (name: string) => headers[name.toLowerCase()],
    is: () => false,
  };
  return request as unknown as ExpressRequest;
}
