import type { FastifyInstance } from "fastify";
import { setPageHeaders } from "../../platform/http/security-headers.js";
import { createOwnForms } from "../../sign-in/browser.js";
import {
  connectionsForm,
  type ConnectorPageContext,
  renderEndConnectionPage,
  renderEndedConnectionPage,
} from "../connection-pages.js";
import { readQuery } from "../../protocol/parameters.js";
import { paths } from "../../protocol/vocabulary.js";
import { loadFrame } from "../../pages/frame.js";
import type { Connector } from "../../store/connectors.js";
import { kinds } from "../kinds/kinds.js";
import { disconnect } from "./disconnect.js";

/** Mounts the page that asks before an account is disconnected, and what it leads to. */
export function registerDisconnect(app: FastifyInstance, context: ConnectorPageContext): void {
  const { store, cookies, issuer, clock, log } = context;
  const { connectorVault: vault, connectorProvider: provider } = context;
  const { sessionSecret } = context.config;
  const { readSignedIn, readOwnPost, csrfOf } = createOwnForms({ store, cookies, issuer, sessionSecret });

  app.get(paths.connectionEnd, async (request, reply) => {
    const signedIn = await readSignedIn(request);
    const connector = await findConnector(readQuery(request)?.get("connector"));
    const own = signedIn && connector && { userId: signedIn.user.id, connectorId: connector.id };
    const connection = own && (await store.connections.findOwn(own));
    if (signedIn === undefined || connector === undefined || connection === undefined) {
      return await reply.redirect(paths.home, 303);
    }
    const { key, name: connectorName } = connector;
    const csrf = csrfOf(signedIn, connectionsForm);
    const page = { key, connectorName, accountLabel: connection.account.label, csrfToken: csrf };
    return await setPageHeaders(reply).send(renderEndConnectionPage(page, await loadFrame(request, store)));
  });

  app.post(paths.connectionEnd, async (request, reply) => {
    const post = await readOwnPost(request, connectionsForm);
    const connector = post && (await findConnector(post.form.get("connector")));
    if (post === undefined || connector === undefined) return await reply.redirect(paths.home, 303);
    const { id: userId } = post.user;
    const connection = await store.connections.findOwn({ userId, connectorId: connector.id });
    const by = { actor: { type: "user", id: userId }, requestId: request.id } as const;
    const dependencies = { store, vault, provider, clock, log };
    const revocation = connection && (await disconnect({ connectionId: connection.id, by }, dependencies));
    const { removalUrl } = kinds[connector.kind];
    const page = { connectorName: connector.name, revocation, removalUrl };
    return await setPageHeaders(reply).send(renderEndedConnectionPage(page, await loadFrame(request, store)));
  });

  async function findConnector(key: string | undefined): Promise<Connector | undefined> {
    return key === undefined ? undefined : await store.connectors.findByKey(key);
  }
}
