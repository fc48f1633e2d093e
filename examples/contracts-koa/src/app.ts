import { type AuthzOptions, initAuthz, type KoaAuthz } from "@authz/koa";
import { bodyParser } from "@koa/bodyparser";
import { Router } from "@koa/router";
import Koa from "koa";
import { createContracts, customerMissing, listContractsSkill, parseCustomer } from "./contracts.js";

/** Builds the contracts API. Nothing here listens or reads the environment, so tests use it as it is. */
export function createApp(issuer: string, options: AuthzOptions): { app: Koa; authz: KoaAuthz } {
  const skills = { items: [listContractsSkill(options.publicOrigin)] };
  const authz = initAuthz(issuer, { ...options, skills });
  const contracts = createContracts();

  const app = new Koa();
  authz.registerRoutes(app);

  const router = new Router();
  router.get("/api/contracts", authz.requireAuth({ scopes: ["contracts:read"] }), (ctx) => {
    ctx.body = { requested_by: ctx.state.auth.identity.subject, contracts: contracts.all() };
  });

  router.post("/api/contracts", authz.requireAuth({ scopes: ["contracts:write"] }), bodyParser(), (ctx) => {
    const customer = parseCustomer(ctx.request.body);
    ctx.status = customer === undefined ? 400 : 201;
    ctx.body = customer === undefined ? customerMissing : contracts.add(customer);
  });
  app.use(router.routes());

  return { app, authz };
}
