import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { PublicJwk } from "@authz/dpop";

/** Responses of the issuer by path. A function makes one that changes. */
export type Documents = Readonly<Record<string, string | (() => string)>>;

/** The issuer's metadata, key set and token status list, the only documents that a resource server fetches. */
export function issuerDocuments(
  url: string,
  { kid, publicJwk, statusList }: { kid: string; publicJwk: PublicJwk; statusList: () => string },
): Documents {
  const metadata = JSON.stringify({
    issuer: url,
    authorization_endpoint: `${url}/api/oauth/authorize`,
    token_endpoint: `${url}/api/oauth/token`,
    jwks_uri: `${url}/api/oauth/jwks`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    dpop_signing_alg_values_supported: ["ES256"],
  });
  return {
    "/.well-known/oauth-authorization-server": metadata,
    "/.well-known/openid-configuration": metadata,
    "/oauth/status": statusList,
    "/api/oauth/jwks": JSON.stringify({ keys: [{ ...publicJwk, kid, alg: "ES256", use: "sig" }] }),
  };
}

/** A `fetch` that serves only the issuer; other addresses fail as unknown hosts do. */
export function documentFetch(url: string, documents: Documents): typeof fetch {
  return (input) => {
    const requested = new URL(input instanceof Request ? input.url : input);
    if (requested.origin !== url) {
      return Promise.reject(new TypeError(`The test issuer serves ${url} only, not ${requested.href}.`));
    }
    const { status, type, body } = find(documents, requested.pathname);
    return Promise.resolve(new Response(body, { status, headers: { "content-type": type } }));
  };
}

function find(documents: Documents, path: string): { status: number; type: string; body: string } {
  const document = documents[path];
  if (typeof document === "function")
    return { status: 200, type: "application/statuslist+jwt", body: document() };
  return { status: document === undefined ? 404 : 200, type: "application/json", body: document ?? "{}" };
}

/** A loopback server on a free port. Its documents are set later, because they contain its address. */
export async function listenOnFreePort(): Promise<{
  url: string;
  serve(documents: Documents): void;
  server: Server;
}> {
  let served: Documents = {};
  const server = createServer((request, response) => {
    const { status, type, body } = find(served, request.url ?? "");
    response.writeHead(status, { "content-type": type });
    response.end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, serve: (documents) => void (served = documents), server };
}
