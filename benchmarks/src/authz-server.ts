import { randomBytes, randomUUID } from "node:crypto";
import { generateEs256KeyPair } from "@authz/dpop";

/** What authz-server is started with on a port of this machine, with secrets of its own. */
export async function serverEnvironment({
  postgresUrl,
  port,
}: {
  readonly postgresUrl: string;
  readonly port: number;
}): Promise<Record<string, string>> {
  const { privateJwk, publicJwk } = await generateEs256KeyPair();
  return {
    NODE_ENV: "production",
    POSTGRES_URL: postgresUrl,
    AUTHZ_ISSUER: `http://127.0.0.1:${port}`,
    AUTHZ_ALLOW_INSECURE_LOOPBACK: "true",
    AUTHZ_HOST: "127.0.0.1",
    AUTHZ_PORT: String(port),
    AUTH_SESSION_SECRET: randomBytes(32).toString("base64url"),
    AUTHZ_SETUP_TOKEN: randomBytes(32).toString("base64url"),
    AUTHZ_CREDENTIAL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    AUTHZ_SIGNING_PRIVATE_JWK: JSON.stringify(privateJwk),
    AUTHZ_SIGNING_PUBLIC_JWK: JSON.stringify(publicJwk),
    AUTHZ_SIGNING_KID: randomUUID(),
    // The load comes from one address and few clients.
    AUTHZ_RATE_LIMITS: "off",
  };
}

/** Resolves when the server answers. */
export async function waitUntilServing(
  url: string,
  child: { readonly exitCode: number | null },
): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error("authz-server ended while starting; its log says why.");
    const serving = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (serving) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
