import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type Authz, initAuthz, requestFromFetch, responseToFetch } from "@authz/verify";
import { type ContractApp, listen, type RunningApp } from "../../src/adapter/contract-app.js";
import { contractRoutes, parseBody, routeName } from "./contract-routes.js";

/** The application of the contract tests in terms of Fetch, behind a server that does what those of Hono or Next.js do. */
export async function startFetch(contract: ContractApp): Promise<RunningApp> {
  const answer = fetchApplication(initAuthz(contract.issuer, contract.options), contract);
  const server = createServer((request, response) => {
    Promise.resolve(toFetch(request))
      .then(answer)
      .then((result) => send(response, result))
      .catch(() => response.writeHead(500).end());
  });
  return await listen(server);
}

function fetchApplication(authz: Authz, contract: ContractApp): (request: Request) => Promise<Response> {
  const routes = contractRoutes(contract);
  const guard = authz.defineApproval({ headers: ["If-Match"] });

  return async (request) => {
    const own = await authz.handleFetch(request);
    if (own !== undefined) return own;
    const route = routes.get(routeName(request.method, request.url));
    const policy = route?.policy ?? (contract.guardEverything ? {} : undefined);
    let decision = policy && (await authz.decide(requestFromFetch(request), policy));
    if (decision?.refusal !== undefined) return responseToFetch(decision.refusal);
    if (decision !== undefined && route?.approvedPath !== undefined) {
      decision = await guard({
        request: requestFromFetch(request),
        auth: decision.auth,
        need: await contract.need(route.approvedPath),
        body: async () => new Uint8Array(await request.arrayBuffer()),
      });
      if (decision.refusal !== undefined) return responseToFetch(decision.refusal);
    }
    const body =
      decision === undefined
        ? parseBody(request.headers.get("content-type") ?? "", await request.text())
        : undefined;
    return Response.json(route?.respond(decision?.auth, body) ?? {}, {
      status: route === undefined ? 404 : 200,
      headers: decision?.headers ?? {},
    });
  };
}

function toFetch(request: IncomingMessage): Request {
  const { method = "GET", url = "/", rawHeaders } = request;
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url.startsWith("/") ? `http://inside.example${url}` : url, {
    method,
    headers,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
  });
}

async function send(response: ServerResponse, answer: Response): Promise<void> {
  response.statusCode = answer.status;
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.end(Buffer.from(await answer.arrayBuffer()));
}
