/** Runs the provider on its own: settings from the environment, one line per event, ends on SIGINT and SIGTERM. */
import { join } from "node:path";
import { startDevIdp } from "./dev-idp.js";
import type { DevIdpClient } from "./provider.js";
import { loadSecrets } from "./secrets.js";

const {
  DEV_IDP_AGENT_SECRET,
  DEV_IDP_AUTHZ_ISSUER = "http://127.0.0.1:3000",
  DEV_IDP_CLIENT_SECRET,
  DEV_IDP_HOST,
  DEV_IDP_PORT,
  DEV_IDP_REDIRECT_URI,
  DEV_IDP_STATE,
} = process.env;

if (DEV_IDP_CLIENT_SECRET === undefined || DEV_IDP_CLIENT_SECRET === "") {
  console.error(
    "DEV_IDP_CLIENT_SECRET is missing: the secret of the client “authz”.\nTry: DEV_IDP_CLIENT_SECRET=$(openssl rand -hex 16) npm start",
  );
  process.exit(1);
}

/** An application that takes its people to the authorization server by itself. Its program listens on port 3030. */
function agent(clientSecret: string | undefined): readonly DevIdpClient[] {
  if (clientSecret === undefined || clientSecret === "") return [];
  return [
    {
      clientId: "agent",
      clientSecret,
      name: "Agent of the company",
      redirectUris: ["http://127.0.0.1:3030/callback"],
      assertionsFor: [{ issuer: DEV_IDP_AUTHZ_ISSUER, clientId: "agent" }],
    },
  ];
}

try {
  const idp = await startDevIdp({
    port: Number(DEV_IDP_PORT ?? "3010"),
    ...(DEV_IDP_HOST === undefined ? {} : { host: DEV_IDP_HOST }),
    ...(DEV_IDP_STATE && { secrets: await loadSecrets(join(DEV_IDP_STATE, "dev-idp.json")) }),
    clients: [
      {
        clientId: "authz",
        clientSecret: DEV_IDP_CLIENT_SECRET,
        name: "Authz",
        redirectUris: [DEV_IDP_REDIRECT_URI ?? `${DEV_IDP_AUTHZ_ISSUER}/sign-in/callback`],
      },
      ...agent(DEV_IDP_AGENT_SECRET),
    ],
  });
  console.log(`Development identity provider at ${idp.issuer}`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void idp.close());
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
