import { createServer } from "node:http";
import { type ContractApp, listen, type RunningApp } from "@authz/contract-tests";
import { initAuthz } from "@authz/express";
import type express from "express";

/** The application of the contract tests, on whichever Express is passed in. */
export async function startExpress(framework: typeof express, contract: ContractApp): Promise<RunningApp> {
  const authz = initAuthz(contract.issuer, contract.options);
  const { entered } = contract;
  const app = framework();
  if (contract.bodyParsers) app.use(framework.json(), framework.urlencoded({ extended: false }));
  authz.registerRoutes(app);
  if (contract.guardEverything) app.use(authz.requireAuth());

  const answer: express.RequestHandler = (req, res) => {
    entered(req.path);
    res.json({ subject: req.auth.identity.subject });
  };
  const read = authz.requireAuth({ scopes: ["contracts:read"] });
  app.get("/api/contracts", read, answer);
  app.post("/api/contracts", read, answer);
  app.get("/api/admin", authz.requireAuth({ scopes: ["contracts:read", "contracts:write"] }), answer);
  app.get("/api/either", authz.requireAuth({ anyScopes: ["contracts:write", "contracts:delete"] }), answer);
  app.get("/api/me", authz.requireAuth(), (req, res) => {
    entered(req.path);
    res.json(req.auth);
  });
  app.get("/api/throws", read, (req) => {
    entered(req.path);
    throw new Error("The handler failed.");
  });

  const write = authz.requireAuth({ scopes: ["contracts:write"] });
  const json = framework.json({ verify: authz.rawBody });
  const approved = authz.requireApproval((req: express.Request) => contract.need(req.path), {
    headers: ["If-Match"],
  });
  const carryOut: express.RequestHandler = (req, res) => {
    entered(req.path);
    res.json(req.auth.transaction ?? {});
  };
  app.post("/api/payments", write, json, approved, carryOut);
  app.delete("/api/payments", write, json, approved, carryOut);
  app.post("/api/transfers", write, json, approved, carryOut);

  const grouped = framework.Router();
  grouped.use(read);
  grouped.get("/contracts", (req, res) => {
    entered(req.baseUrl + req.path);
    res.json({ subject: req.auth.identity.subject });
  });
  app.use("/grouped", grouped);

  app.get("/open", (_req, res) => {
    res.json({ open: true });
  });
  app.post("/echo", (req, res) => {
    res.json(req.body);
  });

  return await listen(createServer(app));
}
