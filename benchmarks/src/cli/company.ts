import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Stoppable } from "../frame.js";

/** An authorization server and one service on one port. */
export interface Company extends Stoppable {
  readonly issuer: string;
  /** The address of the service's route. */
  readonly api: string;
  /** Requests so far, as `POST /token`. */
  readonly seen: readonly string[];
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
    const { pathname, searchParams } = new URL(request.url ?? "/", issuer);
    seen.push(`${request.method} ${pathname}`);
    if (pathname === "/authorize") {
      const parameters = { code: "code", state: searchParams.get("state") ?? "", iss: issuer };
      const location = `${searchParams.get("redirect_uri")}?${new URLSearchParams(parameters).toString()}`;
      response.writeHead(302, { location }).end();
    } else {
      response.writeHead(200, { "content-type": "application/json", "cache-control": "max-age=3600" });
      response.end(JSON.stringify(answerOf(issuer, pathname, form.get("grant_type") ?? "")));
    }
  };
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const scheme = certificate === undefined ? "http" : "https";
  const issuer = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, api: `${issuer}/api/contracts`, seen, stop: () => server.close() };
}

function answerOf(issuer: string, path: string, grantType: string): object {
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
      return tokenAnswer(issuer, grantType);
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
