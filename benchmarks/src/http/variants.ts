import { createServer, type RequestListener, type Server } from "node:http";
import { createProofSigner, type Es256KeyPair, generateEs256KeyPair, inMemory } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import { initAuthz as initExpress } from "@authz/express";
import { initAuthz as initFastify } from "@authz/fastify";
import { initAuthz as initKoa } from "@authz/koa";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import express from "express";
import fastify, { type FastifyRequest } from "fastify";
import Koa from "koa";
import { clientCount, createClients } from "../request/clients.js";
import { jwtBearer } from "./jwt-bearer.js";
import { verifyOnce } from "./one-verification.js";

/** What the load generator needs to know about a running server. */
export interface Target {
  readonly server: Server;
  /** Origin that proofs name. It need not be where the server listens. */
  readonly publicOrigin: string;
  /** Of each client. */
  readonly credentials: readonly ClientCredential[];
}

export interface ClientCredential {
  readonly keyPair: Es256KeyPair;
  readonly accessToken: string;
}

const scope = "contracts:read";
const answer = { contracts: [{ id: "c-1", customer: "Northwind", status: "active" }] };

/** The servers that are measured. Each answers `GET /api/contracts` with the same small JSON. */
export const variants: Readonly<Record<string, () => Promise<Target>>> = {
  express: async () => {
    const app = express();
    app.get("/api/contracts", (_req, res) => void res.json(answer));
    return open(await listen(app));
  },
  "express + one verification": async () => {
    const app = express();
    app.get(
      "/api/contracts",
      (req, _res, next) => {
        verifyOnce(req);
        next();
      },
      (_req, res) => void res.json(answer),
    );
    return open(await listen(app));
  },
  "express + @authz/express": async () => {
    const issuer = await testIssuer();
    const authz = initExpress(issuer.url, issuer.options);
    const app = express();
    authz.registerRoutes(app);
    app.get("/api/contracts", authz.requireAuth({ scopes: [scope] }), (_req, res) => void res.json(answer));
    return serve(await listen(app), issuer);
  },
  "express + express-oauth2-jwt-bearer": async () => {
    const issuer = await jwtIssuer();
    const app = express();
    app.get(
      "/api/contracts",
      jwtBearer.auth({
        issuer: issuer.url,
        jwksUri: `${issuer.url}/jwks`,
        audience: "benchmark",
        tokenSigningAlg: "ES256",
        dpop: { enabled: true, required: true },
      }),
      jwtBearer.requiredScopes(scope),
      (_req, res) => void res.json(answer),
    );
    const server = await listen(app);
    return { server, publicOrigin: origin(server), credentials: await issuer.credentials() };
  },
  koa: async () => {
    const app = new Koa();
    app.use((ctx) => {
      ctx.body = answer;
    });
    return open(await listen(callback(app)));
  },
  "koa + one verification": async () => {
    const app = new Koa();
    app.use(async (ctx, next) => {
      verifyOnce(ctx.req);
      await next();
    });
    app.use((ctx) => {
      ctx.body = answer;
    });
    return open(await listen(callback(app)));
  },
  "koa + @authz/koa": async () => {
    const issuer = await testIssuer();
    const authz = initKoa(issuer.url, issuer.options);
    const app = new Koa();
    authz.registerRoutes(app);
    app.use(authz.requireAuth({ scopes: [scope] }));
    app.use((ctx) => {
      ctx.body = answer;
    });
    return serve(await listen(callback(app)), issuer);
  },
  fastify: async () => {
    const app = fastify();
    app.get("/api/contracts", async () => answer);
    await app.listen({ host: "127.0.0.1", port: 0 });
    return open(app.server);
  },
  "fastify + one verification": async () => {
    const app = fastify();
    const preHandler = async (request: FastifyRequest): Promise<void> => verifyOnce(request.raw);
    app.get("/api/contracts", { preHandler }, async () => answer);
    await app.listen({ host: "127.0.0.1", port: 0 });
    return open(app.server);
  },
  "fastify + @authz/fastify": async () => {
    const issuer = await testIssuer();
    const authz = initFastify(issuer.url, issuer.options);
    const app = fastify();
    authz.registerRoutes(app);
    app.get("/api/contracts", { preHandler: authz.requireAuth({ scopes: [scope] }) }, async () => answer);
    await app.listen({ host: "127.0.0.1", port: 0 });
    return serve(app.server, issuer);
  },
};

export const frameworks = ["express", "koa", "fastify"] as const;

/** The names of the variants with a framework: the bare one, then the one with nothing but a verification, then the others. */
export function variantsOf(framework: string): readonly string[] {
  return Object.keys(variants).filter((name) => name.split(" + ")[0] === framework);
}

function testIssuer(): Promise<TestIssuer> {
  // The store that services have: the one for tests has another in front of it.
  return createTestIssuer({ supportedScopes: [scope], replayStore: inMemory() });
}

/** A bare server ignores the credentials, but reading their headers is part of its work as well: the same ones for all. */
async function open(server: Server): Promise<Target> {
  return serve(server, await testIssuer());
}

async function serve(server: Server, issuer: TestIssuer): Promise<Target> {
  const clients = await createClients(issuer);
  const credentials = clients.map(({ keyPair, accessToken }) => ({ keyPair, accessToken }));
  return { server, publicOrigin: issuer.options.publicOrigin, credentials };
}

/** A minimal issuer of the kind that express-oauth2-jwt-bearer expects: one key, tokens signed by it. */
async function jwtIssuer(): Promise<{ url: string; credentials: () => Promise<ClientCredential[]> }> {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  const server = await listen((_req, res) => {
    res.setHeader("content-type", "application/json");
    res.end(JSON.stringify({ keys: [{ ...publicJwk, kid: "1", alg: "ES256", use: "sig" }] }));
  });
  const url = origin(server);
  const key = importPrivateJwk(privateJwk);
  const issue = async (): Promise<ClientCredential> => {
    const keyPair = await generateEs256KeyPair();
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: url,
      aud: "benchmark",
      sub: "user",
      client_id: "authz-cli",
      scope,
      jti: crypto.randomUUID(),
      iat: now,
      exp: now + 3600,
      cnf: { jkt: createProofSigner(keyPair).thumbprint },
    };
    return { keyPair, accessToken: signCompactJws({ typ: "at+jwt", kid: "1" }, claims, key) };
  };
  return { url, credentials: () => Promise.all(Array.from({ length: clientCount }, issue)) };
}

/** Koa answers its own errors, so nobody waits for the promise. */
function callback(app: Koa): RequestListener {
  const handle = app.callback();
  return (req, res) => void handle(req, res);
}

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

function origin(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === "string")
    throw new Error("The server does not listen on a port.");
  return `http://127.0.0.1:${address.port}`;
}
