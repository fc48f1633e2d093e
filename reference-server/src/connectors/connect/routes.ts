import type { FastifyInstance, FastifyReply } from "fastify";
import { loadFrame } from "../../pages/frame.js";
import { sendDeadEnd } from "../../pages/problem-page.js";
import { directoryAway } from "../../permissions/groups/directory-away.js";
import { loadPermissions } from "../../permissions/load-permissions.js";
import { type Exchange, setPageHeaders } from "../../platform/http/security-headers.js";
import { isUuid, type Parameters, readQuery } from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";
import { createOwnForms, type OwnForms, type OwnPost, type SignedIn } from "../../sign-in/browser.js";
import { signInHref } from "../../sign-in/sign-in-link.js";
import type { ConnectionAttempt } from "../../store/connection-attempts.js";
import type { Connector } from "../../store/connectors.js";
import type { Store } from "../../store/store.js";
import {
  connectionsForm,
  type ConnectorPageContext,
  renderAskToConnectPage,
  renderConnectedPage,
  renderGoingPage,
  renderNotConnectedPage,
  scopeField,
} from "../connection-pages.js";
import { beginAttempt, openAttempt } from "./begin-attempt.js";
import { completeAttempt } from "./complete-attempt.js";
import { refuseAttempt } from "./conclude-attempt.js";
import { ConnectError, type ConnectErrorCode, logRefusal, readConnectErrorCode } from "./connect-error.js";
import { chooseScopes, isUndecided, missingPermissions } from "./requirements.js";

/** An attempt of the signed-in person that can still be opened. */
interface Question extends SignedIn {
  readonly attempt: ConnectionAttempt;
  readonly connector: Connector;
}

/** Mounts the pages of an attempt: to the third party and back. */
export function registerConnect(app: FastifyInstance, context: ConnectorPageContext): void {
  const { store, cookies, issuer } = context;
  const { sessionSecret } = context.config;
  const forms = createOwnForms({ store, cookies, issuer, sessionSecret });
  registerStart(app, context, forms);
  registerQuestion(app, context, forms);
  registerCallback(app, context);
}

function registerStart(app: FastifyInstance, context: ConnectorPageContext, forms: OwnForms): void {
  const { store, directories, rateLimiter, connectorVault: vault } = context;

  app.post(paths.connectionStart, async (request, reply) => {
    const post = await forms.readOwnPost(request, connectionsForm);
    const key = post?.form.get("connector");
    const connector = key === undefined ? undefined : await store.connectors.findByKey(key);
    if (post === undefined || connector === undefined || !connector.enabled)
      return await reply.redirect(paths.home, 303);
    await rateLimiter.take("connect.person", post.user.id);
    try {
      const permissions = await loadPermissions(post.user, { store, directories });
      const attempt = { connector, permissions, clientId: null, scopes: undefined };
      const { id } = await beginAttempt(attempt, { store, vault, now: context.now() });
      return await reply.redirect(attemptHref(id), 303);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      const { code } = error;
      logRefusal(error, { connector, log: request.log });
      return await sendFailure({ attempt: { clientId: null }, connector, code }, { request, reply }, store);
    }
  });
}

function registerQuestion(app: FastifyInstance, context: ConnectorPageContext, forms: OwnForms): void {
  const { store, directories, cookies, connectorProvider: provider } = context;

  app.get<{ Params: { id: string } }>(`${paths.connections}/:id`, async (request, reply) => {
    const { id } = request.params;
    const signedIn = await forms.readSignedIn(request);
    if (signedIn === undefined) return await reply.redirect(signInHref({ returnTo: attemptHref(id) }), 303);
    const question = await findQuestion(id, signedIn, { exchange: { request, reply }, context });
    return question === undefined ? reply : await sendQuestion(question, { request, reply });
  });

  app.post<{ Params: { id: string } }>(`${paths.connections}/:id`, async (request, reply) => {
    const { id } = request.params;
    const post = await forms.readOwnPost(request, id);
    // A post from elsewhere is answered with the page.
    if (post === undefined) return await reply.redirect(isUuid(id) ? attemptHref(id) : paths.home, 303);
    const question = await findQuestion(id, post, { exchange: { request, reply }, context });
    if (question === undefined) return reply;
    return await answer({ ...question, form: post.form }, { request, reply });
  });

  async function sendQuestion(question: Question, { request, reply }: Exchange): Promise<FastifyReply> {
    const { attempt, connector, user } = question;
    const client = attempt.clientId === null ? undefined : await store.clients.find(attempt.clientId);
    const page = renderAskToConnectPage(
      {
        attemptId: attempt.id,
        connectorName: connector.name,
        clientName: client?.name ?? attempt.clientId ?? undefined,
        user,
        scopes: connector.scopes,
        chosen: attempt.scopes,
        methods: connector.methods,
        requestPrefixes: connector.requestPrefixes,
        version: connector.version,
        csrfToken: forms.csrfOf(question, attempt.id),
        switchAccountHref: signInHref({ returnTo: attemptHref(attempt.id), prompt: "select_account" }),
      },
      await loadFrame(request, store),
    );
    return await setPageHeaders(reply).send(page);
  }

  async function answer(
    { attempt, connector, session, user, form }: Question & OwnPost,
    { request, reply }: Exchange,
  ): Promise<FastifyReply> {
    const permissions = await loadPermissions(user, { store, directories });
    // The attempt stays as it is, to be tried again.
    if (isUndecided(connector, permissions)) throw directoryAway();
    const isAllowed = missingPermissions(connector, permissions).length === 0;
    const code = refusalOf({ form, connector, isAllowed });
    if (code !== undefined) {
      const refusals = context.refusals.from(app.addressOf(request));
      const refusal = { attempt, connector, code, requestId: request.id, refusals };
      await refuseAttempt(refusal, { store, now: context.now() });
      return await sendFailure({ attempt, connector, code }, { request, reply }, store);
    }
    // The person agrees only to addresses and methods that the page showed.
    if (form.get("version") !== String(connector.version))
      return await sendQuestion({ attempt, connector, session, user }, { request, reply });
    const scopes = chooseScopes(connector, (scope) => form.get(scopeField(scope)) === "on");
    const { secret: browserSecret } = await cookies.ensureBrowser(request, reply);
    const opening = { id: attempt.id, session, browserSecret, connector, scopes };
    const url = await openAttempt(opening, { store, provider, now: context.now() });
    if (url === undefined) return await sendOver({ request, reply }, store);
    const page = { connectorName: connector.name, href: url.href };
    return await setPageHeaders(reply).send(renderGoingPage(page, await loadFrame(request, store)));
  }
}

function registerCallback(app: FastifyInstance, context: ConnectorPageContext): void {
  const { store, directories, cookies } = context;
  const { connectorVault: vault, connectorProvider: provider } = context;

  app.get<{ Params: { connector: string } }>(
    `${paths.connectionCallback}/:connector`,
    async (request, reply) => {
      const state = readQuery(request)?.get("state");
      const browserSecret = cookies.readSecret(request);
      const session = await cookies.readSession(request);
      if (state === undefined || browserSecret === undefined || session === undefined)
        return await sendOver({ request, reply }, store);
      const query = request.url.slice(request.url.indexOf("?") + 1);
      const connectorKey = request.params.connector;
      const refusals = context.refusals.from(app.addressOf(request));
      const attempt = await completeAttempt(
        { query, state, browserSecret, session, connectorKey, requestId: request.id },
        { store, refusals, directories, vault, provider, log: request.log, now: context.now() },
      );
      if (attempt === undefined) return await sendOver({ request, reply }, store);
      // The page of the outcome has an address without the code, and can be reloaded.
      return await reply.redirect(attemptHref(attempt.id), 303);
    },
  );
}

/** Loads the question of the page, or sends the page that tells why there is none. */
async function findQuestion(
  id: string,
  signedIn: SignedIn,
  { exchange, context }: { readonly exchange: Exchange; readonly context: ConnectorPageContext },
): Promise<Question | undefined> {
  const { store } = context;
  const own = { id, userId: signedIn.user.id };
  const attempt = isUuid(id) ? await store.connectionAttempts.find(own) : undefined;
  const connector = attempt && (await store.connectors.find(attempt.connectorId));
  if (attempt === undefined || connector === undefined) {
    const href = signInHref({ returnTo: attemptHref(id), prompt: "select_account" });
    const action = { href, label: "connections.notYours.switchAccount" } as const;
    await sendDeadEnd(exchange, { path: "connections.notYours", status: 404, action }, store);
  } else if (attempt.outcome?.state === "failed") {
    const code = readConnectErrorCode(attempt.outcome.error);
    await sendFailure({ attempt, connector, code }, exchange, store);
  } else if (attempt.outcome?.state === "connected") {
    await sendConnected({ attempt, connector }, exchange, store);
  } else if (attempt.openedAt !== null || attempt.expiresAt <= context.now()) {
    await sendOver(exchange, store);
  } else {
    return { ...signedIn, attempt, connector };
  }
  return undefined;
}

async function sendConnected(
  { attempt, connector }: Pick<Question, "attempt" | "connector">,
  { request, reply }: Exchange,
  store: Store,
): Promise<FastifyReply> {
  const connection = await store.connections.findOwn(attempt);
  const page = {
    connectorName: connector.name,
    fromClient: attempt.clientId !== null,
    accountLabel: connection?.account.label ?? null,
  };
  return await setPageHeaders(reply).send(renderConnectedPage(page, await loadFrame(request, store)));
}

async function sendFailure(
  failure: {
    readonly attempt: Pick<ConnectionAttempt, "clientId">;
    readonly connector: Connector;
    readonly code: ConnectErrorCode;
  },
  { request, reply }: Exchange,
  store: Store,
): Promise<FastifyReply> {
  const { attempt, connector, code } = failure;
  const page = { connectorName: connector.name, fromClient: attempt.clientId !== null, code };
  const rendered = renderNotConnectedPage(page, await loadFrame(request, store));
  return await setPageHeaders(reply.code(failureStatus[code])).send(rendered);
}

async function sendOver(exchange: Exchange, store: Store): Promise<FastifyReply> {
  const action = { href: paths.home, label: "connections.failed.accountPage" } as const;
  return await sendDeadEnd(exchange, { path: "connections.over", status: 400, action }, store);
}

/** Why the person is not sent to the third party; `undefined`: they are. */
function refusalOf({
  form,
  connector,
  isAllowed,
}: {
  readonly form: Parameters;
  readonly connector: Connector;
  readonly isAllowed: boolean;
}): ConnectErrorCode | undefined {
  if (form.repeated.has("decision") || form.get("decision") !== "continue") return "cancelled";
  if (!connector.enabled) return "not_found";
  return isAllowed ? undefined : "insufficient_scope";
}

/** Complete, so that a new code needs a status here. */
const failureStatus: Readonly<Record<ConnectErrorCode, number>> = {
  cancelled: 200,
  access_denied: 400,
  scope_missing: 400,
  issuer_mismatch: 400,
  account_unknown: 400,
  provider_error: 400,
  client_refused: 400,
  insufficient_scope: 403,
  not_found: 404,
  other_account: 409,
  disconnecting: 409,
  conflict: 409,
  server_error: 500,
  directory_unavailable: 503,
  provider_unreachable: 503,
  connector_key_unavailable: 503,
};

function attemptHref(id: string): string {
  return `${paths.connections}/${id}`;
}
