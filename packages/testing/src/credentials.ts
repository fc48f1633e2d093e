import { inMemory, type ProofSigner } from "@authz/dpop";
import { type Authz, type AuthzOptions, initAuthz } from "@authz/verify";
import { publicUrl } from "./service-description.js";
import type { IssuerSignatures } from "./signatures.js";
import type { Caller, RequestToSign, SignedHeaders } from "./types.js";

/** Issues an access token for a caller, bound to the signer's key. */
export type TokenSource = (signer: ProofSigner, caller: Caller) => Promise<string>;

/**
 * Redeems identity assertions at the token route of the SDK itself, without a network.
 *
 * The route uses a copy of the service's options with its own replay store, so that the tested service sees only the
 * requests of the test.
 */
export function createTokenSource(
  issuer: string,
  options: AuthzOptions,
  signatures: IssuerSignatures,
): TokenSource {
  const tokenEndpoint = `${options.publicOrigin}/oauth/token`;
  const route = tokenRoute(initAuthz(issuer, { ...options, replayStore: inMemory() }));

  return async function issueAccessToken(signer, caller) {
    const { machine, app, ...employee } = caller;
    const scopes = caller.scopes ?? options.supportedScopes;
    if (machine !== undefined && app !== undefined) {
      throw new TypeError("A request comes from a machine or through an app of an employee, not both.");
    }
    if (machine !== undefined) return signatures.machineToken(machine, scopes, signer.thumbprint);
    if (app !== undefined) return signatures.userToken({ ...caller, thumbprint: signer.thumbprint });
    const assertion = signatures.assertion({ ...employee, scopes, thumbprint: signer.thumbprint });
    const answer = await route.handle({
      method: "POST",
      url: "/oauth/token",
      authorization: [],
      dpop: [signer.sign({ method: "POST", url: tokenEndpoint, ...currentNonce(options) })],
      contentType: ["application/x-www-form-urlencoded"],
      ifNoneMatch: [],
      body: new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion,
      }).toString(),
    });
    if (answer.status === 200)
      return (JSON.parse(String(answer.body)) as { access_token: string }).access_token;
    throw new Error(
      `The service's token route refused a token for "${scopes.join(" ")}": ${String(answer.body)}`,
    );
  };
}

/** Signs one request with a token and a fresh proof. */
export function authorizedHeaders(
  request: RequestToSign,
  service: Pick<AuthzOptions, "publicOrigin" | "nonces">,
  credentials: { signer: ProofSigner; accessToken: string },
): SignedHeaders {
  const { signer, accessToken } = credentials;
  const url = publicUrl(request.url, service.publicOrigin);
  const nonce = request.nonce === undefined ? currentNonce(service) : { nonce: request.nonce };
  return {
    authorization: `DPoP ${accessToken}`,
    dpop: signer.sign({ method: request.method ?? "GET", url, accessToken, ...nonce }),
  };
}

function currentNonce({ nonces }: Pick<AuthzOptions, "nonces">): { nonce?: string } {
  return nonces === undefined ? {} : { nonce: nonces.current() };
}

function tokenRoute(authz: Authz): Authz["routes"][number] {
  const route = authz.routes.find(({ method, path }) => method === "POST" && path === "/oauth/token");
  if (route === undefined)
    throw new Error("@authz/verify has no token route; its version does not fit this package.");
  return route;
}
