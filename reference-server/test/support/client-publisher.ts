import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the address of a client answers; a function answers for itself, or never. */
type Publication =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: object | string;
    }
  | ((response: ServerResponse, headers: IncomingHttpHeaders) => void);

/** A host that publishes metadata documents, over real HTTP on loopback. */
export interface ClientPublisher {
  /** With its port, as the server lists it. */
  readonly host: string;
  readonly origin: string;
  /** Makes an address answer, from now on. Returns the address. */
  publish(path: string, publication: Publication): string;
  /** A document as programs in use have it, and its address. */
  publishClient(
    path: string,
    change?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): string;
  /** The headers of every request so far, by path. */
  requests(path: string): readonly IncomingHttpHeaders[];
  close(): Promise<void>;
}

export async function startClientPublisher(): Promise<ClientPublisher> {
  const publications = new Map<string, Publication>();
  const received = new Map<string, IncomingHttpHeaders[]>();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    received.set(path, [...(received.get(path) ?? []), request.headers]);
    const publication = publications.get(path) ?? { status: 404, body: "not here" };
    if (typeof publication === "function") return publication(response, request.headers);
    const { status = 200, headers = {}, body = {} } = publication;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const given = { "content-type": "application/json", ...headers };
    const entityTag = new Map(Object.entries(given)).get("etag");
    if (status === 200 && entityTag !== undefined && request.headers["if-none-match"] === entityTag)
      return response.writeHead(304, given).end();
    return response.writeHead(status, given).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  const publish = (path: string, publication: Publication) => {
    publications.set(path, publication);
    return `${origin}${path}`;
  };
  return {
    host,
    origin,
    publish,
    publishClient: (path, change = {}, headers = {}) =>
      publish(path, { headers, body: { ...usualDocument(`${origin}${path}`), ...change } }),
    requests: (path) => received.get(path) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What programs in use publish: two loopback addresses without a port, and no secret. */
export function usualDocument(clientId: string): Readonly<Record<string, unknown>> {
  return {
    client_id: clientId,
    client_name: "Field Notes",
    client_uri: "https://notes.example",
    logo_uri: "https://notes.example/logo.png",
    redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
}
