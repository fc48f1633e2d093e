import { type AuthzOptions, type ExpressAuthz, initAuthz } from "@authz/express";
import express, { type Express } from "express";
import {
  contractMissing,
  createContracts,
  customerMissing,
  deletionOf,
  listContractsSkill,
  parseCustomer,
} from "./contracts.js";

/** Builds the contracts API. Nothing here listens or reads the environment, so tests use it as it is. */
export function createApp(issuer: string, options: AuthzOptions): { app: Express; authz: ExpressAuthz } {
  const skills = { items: [listContractsSkill(options.publicOrigin)] };
  const authz = initAuthz(issuer, { ...options, skills });
  const contracts = createContracts();

  const app = express();
  authz.registerRoutes(app);

  app.get("/api/contracts", authz.requireAuth({ scopes: ["contracts:read"] }), (req, res) => {
    res.json({ requested_by: req.auth.identity.subject, contracts: contracts.all() });
  });

  app.post(
    "/api/contracts",
    authz.requireAuth({ scopes: ["contracts:write"] }),
    express.json(),
    (req, res) => {
      const customer = parseCustomer(req.body);
      if (customer === undefined) res.status(400).json(customerMissing);
      else res.status(201).json(contracts.add(customer));
    },
  );

  // Each deletion needs a person's approval of this contract as it is now.
  app.delete(
    "/api/contracts/:id",
    authz.requireAuth({ scopes: ["contracts:write"] }),
    express.json({ verify: authz.rawBody }),
    authz.requireApproval((req: express.Request<{ id: string }>) =>
      deletionOf(contracts.find(req.params.id)),
    ),
    (req, res) => {
      if (contracts.remove(req.params.id)) res.sendStatus(204);
      else res.status(404).json(contractMissing);
    },
  );

  return { app, authz };
}
