import type { AuthzError } from "./errors.js";

/** What challenges need to know about the service. */
export interface ChallengeOptions {
  readonly metadataUrl: string;
  readonly bearerAllowed: boolean;
}

/**
 * The `WWW-Authenticate` of a refused request. No `error` when the request had no credentials at all. `scope` is what the
 * route asks for, so that clients ask for no more than that.
 *
 * Where Bearer tokens are possible its challenge comes first, because widely used clients read only the first.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6750#section-3 | RFC 6750 §3}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7.1 | RFC 9449 §7.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-5.1 | RFC 9728 §5.1}
 */
export function formatChallenge(error: AuthzError, options: ChallengeOptions): string {
  const metadata = `resource_metadata="${options.metadataUrl}"`;
  const problem = formatError(error);
  const scope = formatScope(error);
  const dpop = `DPoP algs="ES256", ${metadata}${problem}${scope}`;
  if (!options.bearerAllowed) return dpop;
  return `Bearer ${metadata}${isAboutProof(error) ? "" : problem}${scope}, ${dpop}`;
}

/** The `WWW-Authenticate` of the skill catalog, which is for the authorization server only. */
export function formatCatalogChallenge(error: AuthzError): string {
  return `Bearer realm="skills"${formatError(error)}`;
}

function formatError({ code }: AuthzError): string {
  return code === "unauthorized" ? "" : `, error="${code}"`;
}

/** A request that is malformed is not mended by other scopes. */
function formatScope({ code, requiredScopes }: AuthzError): string {
  return code === "invalid_request" || requiredScopes.length === 0
    ? ""
    : `, scope="${requiredScopes.join(" ")}"`;
}

function isAboutProof({ code }: AuthzError): boolean {
  return code === "invalid_dpop_proof" || code === "use_dpop_nonce";
}
