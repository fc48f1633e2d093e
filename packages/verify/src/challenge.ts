import type { AuthzError } from "./errors.js";

/** What challenges need to know about the service. */
export interface ChallengeOptions {
  readonly metadataUrl: string;
  readonly bearerAllowed: boolean;
}

/**
 * The `WWW-Authenticate` of a refused request. No `error` when the request had no credentials at all.
 *
 * Where Bearer tokens are possible its challenge comes first, because widely used clients read only the first.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9449#section-7.1 | RFC 9449 §7.1}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9728#section-5.1 | RFC 9728 §5.1}
 */
export function formatChallenge(error: AuthzError, options: ChallengeOptions): string {
  const metadata = `resource_metadata="${options.metadataUrl}"`;
  const dpop = `DPoP algs="ES256", ${metadata}${formatError(error)}`;
  if (!options.bearerAllowed) return dpop;
  return `Bearer ${metadata}${isAboutProof(error) ? "" : formatError(error)}, ${dpop}`;
}

/** The `WWW-Authenticate` of the skill catalog, which is for the authorization server only. */
export function formatCatalogChallenge(error: AuthzError): string {
  return `Bearer realm="skills"${formatError(error)}`;
}

function formatError({ code, requiredScopes }: AuthzError): string {
  if (code === "unauthorized") return "";
  const scope = requiredScopes.length === 0 ? "" : `, scope="${requiredScopes.join(" ")}"`;
  return `, error="${code}"${scope}`;
}

function isAboutProof({ code }: AuthzError): boolean {
  return code === "invalid_dpop_proof" || code === "use_dpop_nonce";
}
