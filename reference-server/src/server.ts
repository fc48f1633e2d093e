import { type Clock, createProofVerifier } from "@authz/dpop";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Config } from "./config.js";
import type { ServerContext } from "./context.js";
import { createCredentialVault } from "./credentials/vault.js";
import { createDefaultRecords } from "./default-records.js";
import { createMetadata } from "./discovery/metadata.js";
import { registerDiscovery } from "./discovery/routes.js";
import { createHttpApp } from "./http/app.js";
import { createKeys } from "./keys/keys.js";
import { registerMe } from "./me/routes.js";
import { oauthMetadata } from "./oauth/metadata.js";
import { registerOauth } from "./oauth/routes.js";
import { createOutboundClient } from "./outbound/outbound-fetch.js";
import { renderErrorPage } from "./pages/problem-page.js";
import { refreshCatalogs, refreshSeconds } from "./skills/refresh-catalogs.js";
import { createRefreshLoop } from "./skills/refresh-loop.js";
import { openKnexStore } from "./store/knex/knex-store.js";
import { authenticateAccessToken } from "./tokens/authenticate-access-token.js";

export interface ServerOptions {
  readonly log: Logger;
  readonly clock?: Clock;
}

/** The whole server, wired. */
export interface Server {
  readonly app: FastifyInstance;
  readonly context: ServerContext;
  /** Creates default records, refreshes the catalogs, then opens the port. Returns the address. */
  readonly start: () => Promise<string>;
  /** Stops taking requests, lets the running ones end, closes connections. */
  readonly close: () => Promise<void>;
}

/** Wires every part of the server. Nothing is reached over the network before `start()`. */
export async function createServer(config: Config, options: ServerOptions): Promise<Server> {
  const { log, clock = Date.now } = options;
  const outbound = createOutboundClient({
    allowInsecureLoopback: config.allowInsecureLoopback,
    allowedNetworks: config.outboundNetworks,
  });
  const store = openKnexStore({ postgresUrl: config.postgresUrl, log });
  const context: ServerContext = Object.freeze({
    config,
    store,
    keys: createKeys(config.signingKey),
    credentials: createCredentialVault(config.credentialEncryptionKey),
    outboundFetch: outbound.fetch,
    proofVerifier: createProofVerifier({ replayStore: store.dpopReplays, clock }),
    clock,
    log,
  });

  const app = createHttpApp({ issuer: config.issuer, log, renderProblemPage: renderErrorPage });
  const metadata = createMetadata(config.issuer, [oauthMetadata(config.issuer)]);
  registerDiscovery(app, { keys: context.keys, metadata });
  await registerOauth(app, context);
  await registerMe(app, {
    store,
    authenticate: (request) => {
      const { keys, proofVerifier } = context;
      const now = new Date(clock());
      return authenticateAccessToken(request, { store, keys, proofVerifier, issuer: config.issuer, now });
    },
  });

  const refreshLoop = createRefreshLoop(context);
  return {
    app,
    context,
    async start() {
      await createDefaultRecords(context.store, new Date(clock()));
      // Everything but what another process has refreshed in this half minute, as part of the same deployment.
      await refreshCatalogs(context, new Date(clock() + (refreshSeconds - 30) * 1000));
      refreshLoop.start();
      return await app.listen({ host: config.host, port: config.port });
    },
    async close() {
      await app.close();
      await refreshLoop.stop();
      await outbound.close();
      await store.close();
    },
  };
}
