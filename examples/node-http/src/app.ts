import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type Authz, type AuthzOptions, initAuthz, requestFromNode, sendNodeResponse } from "@authz/verify";
import { contracts, listContractsSkill } from "./contracts.js";

/** Builds the contracts API. Nothing here listens or reads the environment, so tests use it as it is. */
export function createApp(issuer: string, options: AuthzOptions): { app: Server; authz: Authz } {
  const skills = { items: [listContractsSkill(options.publicOrigin)] };
  const authz = initAuthz(issuer, { ...options, skills });
  const mayRead = authz.definePolicy({ scopes: ["contracts:read"] });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await authz.handleNode(request, response)) return;
    if (request.method !== "GET" || request.url !== "/api/contracts") {
      sendJson(response, 404, { error: "not_found" });
      return;
    }
    const decision = await authz.decide(requestFromNode(request), mayRead);
    if (decision.refusal) {
      sendNodeResponse(response, decision.refusal);
      return;
    }
    const { auth, headers } = decision;
    sendJson(response, 200, { requested_by: auth.identity.subject, contracts }, headers);
  }

  const app = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      sendJson(response, 500, { error: "server_error" });
    });
  });
  return { app, authz };
}

function sendJson(response: ServerResponse, status: number, body: object, headers: object = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}
