import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { PublicJwk } from "@authz/dpop";

/** Responses of the issuer by path. */
export type Documents = Readonly<Record<string, string>>;

/** The issuer's metadata and key set, the only documents that a resource server fetches. */
export function issuerDocuments(url: string, kid: string, publicJwk: PublicJwk): Documents {
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
    const body = documents[requested.pathname];
    const init = { status: body === undefined ? 404 : 200, headers: { "content-type": "application/json" } };
    return Promise.resolve(new Response(body ?? "{}", init));
  };
}

/** A loopback server on a free port. Its documents are set later, because they contain its address. */
export async function listenOnFreePort(): Promise<{
  url: string;
  serve(documents: Documents): void;
  server: Server;
}> {
  let served: Documents = {};
  const server = createServer((request, response) => {
    const body = served[request.url ?? ""];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(body ?? "{}");
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, serve: (documents) => void (served = documents), server };
}
