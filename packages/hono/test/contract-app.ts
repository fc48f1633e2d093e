import type { ContractApp } from "@authz/contract-tests";
import { type AuthEnv, initAuthz } from "@authz/hono";
import type { Context, Hono } from "hono";

/** The application of the contract tests, on whichever Hono is passed in, for any server. */
export function createContractApp(Framework: typeof Hono, contract: ContractApp): Hono {
  const authz = initAuthz(contract.issuer, contract.options);
  const { entered } = contract;
  const app = new Framework();
  app.onError((_error, c) => c.text("Internal Server Error", 500));
  if (contract.bodyParsers) {
    app.use(async (c, next) => {
      await readBody(c);
      await next();
    });
  }
  authz.registerRoutes(app);
  if (contract.guardEverything) app.use(authz.requireAuth());

  const answer = (c: Context<AuthEnv>): Response => {
    entered(c.req.path);
    return c.json({ subject: c.get("auth").identity.subject });
  };
  const read = authz.requireAuth({ scopes: ["contracts:read"] });
  app.get("/api/contracts", read, answer);
  app.post("/api/contracts", read, answer);
  app.get("/api/admin", authz.requireAuth({ scopes: ["contracts:read", "contracts:write"] }), answer);
  app.get("/api/either", authz.requireAuth({ anyScopes: ["contracts:write", "contracts:delete"] }), answer);
  app.get("/api/me", authz.requireAuth(), (c) => {
    entered(c.req.path);
    return c.json(c.get("auth"));
  });
  app.get("/api/throws", read, (c) => {
    entered(c.req.path);
    throw new Error("The handler failed.");
  });
  const write = authz.requireAuth({ scopes: ["contracts:write"] });
  const approved = authz.requireApproval((c) => contract.need(c.req.path), { headers: ["If-Match"] });
  const carryOut = (c: Context<AuthEnv>): Response => {
    entered(c.req.path);
    return c.json(c.get("auth").transaction ?? {});
  };
  app.post("/api/payments", write, approved, carryOut);
  app.delete("/api/payments", write, approved, carryOut);
  app.post("/api/transfers", write, approved, carryOut);
  app.get("/open", (c) => c.json({ open: true }));
  app.post("/echo", async (c) => c.json(await readBody(c)));

  const grouped = new Framework<AuthEnv>();
  grouped.use(read);
  grouped.get("/contracts", answer);
  app.route("/grouped", grouped);

  return app;
}

/** JSON or a form, as a validator of the application reads them. */
async function readBody(c: Context): Promise<Record<string, unknown>> {
  const type = c.req.header("content-type") ?? "";
  if (!type.startsWith("application/json")) return c.req.parseBody({ all: true });
  const text = await c.req.text();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}
