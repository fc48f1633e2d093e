import { setTimeout as delay } from "node:timers/promises";
import { type Clock, createProofChecker } from "@authz/dpop";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { createAgents } from "./agents/agents.js";
import { createServiceCalls } from "./agents/service-calls.js";
import { registerAccessRequests } from "./account/me/access-requests/routes.js";
import { registerAccount } from "./account/routes.js";
import { registerConnect } from "./connectors/connect/routes.js";
import { registerDisconnect } from "./connectors/disconnect/routes.js";
import { registerSetUp } from "./set-up/routes.js";
import { createTestReturn } from "./sign-in-tests/finish-test.js";
import { createPageContext } from "./sign-in/page-context.js";
import { registerSignIn } from "./sign-in/routes.js";
import { adminPrefix } from "./admin/prefix.js";
import type { Config } from "./config/config.js";
import { createAuditIndexer } from "./audit/indexer.js";
import { createEventStamp } from "./audit/event-proof.js";
import { createRefusals, type Refusals } from "./audit/refusals.js";
import { deriveEventKey } from "./audit/seal.js";
import { createOpenSealKey } from "./audit/seal-key.js";
import { createSealer, type Sealer } from "./audit/sealer.js";
import { createLoop } from "./platform/jobs/loop.js";
import { createOutageLog, type OutageLog } from "./platform/jobs/outage-log.js";
import { registerLogo } from "./pages/routes.js";
import { createDisconnectLoop } from "./connectors/disconnect/finish-left-over.js";
import { createCredentials } from "./connectors/refresh/credentials.js";
import { reportMissingKeys } from "./encryption-keys/describe-keys.js";
import { createConnectorVault, createCredentialVault } from "./encryption-keys/open-vaults.js";
import { createProvider, providerTimeoutSeconds } from "./connectors/provider/provider.js";
import { createConnectionUse } from "./connectors/use/connection-use.js";
import { registerConnectionUse } from "./connectors/use/routes.js";
import { createOrphanedCallLoop } from "./forwarding/call-record.js";
import { createForwarder } from "./forwarding/forwarder.js";
import { registerConsole } from "./admin/console/routes.js";
import type { ServerContext } from "./context.js";
import { createRewrapLoop } from "./encryption-keys/rewrap-loop.js";
import { createLiveMetadata, oauthMetadata } from "./oauth/discovery/metadata.js";
import { registerDiscovery } from "./oauth/discovery/routes.js";
import { createAssignmentEndsLoop } from "./upkeep/assignments/assignment-ends.js";
import { createHousekeeper, type Housekeeper } from "./upkeep/housekeeping/housekeeper.js";
import { createGroupDirectories } from "./permissions/groups/directories.js";
import { createHttpApp } from "./platform/http/app.js";
import { createBodyLimits } from "./platform/http/arriving-bodies.js";
import { createLoadShedding } from "./platform/http/load-shedding.js";
import { addDrainHeader, createLifecycle, type Lifecycle } from "./platform/http/lifecycle.js";
import { createManagementApp } from "./platform/http/management.js";
import { mountLate } from "./platform/http/late-app.js";
import { createMetrics, type Metrics } from "./platform/http/metrics.js";
import { addNonceHeader } from "./platform/http/nonce-header.js";
import { addRateLimits } from "./platform/http/rate-limit-hook.js";
import { addTracing } from "./platform/http/trace-hook.js";
import { createNotifications } from "./notifications/loop.js";
import { initialise } from "./upkeep/start/initialise.js";
import { createClientDocuments } from "./oauth/clients/metadata-document/client-documents.js";
import { createKeys, reloadKeys } from "./oauth/keys/keys.js";
import { activateDueKeys, reloadSeconds } from "./oauth/keys/rotate-keys.js";
import { createIdentifyCaller, createShowCaller } from "./oauth/tokens/identify-caller.js";
import { registerConnections } from "./account/me/connections/routes.js";
import { registerMe } from "./account/me/routes.js";
import { registerOauth } from "./oauth/routes.js";
import { createDatabaseCheck, type DatabaseCheck } from "./upkeep/readiness/database-check.js";
import { createDatabaseClock, type DatabaseClock } from "./upkeep/readiness/database-clock.js";
import { createServerNonces } from "./protocol/server-nonces.js";
import { createOutboundClient } from "./platform/outbound/outbound-fetch.js";
import { createErrorPages } from "./pages/problem-page.js";
import { limitedRoutes } from "./protocol/limited-routes.js";
import { createRateLimiter, type RateLimiter } from "./platform/rate-limits/rate-limiter.js";
import { freshAfter } from "./skills/catalog-state.js";
import { createSkillReadCounter } from "./skills/count-reads.js";
import { lookSeconds, refreshCatalogs, refreshSeconds } from "./skills/refresh-catalogs.js";
import { openStore, type OpenStore } from "./store/store.js";
import { loginScope } from "./store/system-scopes.js";
import { checkAccess } from "./oauth/tokens/authenticate-access-token.js";
import type { ProtectedRequest } from "./platform/http/protected-request.js";
import { traceOutbound } from "./platform/tracing/outbound.js";
import type { Tracing } from "./platform/tracing/tracing.js";

export interface ServerOptions {
  readonly log: Logger;
  /** Lines that the log could not write, for the metrics. */
  readonly droppedLogLines?: () => number;
  /** What decides, for tests. Otherwise the clock of the database does, which all processes share. */
  readonly clock?: Clock;
  /** The clock of this machine. */
  readonly systemClock?: Clock;
  /** Multiplies the time-outs of requests to other servers, for tests. */
  readonly timeoutFactor?: number;
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
  const { log, droppedLogLines = () => 0, systemClock = Date.now } = options;
  const monotonic = () => performance.now();
  const databaseClock = createDatabaseClock({ systemClock, monotonic });
  const clock = options.clock ?? databaseClock.now;
  const outbound = createOutboundClient({
    allowInsecureLoopback: config.allowInsecureLoopback,
    allowedNetworks: config.outboundNetworks,
    ...(options.timeoutFactor !== undefined && { timeoutFactor: options.timeoutFactor }),
  });
  const tracing = await openTracing(config, log);
  const { postgresUrl, databaseLimits } = config;
  const eventKey = deriveEventKey(config.sessionSecret);
  const stampEvent = createEventStamp(eventKey);
  const store = openStore({ postgresUrl, ...databaseLimits, log, tracing, stampEvent });
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
    clockDifferenceSeconds: databaseClock.differenceSeconds,
  });
  const context: ServerContext = Object.freeze({
    config,
    store,
    keys: createKeys(config.signingKey, clock),
    credentials,
    openSealKey: createOpenSealKey({ store, credentials }),
    connectorVault: vault,
    connectorProvider: provider,
    connectorCredentials: createCredentials({ store, vault, provider, clock, log }),
    directories: createGroupDirectories({ store, credentials, outboundFetch, clock, log }),
    outboundFetch,
    clientDocuments: createClientDocuments({
      config,
      store,
      outboundFetch,
      rateLimiter,
      refusals,
      clock,
      log,
    }),
    proofChecker: createProofChecker({ clock, clockToleranceSeconds: config.clockToleranceSeconds, nonces }),
    rateLimiter,
    refusals,
    clock,
    clockDifferenceSeconds: databaseClock.differenceSeconds,
    log,
  });
  const sealer = createSealer({ store, log, clock, eventKey, openSealKey: context.openSealKey });
  const indexer = createAuditIndexer({ store, log });
  const skillReads = createSkillReadCounter({ store, clock, log });
  const everySeconds = config.housekeepingSeconds;
  const housekeeper = createHousekeeper({ store, log, everySeconds });

  const outages = createOutageLog({ log, clock });
  const lifecycle = createLifecycle();
  const parts = { store, rateLimiter, refusals, housekeeper, sealer, outages, databaseCheck, databaseClock };
  const management = createManagement({ config, clock, lifecycle, log, droppedLogLines, ...parts });
  const [load, bodies] = [createLoadShedding(), createBodyLimits()];
  const openApp = () => {
    const opened = createHttpApp({
      issuer: config.issuer,
      load,
      bodies,
      log,
      outages,
      trustedProxies: config.trustedProxies,
      renderProblemPage: createErrorPages({ store, clock }),
    });
    // Hooks come first: a route has those that were there before it.
    addDrainHeader(opened, lifecycle);
    if (tracing !== undefined) addTracing(opened, tracing);
    management?.metrics.measure(opened);
    if (nonces !== undefined) addNonceHeader(opened, nonces);
    addRateLimits(opened, { limiter: rateLimiter, routes: limitedRoutes });
    return opened;
  };
  const app = openApp();

  const { issuer } = config;
  const metadata = createLiveMetadata({ issuer, parts: [oauthMetadata(issuer)], store, clock });
  registerDiscovery(app, { keys: context.keys, metadata });
  const pageContext = createPageContext(context);
  await registerOauth(app, pageContext, (pages) => {
    const returns = [registerSetUp(pages, pageContext), createTestReturn(pageContext)];
    registerSignIn(pages, pageContext, returns);
    registerAccount(pages, pageContext);
    registerConnect(pages, pageContext);
    registerDisconnect(pages, pageContext);
  });
  registerLogo(app, store);
  const { keys, proofChecker } = context;
  const callerOptions = {
    store,
    directories: context.directories,
    proofChecker,
    scope: loginScope,
    check: (request: ProtectedRequest) =>
      checkAccess(request, { keys, proofChecker, issuer, now: new Date(clock()) }),
  };
  const identify = createIdentifyCaller(callerOptions);
  await registerMe(app, { store, identify, rateLimiter, clock, onSkillRead: skillReads.count });
  await registerConnections(app, { context, identify });
  await registerAccessRequests(app, { context, identify });
  const forwarder = createForwarder(context);
  const use = createConnectionUse(context, forwarder);
  await registerConnectionUse(app, { show: createShowCaller(callerOptions), refusals, ...use });
  const serviceCalls = await createServiceCalls(context, forwarder);
  const agents = createAgents(context, { ...use, ...serviceCalls, onSkillRead: skillReads.count });
  await agents.register(app);

  await mountLate(app, {
    prefix: adminPrefix,
    async open() {
      const { registerAdmin } = await import("./admin/routes.js");
      const admin = openApp();
      await registerAdmin(admin, context);
      await admin.ready();
      return admin;
    },
  });
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
    async work() {
      await reloadKeys(context);
      if (await activateDueKeys({ store, at: new Date(clock()) })) await reloadKeys(context);
    },
    onError: (err) => {
      log.warn(
        { code: "SIGNING_KEYS_NOT_READ", err },
        "The signing keys could not be read again; trying again.",
      );
    },
  });
  const notifications = createNotifications({ store, config, outboundFetch, clock, log });
  const disconnectLoop = createDisconnectLoop({ store, vault, provider, clock, log });
  const loops = [
    databaseCheck,
    catalogLoop,
    disconnectLoop,
    createOrphanedCallLoop({ store, clock, log }),
    createAssignmentEndsLoop({ store, clock, log }),
    notifications,
    keyLoop,
    sealer,
    indexer,
    skillReads,
    housekeeper,
    rateLimiter,
    outages,
    ...(config.previousCredentialKeys.length === 0 ? [] : [createRewrapLoop(context)]),
    refusals,
  ];
  return {
    app,
    management: management?.app,
    context,
    async openManagementPort() {
      if (management === undefined) return;
      const address = await management.app.listen({ host: config.host, port: config.managementPort ?? 0 });
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
          `The installation is not set up yet. Open ${config.issuer}/setup and enter AUTHZ_SETUP_TOKEN there.`,
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
      await agents.close();
      await management?.app.close();
      await Promise.all(loops.map((loop) => loop.stop()));
      await forwarder.close();
      await outbound.close();
      await store.close();
      await tracing?.close();
    },
  };
}

/** Loaded only when somebody wants traces. */
async function openTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { createTracing } = await import("./platform/tracing/open-telemetry.js");
  return createTracing(tracing, log);
}

/** Measuring costs a little on every request, so it is done only when somebody can read the result. */
function createManagement(parts: {
  readonly config: Config;
  readonly store: OpenStore;
  readonly rateLimiter: RateLimiter;
  readonly refusals: Refusals;
  readonly clock: Clock;
  readonly housekeeper: Housekeeper;
  readonly sealer: Sealer;
  readonly databaseCheck: DatabaseCheck;
  readonly databaseClock: DatabaseClock;
  readonly lifecycle: Lifecycle;
  readonly outages: OutageLog;
  readonly log: Logger;
  readonly droppedLogLines: () => number;
}): { readonly app: FastifyInstance; readonly metrics: Metrics } | undefined {
  const { config, store, rateLimiter, housekeeper, sealer, lifecycle, outages, log } = parts;
  if (config.managementPort === undefined) return undefined;
  const metrics = createMetrics({
    poolUse: () => store.poolUse(),
    refusedRequests: () => rateLimiter.refused(),
    removedRecords: () => housekeeper.removed(),
    sealedEvents: () => sealer.sealed(),
    clockDifferenceSeconds: parts.databaseClock.differenceSeconds,
    droppedLogLines: parts.droppedLogLines,
    refusals: parts.refusals.refused,
    skillCatalogs: () => store.skillCatalogs.countStates({ freshAfter: freshAfter(new Date(parts.clock())) }),
    undeliveredNotifications: () => store.notifications.countUndelivered(),
  });
  const checkDatabase = parts.databaseCheck.run;
  const app = createManagementApp({ log, lifecycle, metrics, outages, checkDatabase });
  return { app, metrics };
}
