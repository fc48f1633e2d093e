import type { ProofSigner } from "@authz/dpop";
import { importPrivateJwk, parseCompactJws, signCompactJws } from "@authz/dpop/jws";
import { type AuthzOptions, initAuthz, type SigningKey } from "@authz/verify";
import { authorizedHeaders, type TokenSource } from "./credentials.js";
import type { IssuerSignatures } from "./signatures.js";
import type { Defects, RequestToSign, SignedHeaders } from "./types.js";

/** Creates each defect by changing one thing in a valid credential. */
export function createDefects(
  issuer: string,
  options: AuthzOptions & { readonly signingKey: SigningKey },
  client: {
    issueAccessToken: TokenSource;
    signatures: IssuerSignatures;
    signer: ProofSigner;
    otherSigner: ProofSigner;
    revokedStatus: object;
  },
): Defects {
  const { issueAccessToken, signatures, signer, otherSigner, revokedStatus } = client;
  const service = initAuthz(issuer, options);
  const serviceKey = importPrivateJwk(options.signingKey.privateJwk);

  /** Signs the changed token with its original key, so that nothing else is wrong with it. */
  async function withClaims(request: RequestToSign, claims: (now: number) => object): Promise<SignedHeaders> {
    const { payload } = parseCompactJws(await issueAccessToken(signer, request), { maxBytes: 8192 });
    const now = Math.floor((options.clock ?? Date.now)() / 1000);
    const changedClaims = { ...payload, ...claims(now) };
    const changed =
      payload["iss"] === issuer
        ? signatures.changedToken(changedClaims)
        : signCompactJws({ typ: "at+jwt", kid: options.signingKey.kid }, changedClaims, serviceKey);
    return authorizedHeaders(request, options, { signer, accessToken: changed });
  }

  return {
    expired: (request) => withClaims(request, (now) => ({ iat: now - 900, exp: now - 300 })),

    revoked: (request) => withClaims(request, () => ({ status: revokedStatus })),

    wrongAudience: (request) => withClaims(request, () => ({ aud: "https://another-service.test/api" })),

    missingScope(request) {
      const without = new Set(request.scopes ?? options.supportedScopes);
      const remaining = options.supportedScopes.filter((scope) => !without.has(scope));
      return withClaims({ ...request, scopes: options.supportedScopes }, () => ({
        scope: remaining.join(" "),
      }));
    },

    async wrongKey(request) {
      const token = await issueAccessToken(signer, request);
      return authorizedHeaders(request, options, { signer: otherSigner, accessToken: token });
    },

    async replayed(request) {
      const token = await issueAccessToken(signer, request);
      const headers = authorizedHeaders(request, options, { signer, accessToken: token });
      const { pathname } = new URL(request.url, options.publicOrigin);
      const decision = await service.decide({
        method: request.method ?? "GET",
        url: pathname,
        authorization: [headers.authorization],
        dpop: [headers.dpop],
      });
      if (decision.refusal === undefined) return headers;
      throw new Error(`The service refused the request before it was replayed: ${decision.refusal.body}`);
    },
  };
}
