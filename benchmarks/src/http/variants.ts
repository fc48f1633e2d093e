import type { KeyObject } from "node:crypto";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createProofSigner, type Es256KeyPair, generateEs256KeyPair, inMemory } from "@authz/dpop";
import { importPrivateJwk, importPublicJwk, signCompactJws, verifyEs256 } from "@authz/dpop/jws";
import { initAuthz as initExpress } from "@authz/express";
import { initAuthz as initFastify } from "@authz/fastify";
import { initAuthz as initKoa } from "@authz/koa";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import express, { type Express, type RequestHandler } from "express";
import fastify, { type FastifyInstance, type preHandlerAsyncHookHandler } from "fastify";
import Koa, { type Middleware } from "koa";
import { clientCount, createClients } from "../request/clients.js";
import { jwtBearer } from "./jwt-bearer.js";

/** What the load generator needs to know about a running server. */
export interface Target {
  readonly server: Server;
  /** Origin that proofs name. It need not be where the server listens. */
  readonly publicOrigin: string;
  /** Of each client. */
  readonly credentials: readonly ClientCredential[];
}

interface ClientCredential {
  readonly keyPair: Es256KeyPair;
  readonly accessToken: string;
}

export const path = "/api/contracts";
const scope = "contracts:read";
const answer = { contracts: [{ id: "c-1", customer: "Northwind", status: "active" }] };

/** The servers that are measured. Each answers `GET /api/contracts` with the same small JSON. */
export const variants: Readonly<Record<string, () => Promise<Target>>> = {
  express: async () => open(await onExpress(() => [])),
  "express + one verification": async () =>
    open(
      await onExpress(() => [
        (req, _res, next) => {
          verifyOnce(req);
          next();
        },
      ]),
    ),
  "express + @authz/express": () =>
    protect(({ url, options }) =>
      onExpress((app) => {
        const authz = initExpress(url, options);
        authz.registerRoutes(app);
        return [authz.requireAuth({ scopes: [scope] })];
      }),
    ),
  "express + express-oauth2-jwt-bearer": async () => {
    const { url, credentials } = await jwtIssuer();
    const check = jwtBearer.auth({
      issuer: url,
      jwksUri: `${url}/jwks`,
      audience: "benchmark",
      tokenSigningAlg: "ES256",
      dpop: { enabled: true, required: true },
    });
    const server = await onExpress(() => [check, jwtBearer.requiredScopes(scope)]);
    return { server, publicOrigin: originOf(server), credentials };
  },
  koa: async () => open(await onKoa(() => [])),
  "koa + one verification": async () =>
    open(
      await onKoa(() => [
        async (ctx, next) => {
          verifyOnce(ctx.req);
          await next();
        },
      ]),
    ),
  "koa + @authz/koa": () =>
    protect(({ url, options }) =>
      onKoa((app) => {
        const authz = initKoa(url, options);
        authz.registerRoutes(app);
        return [authz.requireAuth({ scopes: [scope] })];
      }),
    ),
  fastify: async () => open(await onFastify(() => undefined)),
  "fastify + one verification": async () =>
    open(await onFastify(() => async (request) => verifyOnce(request.raw))),
  "fastify + @authz/fastify": () =>
    protect(({ url, options }) =>
      onFastify((app) => {
        const authz = initFastify(url, options);
        authz.registerRoutes(app);
        return authz.requireAuth({ scopes: [scope] });
      }),
    ),
};

export const frameworks = ["express", "koa", "fastify"] as const;

/** The names of the variants with a framework: the bare one, then the one with nothing but a verification, then the others. */
export function variantsOf(framework: string): readonly string[] {
  return Object.keys(variants).filter((name) => name.split(" + ")[0] === framework);
}

async function onExpress(guardsFor: (app: Express) => readonly RequestHandler[]): Promise<Server> {
  const app = express();
  app.get(path, ...guardsFor(app), (_req, res) => void res.json(answer));
  return await listen(app);
}

async function onKoa(guardsFor: (app: Koa) => readonly Middleware[]): Promise<Server> {
  const app = new Koa();
  for (const guard of guardsFor(app)) app.use(guard);
  app.use((ctx) => {
    ctx.body = answer;
  });
  const handle = app.callback();
  // Koa answers its own errors.
  return await listen((req, res) => void handle(req, res));
}

async function onFastify(
  guardFor: (app: FastifyInstance) => preHandlerAsyncHookHandler | undefined,
): Promise<Server> {
  const app = fastify();
  const preHandler = guardFor(app);
  app.get(path, preHandler === undefined ? {} : { preHandler }, async () => answer);
  await app.listen({ host: "127.0.0.1", port: 0 });
  return app.server;
}

/** A bare server ignores the credentials, but reading their headers is part of its work as well: the same ones for all. */
async function open(server: Server): Promise<Target> {
  return await protect(async () => server);
}

async function protect(start: (issuer: TestIssuer) => Promise<Server>): Promise<Target> {
  // The store that services have: the one for tests has another in front of it.
  const issuer = await createTestIssuer({ supportedScopes: [scope], replayStore: inMemory() });
  const server = await start(issuer);
  const clients = await createClients(issuer);
  const credentials = clients.map(({ keyPair, accessToken }) => ({ keyPair, accessToken }));
  return { server, publicOrigin: issuer.options.publicOrigin, credentials };
}

/** A minimal issuer of the kind that express-oauth2-jwt-bearer expects: one key, tokens signed by it. */
async function jwtIssuer(): Promise<{ url: string; credentials: readonly ClientCredential[] }> {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  const server = await listen((_req, res) => {
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify({ keys: [{ ...publicJwk, kid: "1", alg: "ES256", use: "sig" }] }));
  });
  const url = originOf(server);
  const key = importPrivateJwk(privateJwk);
  const issue = async (): Promise<ClientCredential> => {
    const keyPair = await generateEs256KeyPair();
    const iat = Math.floor(Date.now() / 1000);
    const claims = {
      iss: url,
      aud: "benchmark",
      sub: "user",
      client_id: "authz-cli",
      scope,
      jti: crypto.randomUUID(),
      iat,
      exp: iat + 3600,
      cnf: { jkt: createProofSigner(keyPair).thumbprint },
    };
    return { keyPair, accessToken: signCompactJws({ typ: "at+jwt", kid: "1" }, claims, key) };
  };
  return { url, credentials: await Promise.all(Array.from({ length: clientCount }, issue)) };
}

const keys = new Map<string, KeyObject>();

/**
 * Verifies the signature of a request's proof with `node:crypto`, in the encoding that it is fastest with, and checks
 * nothing else: the least that any check of DPoP has to do, in the place where the adapters do theirs. Proofs and keys
 * are those of the load generator: the same signature over and over would be verified faster than any real one.
 *
 * @throws {Error} The signature is wrong: the figures would be about something else.
 */
function verifyOnce({ headers }: IncomingMessage): void {
  const proof = headers["dpop"] as string;
  const end = proof.lastIndexOf(".");
  const header = proof.slice(0, proof.indexOf("."));
  let key = keys.get(header);
  if (key === undefined) {
    // The same key has the same header, so it is imported once.
    key = importPublicJwk((JSON.parse(Buffer.from(header, "base64url").toString()) as { jwk: unknown }).jwk);
    keys.set(header, key);
  }
  if (!verifyEs256(proof.slice(0, end), Buffer.from(proof.slice(end + 1), "base64url"), key))
    throw new Error("A proof of the load generator does not verify.");
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
