import { setTimeout as delay } from "node:timers/promises";
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
import { addDrainHeader, createLifecycle, type Lifecycle } from "./http/lifecycle.js";
import { createManagementApp } from "./http/management.js";
import { createMetrics } from "./http/metrics.js";
import { createKeys } from "./keys/keys.js";
import { registerMe } from "./me/routes.js";
import { oauthMetadata } from "./oauth/metadata.js";
import { registerOauth } from "./oauth/routes.js";
import { createOutboundClient } from "./outbound/outbound-fetch.js";
import { renderErrorPage } from "./pages/problem-page.js";
import { refreshCatalogs, refreshSeconds } from "./skills/refresh-catalogs.js";
import { createRefreshLoop } from "./skills/refresh-loop.js";
import { openKnexStore } from "./store/knex/knex-store.js";
import type { OpenStore } from "./store/store.js";
import { authenticateAccessToken } from "./tokens/authenticate-access-token.js";

export interface ServerOptions {
  readonly log: Logger;
  readonly clock?: Clock;
}

/** The whole server, wired. */
export interface Server {
  readonly app: FastifyInstance;
  readonly context: ServerContext;
  /** The management port's application; `undefined` when the configuration names no such port. */
  readonly management: FastifyInstance | undefined;
  /** Opens the management port, if there is one, so that the platform can watch the start. */
  readonly openManagementPort: () => Promise<void>;
  /** Creates default records, refreshes the catalogs, then opens the port. Returns the address. */
  readonly start: () => Promise<string>;
  /** Tells the platform to send nothing more, and gives it the configured time to listen. */
  readonly drain: () => Promise<void>;
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
  // Hooks come first: a route has those that were there before it.
  const lifecycle = createLifecycle();
  addDrainHeader(app, lifecycle);
  const management = createManagement({ config, app, store, lifecycle, log });

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
    management,
    context,
    async openManagementPort() {
      if (management === undefined) return;
      const address = await management.listen({ host: config.host, port: config.managementPort ?? 0 });
      log.info({ address }, "The management port is open.");
    },
    async start() {
      await createDefaultRecords(context.store, new Date(clock()));
      log.info("The default records are in place.");
      // Everything but what another process has refreshed in this half minute, as part of the same deployment.
      const asked = await refreshCatalogs(context, new Date(clock() + (refreshSeconds - 30) * 1000));
      log.info({ asked }, `The skill catalogs are refreshed: ${asked} services were asked.`);
      refreshLoop.start();
      const address = await app.listen({ host: config.host, port: config.port });
      lifecycle.serve();
      return address;
    },
    async drain() {
      if (lifecycle.state() !== "serving") return;
      lifecycle.drain();
      await delay(config.drainSeconds * 1000);
    },
    async close() {
      lifecycle.drain();
      await app.close();
      await management?.close();
      await refreshLoop.stop();
      await outbound.close();
      await store.close();
    },
  };
}

/** Measuring costs a little on every request, so it is done only when somebody can read the result. */
function createManagement(parts: {
  readonly config: Config;
  readonly app: FastifyInstance;
  readonly store: OpenStore;
  readonly lifecycle: Lifecycle;
  readonly log: Logger;
}): FastifyInstance | undefined {
  const { config, app, store, lifecycle, log } = parts;
  if (config.managementPort === undefined) return undefined;
  const metrics = createMetrics(app, () => store.poolUse());
  return createManagementApp({ log, lifecycle, metrics, ping: () => store.ping() });
}
