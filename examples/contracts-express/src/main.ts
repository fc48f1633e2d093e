import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { type AuthzOptions, generateEs256KeyPair, inMemory } from "@authz/express";
import { createApp } from "./app.js";
import { scopes } from "./contracts.js";

const { PORT = "3101", AUTHZ_ISSUER = "http://127.0.0.1:3000", AUTHZ_CLIENT_ID = "authz-cli" } = process.env;
const { HOST = "127.0.0.1", PUBLIC_ORIGIN = `http://127.0.0.1:${PORT}`, SIGNING_KEY_FILE } = process.env;

async function main(): Promise<void> {
  const { app, authz } = createApp(AUTHZ_ISSUER, {
    resource: `${PUBLIC_ORIGIN}/api`,
    publicOrigin: PUBLIC_ORIGIN,
    clientId: AUTHZ_CLIENT_ID,
    supportedScopes: scopes,
    signingKey: await loadSigningKey(),
    replayStore: inMemory(),
    allowInsecureLoopback: PUBLIC_ORIGIN.startsWith("http:"),
  });

  const server = app.listen(Number(PORT), HOST);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  console.log(`Contracts (Express) listens on http://${HOST}:${port} for ${PUBLIC_ORIGIN}/api.`);
  // Until the authorization server answers, callers get 503, and the next one asks it again.
  authz.ready().catch((error: Error) => console.error(error.message));
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void server.close());
}

/** A JSON file with kid, privateJwk and publicJwk. Without one, in development, a key that lasts until the next start. */
async function loadSigningKey(): Promise<NonNullable<AuthzOptions["signingKey"]>> {
  if (SIGNING_KEY_FILE !== undefined) return JSON.parse(await readFile(SIGNING_KEY_FILE, "utf8"));
  if (process.env["NODE_ENV"] === "production") {
    throw new Error("SIGNING_KEY_FILE is missing. Name a JSON file with kid, privateJwk and publicJwk.");
  }
  console.log("SIGNING_KEY_FILE is not set: signing with a new key. Access tokens end with this process.");
  return { kid: crypto.randomUUID(), ...(await generateEs256KeyPair()) };
}

main().catch((error: unknown) => {
  console.error(
    `Contracts (Express) could not start. ${error instanceof Error ? error.message : String(error)}`,
  );
  process.exitCode = 1;
});
