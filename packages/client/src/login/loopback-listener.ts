import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type CompletionPage, renderCompletionPage } from "./completion-page.js";

/** The browser's visit with the answer of the authorization server. */
export interface LoopbackCallback {
  parameters: URLSearchParams;
  /** Shows the person how it ended. */
  finish(page: CompletionPage): Promise<void>;
}

/** Waits on 127.0.0.1 for the browser to come back (RFC 8252 §7.3). */
export interface LoopbackListener {
  redirectUri: string;
  callback: Promise<LoopbackCallback>;
  close(): Promise<void>;
}

/**
 * Opens a free port on 127.0.0.1 for one callback.
 *
 * Only a visit that carries `state` counts: any page in the browser can call this port, and must not be able to end the
 * sign-in of another person.
 */
export async function listenOnLoopback(state: string): Promise<LoopbackListener> {
  const { promise, resolve } = withResolver<LoopbackCallback>();
  let answered = false;
  let host = "";
  const server = createServer((request, response) => {
    const parameters = callbackParameters(request, host);
    if (parameters === undefined) return refuse(response, 404);
    if (parameters.get("state") !== state || answered) return refuse(response, 400);
    answered = true;
    resolve({ parameters, finish: async (page) => await show(response, page, request) });
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", failed);
    server.listen(0, "127.0.0.1", listening);
  });
  host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return {
    redirectUri: `http://${host}/callback`,
    callback: promise,
    close: async () => {
      await new Promise<void>((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      });
    },
  };
}

/** The parameters of a visit to the callback; undefined for anything else, such as a rebound host name. */
function callbackParameters(request: IncomingMessage, host: string): URLSearchParams | undefined {
  if (request.method !== "GET" || request.headers.host !== host) return undefined;
  const url = new URL(request.url ?? "/", `http://${host}`);
  return url.pathname === "/callback" ? url.searchParams : undefined;
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { "cache-control": "no-store", connection: "close" }).end();
}

async function show(response: ServerResponse, page: CompletionPage, request: IncomingMessage): Promise<void> {
  const { html, headers } = renderCompletionPage(page, request.headers["accept-language"] ?? "");
  await new Promise<void>((finished) => {
    response.once("close", finished);
    response.writeHead(page.succeeded ? 200 : 400, { ...headers, connection: "close" }).end(html);
  });
}

function withResolver<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let settle: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: settle };
}
