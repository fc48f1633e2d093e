import { createServer } from "node:http";
import { createServer as createHttp2Server } from "node:http2";
import { buffer, text } from "node:stream/consumers";
import {
  type Authz,
  initAuthz,
  type NodeRequest,
  type NodeResponse,
  requestFromNode,
  sendNodeResponse,
} from "@authz/verify";
import { type ContractApp, listen, type RunningApp } from "../../src/adapter/contract-app.js";
import { contractRoutes, parseBody, routeName } from "./contract-routes.js";

/** The application of the contract tests on plain `node:http`. */
export async function startNode(contract: ContractApp): Promise<RunningApp> {
  const authz = initAuthz(contract.issuer, contract.options);
  const answer = nodeApplication(authz, contract);
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  return await listen(server);
}

/** The same on plain `node:http2`. */
export async function startNodeHttp2(contract: ContractApp): Promise<RunningApp> {
  const answer = nodeApplication(initAuthz(contract.issuer, contract.options), contract);
  const server = createHttp2Server((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  return await listen(server);
}

function nodeApplication(
  authz: Authz,
  contract: ContractApp,
): (request: NodeRequest, response: NodeResponse) => Promise<void> {
  const routes = contractRoutes(contract);
  const guard = authz.defineApproval({ headers: ["If-Match"] });

  return async (request, response) => {
    const { method = "", url = "", headers } = request;
    const overrides = contract.bodyParsers
      ? { body: parseBody(headers["content-type"] ?? "", await text(request)) }
      : {};
    if (await authz.handleNode(request, response, overrides)) return;
    const route = routes.get(routeName(method, url));
    const policy = route?.policy ?? (contract.guardEverything ? {} : undefined);
    let decision = policy && (await authz.decide(requestFromNode(request, overrides), policy));
    if (decision?.refusal !== undefined) {
      sendNodeResponse(response, decision.refusal);
      return;
    }
    if (decision !== undefined && route?.approvedPath !== undefined) {
      decision = await guard({
        request: requestFromNode(request),
        auth: decision.auth,
        need: await contract.need(route.approvedPath),
        body: async () => await buffer(request),
      });
      if (decision.refusal !== undefined) {
        sendNodeResponse(response, decision.refusal);
        return;
      }
    }
    const result = route?.respond(decision?.auth, overrides.body);
    const type = { "content-type": "application/json", ...decision?.headers };
    response.writeHead(route === undefined ? 404 : 200, type).end(JSON.stringify(result ?? {}));
  };
}
