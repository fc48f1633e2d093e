import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "@authz/dpop";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { registerAdmin } from "./admin/routes.js";
import type { Config } from "./config.js";
import { createAuditIndexer } from "./audit/indexer.js";
import { createEventStamp } from "./audit/event-proof.js";
import { createRefusals } from "./audit/refusals.js";
import { deriveEventKey } from "./audit/seal.js";
import { createOpenSealKey } from "./audit/seal-key.js";
import { createSealer, type Sealer } from "./audit/sealer.js";
import { createLoop } from "./background/loop.js";
import { createOutageLog, type OutageLog } from "./background/outage-log.js";
import { registerLogo } from "./branding/routes.js";
import { createDisconnectLoop } from "./connectors/disconnect/finish-left-over.js";
import { createCredentials } from "./connectors/credentials/credentials.js";
import { createConnectorVault } from "./connectors/keys/open-vault.js";
import { reportMissingKeys } from "./connectors/keys/report-keys.js";
import { createProvider, providerTimeoutSeconds } from "./connectors/provider/provider.js";
import { createConnectionUse } from "./connectors/use/connection-use.js";
import { createOrphanedCallLoop } from "./connectors/use/record-orphaned-calls.js";
import { registerConnectionUse } from "./connectors/use/routes.js";
import { registerConsole } from "./console/routes.js";
import type { ServerContext } from "./context.js";
import { createResealLoop } from "./credentials/reseal-loop.js";
import { createCredentialVault } from "./credentials/vault.js";
import { createMetadata } from "./discovery/metadata.js";
import { registerDiscovery } from "./discovery/routes.js";
import { createHousekeeper, type Housekeeper } from "./housekeeping/housekeeper.js";
import { createGroupDirectories } from "./groups/directories.js";
import { createHttpApp } from "./http/app.js";
import { addDrainHeader, createLifecycle, type Lifecycle } from "./http/lifecycle.js";
import { createManagementApp } from "./http/management.js";
import { createMetrics } from "./http/metrics.js";
import { addNonceHeader } from "./http/nonce-header.js";
import { addRateLimits } from "./http/rate-limit-hook.js";
import { addTracing } from "./http/trace-hook.js";
import { initialise } from "./initialise.js";
import { createKeys } from "./keys/keys.js";
import { reloadKeys } from "./keys/load-keys.js";
import { reloadSeconds } from "./keys/timing.js";
import { createIdentifyCaller } from "./me/identify-caller.js";
import { registerConnections } from "./me/connections/routes.js";
import { registerMe } from "./me/routes.js";
import { oauthMetadata } from "./oauth/metadata.js";
import { registerOauth } from "./oauth/routes.js";
import { createDatabaseCheck, type DatabaseCheck } from "./readiness/database-check.js";
import { createDatabaseClock, type DatabaseClock } from "./readiness/database-clock.js";
import { createServerNonces } from "./oauth/server-nonces.js";
import { createOutboundClient } from "./outbound/outbound-fetch.js";
import { createErrorPages } from "./pages/error-pages.js";
import { limitedRoutes } from "./rate-limits/limited-routes.js";
import { createRateLimiter, type RateLimiter } from "./rate-limits/rate-limiter.js";
import { createSkillReadCounter } from "./skills/count-reads.js";
import { lookSeconds, refreshCatalogs, refreshSeconds } from "./skills/refresh-catalogs.js";
import { openKnexStore } from "./store/knex/knex-store.js";
import type { OpenStore } from "./store/store.js";
import { authenticateAccessToken } from "./tokens/authenticate-access-token.js";
import { createProofChecker } from "./tokens/proof-checker.js";
import { traceOutbound } from "./tracing/outbound.js";
import type { Tracing } from "./tracing/tracing.js";

export interface ServerOptions {
  readonly log: Logger;
  /** What decides, for tests. Otherwise the clock of the database does, which all processes share. */
  readonly clock?: Clock;
  /** The clock of this machine. */
  readonly systemClock?: Clock;
}

/** The whole server, wired. */
export interface Server {
  readonly app: FastifyInstance;
  readonly context: ServerContext;
  /** The management port's application; `undefined` when the configuration names no such port. */
  readonly management: FastifyInstance | undefined;
  /** Opens the management port, if there is one, so that the platform can watch the start. */
  readonly openManagementPort: () => Promise<void>;
  /** Sets the clock of this process by the database's. */
  readonly readDatabaseTime: () => Promise<void>;
  /** Creates default records, refreshes the catalogs, then opens the port. Returns the address. */
  readonly start: () => Promise<string>;
  /** Tells the platform to send nothing more, and gives it the configured time to listen. */
  readonly drain: () => Promise<void>;
  /** Stops taking requests, lets the running ones end, closes connections. */
  readonly close: () => Promise<void>;
}

/** Wires every part of the server. Nothing is reached over the network before `start()`. */
export async function createServer(config: Config, options: ServerOptions): Promise<Server> {
  const { log, systemClock = Date.now } = options;
  const monotonic = () => performance.now();
  const databaseClock = createDatabaseClock({ systemClock, monotonic });
  const clock = options.clock ?? databaseClock.now;
  const outbound = createOutboundClient({
    allowInsecureLoopback: config.allowInsecureLoopback,
    allowedNetworks: config.outboundNetworks,
  });
  const tracing = await openTracing(config, log);
  const { postgresUrl, databaseLimits } = config;
  const eventKey = deriveEventKey(config.sessionSecret);
  const stampEvent = createEventStamp(eventKey);
  const store = openKnexStore({ postgresUrl, ...databaseLimits, log, tracing, stampEvent });
  const databaseCheck = createDatabaseCheck({ store, clock: databaseClock, monotonic, log });
  const refusals = createRefusals({ store, clock, log });
  const rateLimiter = createRateLimiter({ store: store.rateLimits, limits: config.rateLimits, clock, log });
  const credentials = createCredentialVault(config.credentialEncryptionKey, config.previousCredentialKeys);
  const outboundFetch = tracing === undefined ? outbound.fetch : traceOutbound(outbound.fetch, tracing);
  const nonces = createServerNonces(config, clock);
  const vault = createConnectorVault(config.connectorKeys, { clock });
  const provider = createProvider({
    issuer: config.issuer,
    vault,
    outboundFetch,
    allowInsecureLoopback: config.allowInsecureLoopback,
    timeoutSeconds: providerTimeoutSeconds,
  });
  const context: ServerContext = Object.freeze({
    config,
    store,
    keys: createKeys(config.signingKey, clock),
    credentials,
    openSealKey: createOpenSealKey({ store, credentials, config }),
    connectorVault: vault,
    connectorProvider: provider,
    connectorCredentials: createCredentials({ store, vault, provider, clock, log }),
    directories: createGroupDirectories({ store, credentials, outboundFetch, clock, log }),
    outboundFetch,
    proofVerifier: createProofChecker({ clock, nonces }),
    rateLimiter,
    refusals,
    clock,
    log,
  });
  const sealer = createSealer({ store, log, clock, eventKey, openSealKey: context.openSealKey });
  const indexer = createAuditIndexer({ store, log });
  const skillReads = createSkillReadCounter({ store, clock, log });
  const everySeconds = config.housekeepingSeconds;
  const housekeeper = createHousekeeper({ store, log, everySeconds });

  const outages = createOutageLog({ log, clock });
  const app = createHttpApp({
    issuer: config.issuer,
    log,
    outages,
    trustedProxies: config.trustedProxies,
    renderProblemPage: createErrorPages({ store, clock }),
  });
  // Hooks come first: a route has those that were there before it.
  const lifecycle = createLifecycle();
  addDrainHeader(app, lifecycle);
  if (tracing !== undefined) addTracing(app, tracing);
  const parts = { store, rateLimiter, housekeeper, sealer, outages, databaseCheck, databaseClock };
  const management = createManagement({ config, app, lifecycle, log, ...parts });
  if (nonces !== undefined) addNonceHeader(app, nonces);
  addRateLimits(app, { limiter: rateLimiter, routes: limitedRoutes });

  const metadata = createMetadata(config.issuer, [oauthMetadata(config.issuer)]);
  registerDiscovery(app, { keys: context.keys, metadata });
  await registerOauth(app, context);
  registerLogo(app, store);
  const identify = createIdentifyCaller({
    store,
    directories: context.directories,
    authenticate: (request) => {
      const { keys, proofVerifier } = context;
      const now = new Date(clock());
      return authenticateAccessToken(request, { store, keys, proofVerifier, issuer: config.issuer, now });
    },
  });
  await registerMe(app, { store, identify, rateLimiter, onSkillRead: skillReads.count });
  await registerConnections(app, { context, identify });
  const connectionUse = createConnectionUse(context);
  await registerConnectionUse(app, { identify, refusals, forward: connectionUse.forward });

  await registerAdmin(app, context);
  await registerConsole(app, context);

  const catalogLoop = createLoop({
    everySeconds: lookSeconds,
    work: async () => void (await refreshCatalogs(context, new Date(clock()))),
    onError: (err) => {
      log.warn(
        { code: "SKILL_CATALOGS_NOT_REFRESHED", err },
        "The skill catalogs could not be refreshed; trying again.",
      );
    },
  });
  const keyLoop = createLoop({
    everySeconds: reloadSeconds,
    work: () => reloadKeys(context),
    onError: (err) => {
      log.warn(
        { code: "SIGNING_KEYS_NOT_READ", err },
        "The signing keys could not be read again; trying again.",
      );
    },
  });
  const disconnectLoop = createDisconnectLoop({ store, vault, provider, clock, log });
  const loops = [
    databaseCheck,
    catalogLoop,
    disconnectLoop,
    createOrphanedCallLoop({ store, clock, log }),
    keyLoop,
    sealer,
    indexer,
    skillReads,
    housekeeper,
    rateLimiter,
    outages,
    ...(config.previousCredentialKeys.length === 0
      ? []
      : [createResealLoop({ store, credentials, clock, log })]),
    refusals,
  ];
  return {
    app,
    management,
    context,
    async openManagementPort() {
      if (management === undefined) return;
      const address = await management.listen({ host: config.host, port: config.managementPort ?? 0 });
      log.info({ address }, "The management port is open.");
    },
    readDatabaseTime: databaseCheck.readTime,
    async start() {
      await databaseCheck.readTime();
      await initialise(context);
      log.info("The default records are in place.");
      await reportMissingKeys(context);
      // Everything but what another process has refreshed in this half minute, as part of the same deployment.
      const asked = await refreshCatalogs(context, new Date(clock() + (refreshSeconds - 30) * 1000));
      log.info({ asked }, `The skill catalogs are refreshed: ${asked} services were asked.`);
      for (const loop of loops) loop.start();
      const address = await app.listen({ host: config.host, port: config.port });
      lifecycle.serve();
      if ((await store.installation.state()) !== "installed") {
        log.info(
          `The installation is not set up yet. Open ${config.issuer}/setup and show AUTHZ_SETUP_TOKEN there.`,
        );
      }
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
      await Promise.all(loops.map((loop) => loop.stop()));
      await connectionUse.close();
      await outbound.close();
      await store.close();
      await tracing?.close();
    },
  };
}

/** Loaded only when somebody wants traces. */
async function openTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { createTracing } = await import("./tracing/open-telemetry.js");
  return createTracing(tracing, log);
}

/** Measuring costs a little on every request, so it is done only when somebody can read the result. */
function createManagement(parts: {
  readonly config: Config;
  readonly app: FastifyInstance;
  readonly store: OpenStore;
  readonly rateLimiter: RateLimiter;
  readonly housekeeper: Housekeeper;
  readonly sealer: Sealer;
  readonly databaseCheck: DatabaseCheck;
  readonly databaseClock: DatabaseClock;
  readonly lifecycle: Lifecycle;
  readonly outages: OutageLog;
  readonly log: Logger;
}): FastifyInstance | undefined {
  const { config, app, store, rateLimiter, housekeeper, sealer, lifecycle, outages, log } = parts;
  if (config.managementPort === undefined) return undefined;
  const metrics = createMetrics(app, {
    poolUse: () => store.poolUse(),
    refusedRequests: () => rateLimiter.refused(),
    removedRecords: () => housekeeper.removed(),
    sealedEvents: () => sealer.sealed(),
    clockDifferenceSeconds: parts.databaseClock.differenceSeconds,
  });
  const checkDatabase = parts.databaseCheck.run;
  return createManagementApp({ log, lifecycle, metrics, outages, checkDatabase });
}
