import { type AuthzOptions, initAuthz, type KoaAuthz } from "@authz/koa";
import { bodyParser } from "@koa/bodyparser";
import { Router } from "@koa/router";
import Koa from "koa";
import {
  contractMissing,
  createContracts,
  customerMissing,
  deletionOf,
  listContractsSkill,
  parseCustomer,
} from "./contracts.js";

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

  // Each deletion needs a person's approval of this contract as it is now.
  router.delete(
    "/api/contracts/:id",
    authz.requireAuth({ scopes: ["contracts:write"] }),
    authz.requireApproval((ctx) => deletionOf(contracts.find(ctx["params"].id))),
    (ctx) => {
      if (contracts.remove(ctx.params["id"])) {
        ctx.status = 204;
      } else {
        ctx.status = 404;
        ctx.body = contractMissing;
      }
    },
  );
  app.use(router.routes());

  return { app, authz };
}
