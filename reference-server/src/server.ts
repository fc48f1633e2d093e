import { setTimeout as delay } from "node:timers/promises";
import { type Clock, createProofChecker } from "@authz/dpop";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { createForwardThroughConnection } from "./connectors/use/forward-request.js";
import { createApprovalExpiryLoop } from "./approvals/expiry.js";
import { registerTransactionEndpoint } from "./approvals/routes.js";
import { createHeldCallApproval } from "./approvals/held-calls.js";
import { createServiceKeys } from "./approvals/service-keys.js";
import { createWaiting } from "./approvals/waiting.js";
import { createIdentifyCaller } from "./oauth/tokens/identify-caller.js";
import { registerConnectionUse } from "./person/api/requests/routes.js";
import { registerPersonApi } from "./person/api/routes.js";
import { createAgents } from "./person/mcp/agents.js";
import { createPresence } from "./lifecycle/presence/presence.js";
import { createRevocationLoop } from "./lifecycle/presence/revoke-tokens.js";
import { createRefusedPages } from "./person/pages/refused/routes.js";
import { registerAccount } from "./person/pages/routes.js";
import { createCallService } from "./person/service-calls/call-service.js";
import { createSkills } from "./person/skills.js";
import { registerConnect } from "./connectors/connect/routes.js";
import { registerDisconnect } from "./connectors/disconnect/routes.js";
import { registerSetUp } from "./set-up/routes.js";
import { createTestReturn } from "./sign-in-tests/finish-test.js";
import { createSignalReceiptCounter } from "./signals/count-receipts.js";
import { createPollLoop } from "./signals/poll-streams.js";
import { registerSignals } from "./signals/routes.js";
import { countStreams, lagOf } from "./signals/stream-health.js";
import { createStreamWatch } from "./signals/watch-streams.js";
import { createPageContext } from "./sign-in/page-context.js";
import { createProviderKeys } from "./sign-in/provider-keys.js";
import { createRelyingParty } from "./sign-in/relying-party.js";
import { registerSignIn } from "./sign-in/routes.js";
import { adminPrefix } from "./admin/prefix.js";
import type { Config } from "./config/config.js";
import { createAuditIndexer } from "./audit/index-events.js";
import { createEventStamp } from "./audit/event-proof.js";
import { createRefusals } from "./audit/refusals.js";
import { deriveEventKey } from "./audit/seal.js";
import { createOpenSealKey } from "./audit/seal-key.js";
import { createSealer } from "./audit/sealer.js";
import { createLoop, logFailures, type Loop } from "./platform/jobs/loop.js";
import { createOutageLog, type OutageLog } from "./platform/jobs/outage-log.js";
import { registerLogo } from "./pages/routes.js";
import { createDisconnectLoop } from "./connectors/disconnect/finish-left-over.js";
import { createCredentials } from "./connectors/refresh/credentials.js";
import { reportMissingKeys } from "./encryption-keys/describe-keys.js";
import { createConnectorVault, createCredentialVault } from "./encryption-keys/open-vaults.js";
import { createProvider, providerTimeoutSeconds } from "./connectors/provider/provider.js";
import { createOrphanedCallLoop } from "./forwarding/call-record.js";
import { createForwarder } from "./forwarding/forwarder.js";
import { registerConsole } from "./admin/console/routes.js";
import type { ServerContext } from "./context.js";
import { createRewrapLoop } from "./encryption-keys/rewrap-loop.js";
import { createLiveMetadata, oauthMetadata } from "./oauth/discovery/metadata.js";
import { registerDiscovery } from "./oauth/discovery/routes.js";
import { createStatusList } from "./oauth/discovery/status-list.js";
import { createAssignmentEndsLoop } from "./upkeep/assignments/assignment-ends.js";
import { createHousekeeper } from "./upkeep/housekeeping/housekeeper.js";
import { createGroupDirectories } from "./permissions/groups/directories.js";
import { createHttpApp } from "./platform/http/app.js";
import { type BodyLimits, createBodyLimits } from "./platform/http/arriving-bodies.js";
import { createLoadShedding, type LoadLimits } from "./platform/http/load-shedding.js";
import { addDrainHeader, addNonceHeader, addRateLimits, addTracing } from "./platform/http/hooks.js";
import { createLifecycle, createManagementApp, type Lifecycle } from "./platform/http/management.js";
import { mountLate } from "./platform/http/late-app.js";
import { createMetrics, type Metrics } from "./platform/http/metrics.js";
import { createNotifications } from "./notifications/loop.js";
import { initialise } from "./upkeep/start/initialise.js";
import { createClientDocuments } from "./oauth/clients/metadata-document/client-documents.js";
import { createKeys, reloadKeys } from "./oauth/keys/keys.js";
import { activateDueKeys, reloadSeconds } from "./oauth/keys/rotate-keys.js";
import { registerOauth } from "./oauth/routes.js";
import { createDatabaseCheck } from "./upkeep/readiness/database-check.js";
import { createDatabaseClock } from "./upkeep/readiness/database-clock.js";
import { createServerNonces } from "./protocol/server-nonces.js";
import { createOutboundClient } from "./platform/outbound/outbound-fetch.js";
import { createErrorPages } from "./pages/problem-page.js";
import { limitedRoutes } from "./protocol/limited-routes.js";
import { createRateLimiter } from "./platform/rate-limits/rate-limiter.js";
import { freshAfter } from "./skills/catalog-state.js";
import { createSkillReadCounter } from "./skills/count-reads.js";
import { lookSeconds, refreshCatalogs, refreshSeconds } from "./skills/refresh-catalogs.js";
import { openStore, type Store } from "./store/store.js";
import { loginScope } from "./store/system-scopes.js";
import { checkAccess } from "./oauth/tokens/authenticate-access-token.js";
import type { ProtectedRequest } from "./platform/http/protected-request.js";
import { traceOutbound, type Tracing } from "./platform/tracing/tracing.js";

export interface ServerOptions {
  readonly log: Logger;
  /** Lines that the log could not write, for the metrics. */
  readonly droppedLogLines?: () => number;
  /** For tests, instead of the clock of the database, which all processes share. */
  readonly clock?: Clock;
  /** The clock of this machine. */
  readonly systemClock?: Clock;
  /** Multiplies the time-outs of requests to other servers, for tests. */
  readonly timeoutFactor?: number;
  /** Instead of the usual limits on concurrent requests, for tests. */
  readonly loadLimits?: Partial<LoadLimits>;
  readonly bodyLimits?: Partial<BodyLimits>;
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
  /** Reports on the management port that this process takes no more requests, and waits for the configured time. */
  readonly drain: () => Promise<void>;
  /** Stops taking requests, waits for the running ones, closes connections. */
  readonly close: () => Promise<void>;
}

/** Wires every part of the server. Nothing is reached over the network before `start()`. */
export async function createServer(config: Config, options: ServerOptions): Promise<Server> {
  const core = await createCore(config, options);
  const { context, databaseCheck } = core;
  const { store, clock, log } = context;
  const jobs = createJobs(core);
  const lifecycle = createLifecycle();
  const { droppedLogLines = () => 0 } = options;
  const management = createManagement({ ...core, ...jobs, lifecycle, droppedLogLines });
  const openApp = createOpenApp({ ...core, ...jobs, lifecycle, metrics: management?.metrics }, options);
  const app = openApp();
  const routes = await mountRoutes(app, { ...core, ...jobs, openApp });

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
      // Except catalogs refreshed in the last half minute, by another process of the same deployment.
      const asked = await refreshCatalogs(context, new Date(clock() + (refreshSeconds - 30) * 1000));
      log.info({ asked }, `The skill catalogs are refreshed: ${asked} services were asked.`);
      for (const loop of jobs.loops) loop.start();
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
      // Held polls would keep the port open.
      await jobs.waiting.stop();
      await app.close();
      await routes.agents.close();
      await management?.app.close();
      await Promise.all(jobs.loops.map((loop) => loop.stop()));
      await routes.forwarder.close();
      await context.presence.close();
      await core.outbound.close();
      await store.close();
      await core.tracing?.close();
    },
  };
}

type Core = Awaited<ReturnType<typeof createCore>>;

/** The context, and the parts of it that only this file uses. */
async function createCore(config: Config, options: ServerOptions) {
  const { log, systemClock = Date.now } = options;
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
  const base = { config, store, outboundFetch, rateLimiter, refusals, clock, log };
  const relyingParty = createRelyingParty({
    ...base,
    ...config,
    credentials,
    clockDifferenceSeconds: databaseClock.differenceSeconds,
  });
  const context: ServerContext = Object.freeze({
    ...base,
    keys: createKeys(config.signingKey, clock),
    credentials,
    openSealKey: createOpenSealKey({ store, credentials }),
    connectorVault: vault,
    connectorProvider: provider,
    connectorCredentials: createCredentials({ store, vault, provider, clock, log }),
    directories: createGroupDirectories({ ...base, credentials }),
    presence: createPresence({ ...base, credentials, relyingParty }),
    clientDocuments: createClientDocuments(base),
    providerKeys: createProviderKeys(base),
    proofChecker: createProofChecker({ clock, clockToleranceSeconds: config.clockToleranceSeconds, nonces }),
    clockDifferenceSeconds: databaseClock.differenceSeconds,
  });
  const databaseCheck = createDatabaseCheck({ store, clock: databaseClock, monotonic, log });
  return {
    context,
    relyingParty,
    outbound,
    tracing,
    eventKey,
    nonces,
    rateLimiter,
    refusals,
    databaseClock,
    databaseCheck,
  };
}

/** What repeats in the background while the server runs. */
function createJobs({ context, relyingParty, eventKey, rateLimiter, refusals, databaseCheck }: Core) {
  const { config, store, clock, log } = context;
  const sealer = createSealer({ ...context, eventKey });
  const skillReads = createSkillReadCounter({ store, clock, log });
  const receipts = createSignalReceiptCounter({ store, log });
  const signals = createSignalContext(context, receipts);
  const housekeeper = createHousekeeper({ store, log, everySeconds: config.housekeepingSeconds });
  const outages = createOutageLog({ log, clock });
  const waiting = createWaiting({ store, clock, log });
  const { connectorVault: vault, connectorProvider: provider } = context;
  const loops: readonly Loop[] = [
    databaseCheck,
    createCatalogLoop(context),
    createDisconnectLoop({ store, vault, provider, clock, log }),
    createRevocationLoop({ ...context, relyingParty }),
    createOrphanedCallLoop({ store, clock, log }),
    createAssignmentEndsLoop({ store, clock, log }),
    createApprovalExpiryLoop({ store, clock, log }),
    waiting,
    createNotifications(context),
    createKeyLoop(context),
    sealer,
    createAuditIndexer({ store, log }),
    skillReads,
    receipts,
    createPollLoop(signals),
    createStreamWatch(signals),
    housekeeper,
    rateLimiter,
    outages,
    ...(config.previousCredentialKeys.length === 0 ? [] : [createRewrapLoop(context)]),
    refusals,
  ];
  return { loops, sealer, skillReads, waiting, receipts, signals, housekeeper, outages };
}

/** What receives logout tokens and security events. */
function createSignalContext(
  context: ServerContext,
  receipts: ReturnType<typeof createSignalReceiptCounter>,
) {
  const { config, outboundFetch } = context;
  const { allowInsecureLoopback } = config;
  const client = { outboundFetch, allowInsecureLoopback };
  return {
    ...context,
    receipts,
    makePresenceDue: (userId: string, { store, at }: { readonly store: Store; readonly at: Date }) =>
      store.presences.hasten(userId, at),
    client,
  };
}

function createCatalogLoop(context: ServerContext): Loop {
  const { clock, log } = context;
  return createLoop({
    everySeconds: lookSeconds,
    work: async () => void (await refreshCatalogs(context, new Date(clock()))),
    onError: logFailures(log, {
      code: "SKILL_CATALOGS_NOT_REFRESHED",
      message: "The skill catalogs could not be refreshed; trying again.",
    }),
  });
}

function createKeyLoop(context: ServerContext): Loop {
  const { store, clock, log } = context;
  return createLoop({
    everySeconds: reloadSeconds,
    async work() {
      await reloadKeys(context);
      if (await activateDueKeys({ store, at: new Date(clock()) })) await reloadKeys(context);
    },
    onError: logFailures(log, {
      code: "SIGNING_KEYS_NOT_READ",
      message: "The signing keys could not be read again; trying again.",
    }),
  });
}

/** Returns what opens an application; all of them share the limits of the process. */
function createOpenApp(
  {
    context,
    tracing,
    nonces,
    rateLimiter,
    outages,
    lifecycle,
    metrics,
  }: Core & {
    readonly outages: OutageLog;
    readonly lifecycle: Lifecycle;
    readonly metrics: Metrics | undefined;
  },
  { loadLimits, bodyLimits }: ServerOptions,
): () => FastifyInstance {
  const { config, store, clock, log } = context;
  const [load, bodies] = [createLoadShedding(loadLimits), createBodyLimits(bodyLimits)];
  return () => {
    const app = createHttpApp({
      issuer: config.issuer,
      load,
      bodies,
      log,
      outages,
      trustedProxies: config.trustedProxies,
      renderProblemPage: createErrorPages({ store, clock }),
    });
    // Before any route: a route has only the hooks that precede it.
    addDrainHeader(app, lifecycle);
    if (tracing !== undefined) addTracing(app, tracing);
    metrics?.measure(app);
    if (nonces !== undefined) addNonceHeader(app, nonces);
    addRateLimits(app, { limiter: rateLimiter, routes: limitedRoutes });
    return app;
  };
}

/** Registers every route. Returns the parts that hold connections. */
async function mountRoutes(
  app: FastifyInstance,
  {
    context,
    skillReads,
    signals,
    waiting,
    openApp,
  }: Core &
    Pick<ReturnType<typeof createJobs>, "skillReads" | "signals" | "waiting"> & {
      readonly openApp: () => FastifyInstance;
    },
) {
  const { config, store, keys, proofChecker, rateLimiter, refusals, clock } = context;
  const { issuer } = config;
  const metadata = createLiveMetadata({ issuer, parts: [oauthMetadata(issuer)], store, clock });
  registerDiscovery(app, { issuer, keys, metadata, statusList: createStatusList({ ...context, issuer }) });
  const pageContext = createPageContext(context);
  const refusedPages = createRefusedPages(pageContext);
  const serviceKeys = createServiceKeys(context);
  await registerOauth(
    app,
    { ...pageContext, renderRefused: refusedPages.render },
    {
      endpoints: (forms) => registerTransactionEndpoint(forms, { ...pageContext, serviceKeys, waiting }),
      pages(pages) {
        const returns = [registerSetUp(pages, pageContext), createTestReturn(pageContext)];
        registerSignIn(pages, pageContext, returns);
        registerAccount(pages, pageContext);
        refusedPages.register(pages);
        registerConnect(pages, pageContext);
        registerDisconnect(pages, pageContext);
      },
    },
  );
  registerLogo(app, store);
  await registerSignals(app, signals);
  const identify = createIdentifyCaller({
    store,
    directories: context.directories,
    proofChecker,
    issuer,
    scope: loginScope,
    check: (request: ProtectedRequest) =>
      checkAccess(request, { keys, proofChecker, issuer, now: new Date(clock()) }),
  });
  const skills = createSkills({ store, rateLimiter, clock, onSkillRead: skillReads.count });
  await registerPersonApi(app, { context, identify, skills });
  const askForApproval = createHeldCallApproval(context);
  const forwarder = createForwarder({ ...context, askForApproval });
  const forward = createForwardThroughConnection(context, forwarder);
  await registerConnectionUse(app, { identify, refusals, forward });
  const callService = await createCallService(context, forwarder);
  const agents = createAgents(context, { skills, forward, callService });
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
  await mountLate(app, {
    prefix: "/scim",
    async open() {
      const { registerScim } = await import("./scim/routes.js");
      const scim = openApp();
      await registerScim(scim, context);
      await scim.ready();
      return scim;
    },
  });
  await registerConsole(app, context);
  return { agents, forwarder };
}

/** Loads OpenTelemetry only when traces are configured. */
async function openTracing({ tracing }: Config, log: Logger): Promise<Tracing | undefined> {
  if (tracing === undefined) return undefined;
  const { createTracing } = await import("./platform/tracing/open-telemetry.js");
  return createTracing(tracing, log);
}

/** Measuring costs a little on every request, so it happens only when the management port is open. */
function createManagement(
  parts: Core &
    Pick<ReturnType<typeof createJobs>, "housekeeper" | "sealer" | "outages" | "receipts"> & {
      readonly lifecycle: Lifecycle;
      readonly droppedLogLines: () => number;
    },
): { readonly app: FastifyInstance; readonly metrics: Metrics } | undefined {
  const { context, rateLimiter, housekeeper, sealer, lifecycle, outages } = parts;
  const { config, store, clock, log } = context;
  if (config.managementPort === undefined) return undefined;
  const metrics = createMetrics({
    poolUse: () => store.poolUse(),
    refusedRequests: () => rateLimiter.refused(),
    removedRecords: () => housekeeper.removed(),
    sealedEvents: () => sealer.sealed(),
    clockDifferenceSeconds: parts.databaseClock.differenceSeconds,
    droppedLogLines: parts.droppedLogLines,
    refusals: parts.refusals.refused,
    skillCatalogs: () => store.skillCatalogs.countStates({ freshAfter: freshAfter(new Date(clock())) }),
    undeliveredNotifications: () => store.notifications.countUndelivered(),
    signals: parts.receipts.totals,
    signalStreams: async () => countStreams(await store.signalStreams.listAll(), new Date(clock())),
    signalLagSeconds: async () => lagOf(await store.signalStreams.listAll()),
    presenceAnswers: () => context.presence.answers(),
    presenceAlarms: async () => (await store.presences.listAlarms()).length,
  });
  const checkDatabase = parts.databaseCheck.run;
  const app = createManagementApp({ log, lifecycle, metrics, outages, checkDatabase });
  return { app, metrics };
}
