import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How an issuer answers one request; by default with its documents. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An issuer on a real port, whose documents and manners a test changes. */
export interface IssuerServer {
  readonly origin: string;
  /** The paths asked for, in order. */
  readonly requests: string[];
  keys: readonly unknown[];
  metadata: Record<string, unknown>;
  /** The Status List Token, and its tag; absent: it publishes none. */
  statusList: { readonly token: string; readonly etag?: string } | undefined;
  /** Answers instead of the documents. */
  handler: Handler | undefined;
  close(): Promise<void>;
}

export async function startIssuerServer(keys: readonly unknown[]): Promise<IssuerServer> {
  const server = createServer((request, response) => {
    issuer.requests.push(request.url ?? "");
    if (issuer.handler !== undefined) issuer.handler(request, response);
    else serveDocuments(issuer, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer: IssuerServer = {
    origin,
    requests: [],
    keys,
    metadata: { issuer: origin, jwks_uri: `${origin}/api/oauth/jwks` },
    statusList: undefined,
    handler: undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
  return issuer;
}

/** Answers with the documents of the issuer, as it does by default. */
export function serveDocuments(
  issuer: IssuerServer,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  if (request.url === "/oauth/status" && issuer.statusList !== undefined) {
    const { token, etag } = issuer.statusList;
    const isKnown = etag !== undefined && request.headers["if-none-match"] === etag;
    response.writeHead(isKnown ? 304 : 200, {
      "content-type": "application/statuslist+jwt",
      ...(etag && { etag }),
    });
    response.end(isKnown ? undefined : token);
    return;
  }
  const documents: Record<string, unknown> = {
    "/.well-known/oauth-authorization-server": issuer.metadata,
    "/api/oauth/jwks": { keys: issuer.keys },
  };
  const document = documents[request.url ?? ""];
  response.statusCode = document === undefined ? 404 : 200;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(document ?? {}));
}
