import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { PublicJwk } from "@authz/dpop";
import type { TestApprovals } from "./approvals.js";

/** Responses of the issuer by path. A function makes one that changes. */
export type Documents = Readonly<Record<string, string | (() => string)>>;

const transactionPath = "/api/oauth/transaction";

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
    transaction_authorization_endpoint: url + transactionPath,
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
export function documentFetch(
  url: string,
  documents: Documents,
  approvals: Pick<TestApprovals, "answer">,
): typeof fetch {
  return async (input, init) => {
    const requested = new URL(input instanceof Request ? input.url : input);
    if (requested.origin !== url) {
      throw new TypeError(`The test issuer serves ${url} only, not ${requested.href}.`);
    }
    const posted = requested.pathname === transactionPath ? await new Request(input, init).text() : "";
    const { status, type, body } =
      find(documents, requested.pathname) ?? answerChallenge(requested.pathname, posted, approvals);
    return new Response(body, { status, headers: { "content-type": type } });
  };
}

/** A response of the issuer. */
interface Found {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

function answerChallenge(path: string, posted: string, approvals: Pick<TestApprovals, "answer">): Found {
  if (path !== transactionPath) return { status: 404, type: "application/json", body: "{}" };
  const { status, body } = approvals.answer(new URLSearchParams(posted));
  return { status, type: "application/json", body: JSON.stringify(body) };
}

function find(documents: Documents, path: string): Found | undefined {
  const document = documents[path];
  if (typeof document === "function")
    return { status: 200, type: "application/statuslist+jwt", body: document() };
  return document === undefined ? undefined : { status: 200, type: "application/json", body: document };
}

/** A loopback server on a free port. Its documents are set later, because they contain its address. */
export async function listenOnFreePort(): Promise<{
  url: string;
  serve(documents: Documents, approvals: Pick<TestApprovals, "answer">): void;
  server: Server;
}> {
  let served: Documents = {};
  let approvals: Pick<TestApprovals, "answer"> | undefined;
  const server = createServer((request, response) => {
    const path = request.url ?? "";
    const answer = (posted: string): void => {
      const missing = { status: 404, type: "application/json", body: "{}" };
      const { status, type, body } =
        find(served, path) ?? (approvals === undefined ? missing : answerChallenge(path, posted, approvals));
      response.writeHead(status, { "content-type": type });
      response.end(body);
    };
    text(request).then(answer, () => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const serve = (documents: Documents, endpoint: Pick<TestApprovals, "answer">): void => {
    served = documents;
    approvals = endpoint;
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, serve, server };
}
