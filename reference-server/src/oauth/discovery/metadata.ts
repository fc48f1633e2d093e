/** The metadata document of RFC 8414 and OpenID Connect Discovery. */
export type ServerMetadata = Readonly<Record<string, string | boolean | readonly string[]>>;

/**
 * Puts the metadata together from what each part of the server says it can do.
 *
 * A part that is not built in contributes nothing, so the document never promises what does not work.
 */
export function createMetadata(issuer: string, parts: readonly ServerMetadata[]): ServerMetadata {
  const own: ServerMetadata = { issuer, jwks_uri: `${issuer}/api/oauth/jwks` };
  return Object.assign({}, own, ...parts) as ServerMetadata;
}
