import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { type ContractApp, listen, type RunningApp } from "@authz/contract-tests";
import { type AuthState, initAuthz } from "@authz/koa";
import { bodyParser } from "@koa/bodyparser";
import { Router } from "@koa/router";
import type Koa from "koa";

/** The application of the contract tests, on whichever Koa is passed in. */
export async function startKoa(
  Framework: typeof Koa,
  contract: ContractApp,
  { http2 = false } = {},
): Promise<RunningApp> {
  const authz = initAuthz(contract.issuer, contract.options);
  const { entered } = contract;
  const app = new Framework();
  app.silent = true;
  if (contract.bodyParsers) app.use(bodyParser());
  authz.registerRoutes(app);
  if (contract.guardEverything) app.use(authz.requireAuth());

  const answer: Koa.Middleware<AuthState> = (ctx) => {
    entered(ctx.path);
    ctx.body = { subject: ctx.state.auth.identity.subject };
  };
  const read = authz.requireAuth({ scopes: ["contracts:read"] });
  const router = new Router();
  router.get("/api/contracts", read, answer);
  router.post("/api/contracts", read, answer);
  router.get("/api/admin", authz.requireAuth({ scopes: ["contracts:read", "contracts:write"] }), answer);
  router.get(
    "/api/either",
    authz.requireAuth({ anyScopes: ["contracts:write", "contracts:delete"] }),
    answer,
  );
  router.get("/api/me", authz.requireAuth(), (ctx) => {
    entered(ctx.path);
    ctx.body = ctx.state.auth;
  });
  router.get("/api/throws", read, (ctx) => {
    entered(ctx.path);
    throw new Error("The handler failed.");
  });
  const write = authz.requireAuth({ scopes: ["contracts:write"] });
  const parser = bodyParser({ parsedMethods: ["POST", "DELETE"] });
  const approved = authz.requireApproval((ctx) => contract.need(ctx.path), { headers: ["If-Match"] });
  const carryOut: Koa.Middleware<AuthState> = (ctx) => {
    entered(ctx.path);
    ctx.body = ctx.state.auth.transaction ?? {};
  };
  router.post("/api/payments", write, parser, approved, carryOut);
  router.delete("/api/payments", write, parser, approved, carryOut);
  router.post("/api/transfers", write, parser, approved, carryOut);
  router.get("/open", (ctx) => {
    ctx.body = { open: true };
  });
  router.post("/echo", (ctx) => {
    ctx.body = ctx.request.body;
  });

  const grouped = new Router({ prefix: "/grouped" });
  grouped.use(read);
  grouped.get("/contracts", answer);
  app.use(router.routes()).use(grouped.routes());

  const handle = app.callback();
  // Koa takes both kinds of requests; its types know one.
  const server = http2
    ? createHttp2Server((req, res) => void handle(req as never, res as never))
    : createServer((req, res) => void handle(req, res));
  return await listen(server);
}
