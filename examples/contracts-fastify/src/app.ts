import { type AuthzOptions, type FastifyAuthz, initAuthz } from "@authz/fastify";
import Fastify, { type FastifyInstance } from "fastify";
import { createContracts, customerMissing, listContractsSkill, parseCustomer } from "./contracts.js";

/** Builds the contracts API. Nothing here listens or reads the environment, so tests use it as it is. */
export function createApp(
  issuer: string,
  options: AuthzOptions,
): { app: FastifyInstance; authz: FastifyAuthz } {
  const skills = { items: [listContractsSkill(options.publicOrigin)] };
  const authz = initAuthz(issuer, { ...options, skills });
  const contracts = createContracts();

  const app = Fastify();
  authz.registerRoutes(app);

  app.get(
    "/api/contracts",
    { onRequest: authz.requireAuth({ scopes: ["contracts:read"] }) },
    async (request) => ({ requested_by: request.auth.identity.subject, contracts: contracts.all() }),
  );

  app.post(
    "/api/contracts",
    { onRequest: authz.requireAuth({ scopes: ["contracts:write"] }) },
    async (request, reply) => {
      const customer = parseCustomer(request.body);
      return customer === undefined
        ? reply.code(400).send(customerMissing)
        : reply.code(201).send(contracts.add(customer));
    },
  );

  return { app, authz };
}
