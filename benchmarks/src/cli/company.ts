import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** An authorization server and one service on one port. */
export interface Company {
  readonly issuer: string;
  /** The address of the service's route. */
  readonly api: string;
  /** Requests so far, as `POST /token`. */
  readonly seen: readonly string[];
  close(): void;
}

/**
 * Answers everything the command asks, checks nothing, and agrees to every grant: only the command's own work is
 * measured here, and the real server would take the same computer's time.
 */
export async function startCompany(certificate?: { key: Buffer; cert: Buffer }): Promise<Company> {
  const seen: string[] = [];
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response);
  const server =
    certificate === undefined ? createServer(listener) : createSecureServer(certificate, listener);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await text(request));
    const { path, query } = targetOf(request);
    seen.push(`${request.method ?? ""} ${path}`);
    if (path === "/authorize") {
      response.writeHead(302, { location: callbackOf(issuer, query) }).end();
    } else {
      response.writeHead(200, { "content-type": "application/json", "cache-control": "max-age=3600" });
      response.end(JSON.stringify(answerOf(issuer, path, form)));
    }
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const scheme = certificate === undefined ? "http" : "https";
  const issuer = `${scheme}://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { issuer, api: `${issuer}/api/contracts`, seen, close: () => server.close() };
}

function targetOf({ url = "/" }: IncomingMessage): { path: string; query: URLSearchParams } {
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  return { path: pathname, query: searchParams };
}

function callbackOf(issuer: string, query: URLSearchParams): string {
  const parameters = new URLSearchParams({ code: "code", state: query.get("state") ?? "", iss: issuer });
  return `${query.get("redirect_uri") ?? ""}?${parameters.toString()}`;
}

function answerOf(issuer: string, path: string, form: URLSearchParams): unknown {
  switch (path) {
    case "/.well-known/oauth-authorization-server":
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        authorization_response_iss_parameter_supported: true,
        id_token_signing_alg_values_supported: ["ES256"],
      };
    case "/token":
      return tokenAnswer(issuer, form.get("grant_type") ?? "");
    case "/api/me/resources":
      return { items: [resource(issuer)] };
    default:
      return { contracts: [{ id: "C-1", customer: "Northwind", status: "active" }] };
  }
}

function tokenAnswer(issuer: string, grantType: string): object {
  const accessToken = randomBytes(400).toString("base64url");
  if (grantType.endsWith("token-exchange"))
    return {
      access_token: accessToken,
      issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
      token_type: "N_A",
      expires_in: 300,
    };
  return {
    access_token: accessToken,
    token_type: "DPoP",
    expires_in: 3600,
    refresh_token: randomBytes(32).toString("base64url"),
    ...(grantType === "authorization_code" ? { id_token: idToken(issuer) } : {}),
  };
}

/** The command checks the claims; the signature is that of the connection it came through. */
function idToken(issuer: string): string {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, sub: "ada", aud: "authz-cli", iat: now, exp: now + 300, name: "Ada" };
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "ES256", typ: "JWT" })}.${encode(claims)}.${"A".repeat(86)}`;
}

function resource(issuer: string): object {
  return {
    key: "contracts",
    name: "Contracts",
    resource: `${issuer}/api`,
    authorizationServer: issuer,
    clientId: "authz-cli",
    requestPrefixes: [`${issuer}/api`],
    supportedScopes: ["contracts:read"],
    grantedScopes: ["contracts:read"],
  };
}
