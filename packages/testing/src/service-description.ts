import { generateEs256KeyPair, inMemory, type ReplayStore } from "@authz/dpop";
import { canonicalResource } from "@authz/dpop/jwt";
import type { AuthzOptions, SigningKey } from "@authz/verify";
import type { TestIssuerOptions } from "./types.js";

/** The service under test with all defaults: the options of `initAuthz`, without the transport. */
export type Service = Omit<AuthzOptions, "fetch" | "signingKeys"> & {
  readonly signingKey: SigningKey;
  readonly resource: string;
};

/** Fills in the defaults of the service's description. */
export async function describeService(
  options: TestIssuerOptions,
  issuerIsPlainHttp: boolean,
): Promise<Service> {
  const publicOrigin = options.publicOrigin ?? "https://service.test";
  const resource = options.resource ?? `${publicOrigin}/api`;
  return {
    // Tokens contain the registered form. `initAuthz` refuses an invalid identifier.
    resource: canonicalResource(resource) ?? resource,
    publicOrigin,
    clientId: options.clientId ?? "authz-cli",
    supportedScopes: options.supportedScopes,
    signingKey: options.signingKey ?? { kid: "test-service-key", ...(await generateEs256KeyPair()) },
    replayStore: options.replayStore ?? createReplayStore(),
    ...(options.clock !== undefined && { clock: options.clock }),
    ...(options.nonces !== undefined && { nonces: options.nonces }),
    ...((issuerIsPlainHttp || publicOrigin.startsWith("http:")) && { allowInsecureLoopback: true }),
  };
}

/** A wrapper, because `initAuthz` refuses a bare store in memory where the environment is serverless. */
function createReplayStore(): ReplayStore {
  const memory = inMemory();
  return { consume: (record) => memory.consume(record) };
}

/**
 * Resolves the URL of a test request to the address that its proof must name.
 *
 * @throws {TypeError} The URL is not below the service's public origin, so no proof for it could ever be accepted.
 */
export function publicUrl(url: string, publicOrigin: string): string {
  const absolute = new URL(url, publicOrigin);
  if (absolute.origin === new URL(publicOrigin).origin) return absolute.href;
  throw new TypeError(
    `url: ${absolute.origin} is not the service's publicOrigin ${publicOrigin}. Proofs are checked against ` +
      `publicOrigin, not against the port a test listens on. Pass a path, such as "${absolute.pathname}".`,
  );
}
