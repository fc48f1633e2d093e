import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { type ContractApp, listen, type RunningApp } from "@authz/contract-tests";
import { createContractApp, type NextApp } from "./contract-app.js";

/**
 * The application of the contract tests, without Next.js: its handlers behind a server that makes a `Request` as Next.js does,
 * of Node's `headers`, and finds files in the same order. On Next.js itself it runs in `tests/packaging/next.system.test.ts`.
 */
export async function startNext(contract: ContractApp): Promise<RunningApp> {
  const app = createContractApp(contract);
  const server = createServer((incoming, response) => {
    Promise.resolve(requestOf(incoming))
      .then((request) => answer(app, request))
      .then((result) => send(response, result))
      .catch(() => response.writeHead(500).end());
  });
  return await listen(server);
}

async function answer({ routes, proxy }: NextApp, request: Request): Promise<Response> {
  const refused = await proxy(request);
  if (refused !== undefined) return refused;
  const path = new URL(request.url).pathname.slice(1);
  const module = routes[path] ?? routes[`${path.split("/")[0]}/[...path]`];
  if (module === undefined) return new Response("Not Found", { status: 404 });
  const handler = module[request.method] ?? (request.method === "HEAD" ? module["GET"] : undefined);
  return handler?.(request, { params: Promise.resolve({}) }) ?? new Response(null, { status: 405 });
}

function requestOf(incoming: IncomingMessage): Request {
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) {
    for (const line of [value ?? []].flat()) headers.append(name, line);
  }
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(url.startsWith("/") ? `http://inside.example${url}` : url, {
    method,
    headers,
    ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: "half" }),
  });
}

async function send(response: ServerResponse, result: Response): Promise<void> {
  response.statusCode = result.status;
  for (const [name, value] of result.headers) response.setHeader(name, value);
  response.end(Buffer.from(await result.arrayBuffer()));
}
