import type { AddressInfo } from "node:net";
import type { ContractApp, RunningApp } from "@authz/contract-tests";
import { type AuthHook, initAuthz } from "@authz/fastify";
import Fastify, { type FastifyInstance, type RouteHandlerMethod } from "fastify";

/** Where the guards of the application hook in. */
export type HookName = "onRequest" | "preHandler";

/** The application of the contract tests, with its guards on one hook. */
export async function startFastify(
  hookName: HookName,
  contract: ContractApp,
  app: FastifyInstance = Fastify(),
): Promise<RunningApp> {
  const authz = initAuthz(contract.issuer, contract.options);
  const { entered } = contract;
  if (contract.bodyParsers) addFormParser(app);
  authz.registerRoutes(app);
  const guard = (hook: AuthHook): { [name in HookName]?: AuthHook } => ({ [hookName]: hook });
  if (contract.guardEverything) addGuard(app, hookName, authz.requireAuth());

  const answer: RouteHandlerMethod = async (request) => {
    entered(request.routeOptions.url ?? "");
    return { subject: request.auth.identity.subject };
  };
  const read = guard(authz.requireAuth({ scopes: ["contracts:read"] }));
  app.get("/api/contracts", read, answer);
  app.post("/api/contracts", read, answer);
  app.get("/api/admin", guard(authz.requireAuth({ scopes: ["contracts:read", "contracts:write"] })), answer);
  app.get(
    "/api/either",
    guard(authz.requireAuth({ anyScopes: ["contracts:write", "contracts:delete"] })),
    answer,
  );
  app.get("/api/me", guard(authz.requireAuth()), async (request) => {
    entered(request.url);
    return request.auth;
  });
  app.get("/api/throws", read, async (request) => {
    entered(request.url);
    throw new Error("The handler failed.");
  });
  const approved = {
    preParsing: authz.rawBody,
    onRequest: authz.requireAuth({ scopes: ["contracts:write"] }),
    preHandler: authz.requireApproval((request) => contract.need(request.routeOptions.url ?? ""), {
      headers: ["If-Match"],
    }),
  };
  const carryOut: RouteHandlerMethod = async (request) => {
    entered(request.routeOptions.url ?? "");
    return request.auth.transaction ?? {};
  };
  app.post("/api/payments", approved, carryOut);
  app.delete("/api/payments", approved, carryOut);
  app.post("/api/transfers", approved, carryOut);
  await app.register(
    async (scope) => {
      addGuard(scope, hookName, authz.requireAuth({ scopes: ["contracts:read"] }));
      scope.get("/contracts", answer);
    },
    { prefix: "/grouped" },
  );
  app.get("/open", async () => ({ open: true }));
  app.post("/echo", async (request) => request.body);

  await app.listen({ port: 0, host: "127.0.0.1" });
  return { port: (app.server.address() as AddressInfo).port, close: () => app.close() };
}

function addGuard(app: FastifyInstance, hookName: HookName, hook: AuthHook): void {
  if (hookName === "onRequest") app.addHook("onRequest", hook);
  else app.addHook("preHandler", hook);
}

function addFormParser(app: FastifyInstance): void {
  const type = "application/x-www-form-urlencoded";
  app.addContentTypeParser(type, { parseAs: "string" }, (_request, body, done) => {
    const form: Record<string, string | string[]> = {};
    const parameters = new URLSearchParams(body.toString());
    for (const name of new Set(parameters.keys())) {
      const values = parameters.getAll(name);
      form[name] = values.length === 1 ? (values[0] ?? "") : values;
    }
    done(null, form);
  });
}
