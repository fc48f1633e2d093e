import type { ServerMetadata } from "../discovery/metadata.js";

/** What the OAuth endpoints add to the metadata document; only what works. */
export function oauthMetadata(_issuer: string): ServerMetadata {
  return {};
}
