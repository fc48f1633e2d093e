import { type AuthzOptions, type FastifyAuthz, initAuthz } from "@authz/fastify";
import Fastify, { type FastifyInstance } from "fastify";
import {
  contractMissing,
  createContracts,
  customerMissing,
  deletionOf,
  listContractsSkill,
  parseCustomer,
} from "./contracts.js";

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

  // Each deletion needs a person's approval of this contract as it is now.
  const idOf = (request: { params: unknown }) => (request.params as { id: string }).id;
  app.delete(
    "/api/contracts/:id",
    {
      onRequest: authz.requireAuth({ scopes: ["contracts:write"] }),
      preParsing: authz.rawBody,
      preHandler: authz.requireApproval((request) => deletionOf(contracts.find(idOf(request)))),
    },
    async (request, reply) =>
      contracts.remove(idOf(request)) ? reply.code(204).send() : reply.code(404).send(contractMissing),
  );

  return { app, authz };
}
