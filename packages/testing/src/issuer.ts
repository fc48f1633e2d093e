import { createProofSigner, generateEs256KeyPair } from "@authz/dpop";
import { createTestApprovals } from "./approvals.js";
import { authorizedHeaders, createTokenSource } from "./credentials.js";
import { createDefects } from "./defects.js";
import { documentFetch, issuerDocuments, listenOnFreePort } from "./documents.js";
import { describeService } from "./service-description.js";
import { createIssuerSignatures } from "./signatures.js";
import { createTestStatusList } from "./status-list.js";
import type { TestIssuer, TestIssuerOptions } from "./types.js";

const kid = "test-issuer-key";

/**
 * Creates an issuer in the test process, with options for a service that trusts it.
 *
 * Pass `issuer.url` and `issuer.options` to `initAuthz`: the production code then runs without a network and without a
 * test mode.
 */
export async function createTestIssuer(options: TestIssuerOptions): Promise<TestIssuer> {
  const [keyPair, clientKeys, otherKeys] = await Promise.all([
    generateEs256KeyPair(),
    generateEs256KeyPair(),
    generateEs256KeyPair(),
  ]);
  const listener = options.listen === true ? await listenOnFreePort() : undefined;
  const url = listener?.url ?? "https://issuer.test";
  // Not `Date.now` itself, so that the service sees a `Date` that a test replaces later.
  const clock = options.clock ?? (() => Date.now());
  const service = await describeService(options, listener !== undefined);
  const statusList = createTestStatusList(url);
  const signatures = createIssuerSignatures({ url, kid, keyPair, clock, statusList }, service);
  const approvals = createTestApprovals({ url, clock }, service, signatures);
  const documents = issuerDocuments(url, {
    kid,
    publicJwk: keyPair.publicJwk,
    statusList: () => statusList.sign((claims) => signatures.statusList(claims), clock),
  });
  listener?.serve(documents, approvals);
  const fetch = documentFetch(url, documents, approvals);
  const authzOptions = Object.freeze({ ...service, fetch });
  const issueAccessToken = createTokenSource(url, authzOptions, signatures);
  const signer = createProofSigner(clientKeys, { clock });
  const otherSigner = createProofSigner(otherKeys, { clock });

  return {
    url,
    options: authzOptions,
    fetch,
    async signRequest(request) {
      const { challenge } = request;
      const token =
        challenge === undefined
          ? await issueAccessToken(signer, request)
          : approvals.tokenFor(challenge, signer.thumbprint);
      return authorizedHeaders(request, service, { signer, accessToken: token });
    },
    defects: createDefects(url, authzOptions, {
      issueAccessToken,
      signatures,
      signer,
      otherSigner,
      revokedStatus: statusList.revokedClaim,
    }),
    issueAccessToken: (boundTo, caller = {}) => issueAccessToken(boundTo, caller),
    issueUserToken: (request = {}) => signatures.userToken(request),
    issueAssertion: (request = {}) => signatures.assertion(request),
    revoke: (ended) => statusList.revoke(ended),
    approve: (call) => approvals.decide(call, "approved"),
    decline: (call) => approvals.decide(call, "declined"),
    signCatalogRequest: () => ({ authorization: `Bearer ${signatures.catalogAssertion()}` }),
    async close() {
      if (listener === undefined) return;
      listener.server.closeAllConnections();
      await new Promise((resolve) => void listener.server.close(resolve));
    },
  };
}
