import { type Auth, type AuthzOptions, type ExpressAuthz, initAuthz } from "@authz/express";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { type AuthInfo, createMcpHandler, McpServer, requireScopes } from "@modelcontextprotocol/server";
import express, { type Express } from "express";
import { z } from "zod";

/** The scopes of this server: connecting requires the first, and one tool requires both. */
export const scopes = ["contracts:read", "contracts:write"];

/** Builds the MCP server. Nothing here listens or reads the environment, so tests use it as it is. */
export function createApp(issuer: string, options: AuthzOptions): { app: Express; authz: ExpressAuthz } {
  const authz = initAuthz(issuer, options);
  const contracts = [
    { id: "C-1001", customer: "Northwind Traders", status: "active" },
    { id: "C-1002", customer: "Contoso Logistics", status: "draft" },
  ];

  /** One server for each request: nothing is shared but the contracts. */
  const handler = createMcpHandler(({ authInfo }) => {
    const server = new McpServer({ name: "contracts", version: "1.0.0" });
    const answer = (value: object) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });
    server.registerTool("list_contracts", { description: "Lists the customer contracts." }, () =>
      answer({ requested_by: authInfo?.extra?.["subject"], contracts }),
    );
    server.registerTool(
      "create_contract",
      {
        description: "Creates a draft of a contract with a customer.",
        inputSchema: z.object({ customer: z.string().min(1).max(200) }),
        scopeChallenge: requireScopes("contracts:read", "contracts:write"),
      },
      ({ customer }) => {
        const contract = { id: `C-${1001 + contracts.length}`, customer, status: "draft" };
        contracts.push(contract);
        return answer(contract);
      },
    );
    return server;
  });
  const serve = toNodeHandler(handler);
  const resource = new URL("/mcp", options.publicOrigin);

  const app = express();
  authz.registerRoutes(app);
  app.all("/mcp", authz.requireAuth({ scopes: ["contracts:read"] }), (req, res) => {
    void serve(Object.assign(req, { auth: toAuthInfo(req.auth, resource) }), res);
  });
  return { app, authz };
}

/** The caller in the shape that tools know. They get no token: nothing that they do needs one. */
function toAuthInfo({ clientId, scopes: granted, expiresAt, identity }: Auth, resource: URL): AuthInfo {
  return { token: "", clientId, scopes: [...granted], expiresAt, resource, extra: { ...identity } };
}
