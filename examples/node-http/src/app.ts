import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import {
  type Auth,
  type Authz,
  type AuthzOptions,
  handleNodeRequest,
  initAuthz,
  requestFromNode,
  sendNodeResponse,
} from "@authz/verify";
import { contracts, listContractsSkill } from "./contracts.js";

/** Builds the contracts API. Nothing here listens or reads the environment, so tests use it as it is. */
export function createApp(issuer: string, options: AuthzOptions): { app: Server; authz: Authz } {
  const skills = { items: [listContractsSkill(options.publicOrigin)] };
  const authz = initAuthz(issuer, { ...options, skills });
  const mayRead = authz.definePolicy({ scopes: ["contracts:read"] });

  /** The verified caller, or undefined when the request has been answered with a refusal. */
  async function authorize(request: IncomingMessage, response: ServerResponse): Promise<Auth | undefined> {
    try {
      return await authz.authenticate(requestFromNode(request), mayRead);
    } catch (error) {
      const refusal = authz.refusal(error);
      if (refusal === undefined) throw error;
      sendNodeResponse(response, refusal);
      return undefined;
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (await handleNodeRequest(authz, request, response)) return;
    if (request.method !== "GET" || request.url !== "/api/contracts") {
      sendJson(response, 404, { error: "not_found" });
      return;
    }
    const auth = await authorize(request, response);
    if (auth === undefined) return;
    for (const [name, value] of Object.entries(authz.nonceHeaders())) response.setHeader(name, value);
    sendJson(response, 200, { requested_by: auth.identity.subject, contracts });
  }

  const app = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      sendJson(response, 500, { error: "server_error" });
    });
  });
  return { app, authz };
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
