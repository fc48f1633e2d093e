import type { FastifyInstance } from "fastify";
import { liftStop, setStop } from "../../../lifecycle/stop.js";
import { loadFrame } from "../../../pages/frame.js";
import { renderStopPage, type ShownStop } from "../../../pages/stops-section.js";
import { setPageHeaders } from "../../../platform/http/security-headers.js";
import { isUuid, readQuery } from "../../../protocol/parameters.js";
import { paths } from "../../../protocol/vocabulary.js";
import type { OwnForms } from "../../../sign-in/browser.js";
import type { PageContext } from "../../../sign-in/page-context.js";
import type { Client } from "../../../store/clients.js";
import type { Store } from "../../../store/store.js";
import type { StopTarget } from "../../../store/stops.js";

/** What is stopped of a person's, or for everybody. */
export async function loadStops(
  userId: string,
  { stops }: Pick<Store, "stops">,
): Promise<readonly ShownStop[]> {
  const found = await stops.listFor(userId);
  return found.flatMap(({ id, kind, client, setAt, own }) =>
    kind === "all" || kind === "user" || kind === "app"
      ? [{ id, kind, app: client?.name, since: setAt, own }]
      : [],
  );
}

/** Mounts the pages where a person stops one of their apps or all of them, and starts what they stopped. */
export function registerStops(
  app: FastifyInstance,
  context: PageContext,
  { forms, formName }: { readonly forms: OwnForms; readonly formName: string },
): void {
  const { store } = context;

  app.get(paths.stopApps, async (request, reply) => {
    const signedIn = await forms.readSignedIn(request);
    const clientId = readQuery(request)?.get("client");
    const found = signedIn && clientId ? await findOwnApp(clientId, signedIn.user.id, store) : undefined;
    if (signedIn === undefined || (clientId && found === undefined))
      return await reply.redirect(paths.home, 303);
    const frame = await loadFrame(request, store);
    const page = renderStopPage({ app: found, csrfToken: forms.csrfOf(signedIn, formName) }, frame);
    return await setPageHeaders(reply).send(page);
  });

  app.post(paths.stopApps, async (request, reply) => {
    const post = await forms.readOwnPost(request, formName);
    if (post === undefined) return await reply.redirect(paths.home, 303);
    const userId = post.user.id;
    const clientId = post.form.get("client");
    const found = clientId ? await findOwnApp(clientId, userId, store) : undefined;
    const target: StopTarget | undefined = !clientId
      ? { kind: "user", userId }
      : found && { kind: "app", userId, clientId: found.id };
    if (target !== undefined) {
      const actor = { type: "user", id: userId } as const;
      await setStop(target, { store, actor, at: context.now(), requestId: request.id });
    }
    return await reply.redirect(paths.home, 303);
  });

  app.post(paths.startApps, async (request, reply) => {
    const post = await forms.readOwnPost(request, formName);
    const id = post?.form.get("id");
    const stop = isUuid(id) ? await store.stops.find(id) : undefined;
    // What an administrator stopped is theirs to start.
    if (post !== undefined && stop?.own === true && stop.user?.id === post.user.id) {
      const actor = { type: "user", id: post.user.id } as const;
      await liftStop(stop, { store, actor, at: context.now(), requestId: request.id });
    }
    return await reply.redirect(paths.home, 303);
  });
}

/** An app that the person has ever signed in: nothing else is stopped, so nobody fills the list with names. */
async function findOwnApp(
  clientId: string,
  userId: string,
  { clients, grants }: Pick<Store, "clients" | "grants">,
): Promise<Client | undefined> {
  return (await grants.hasAny({ userId, clientId })) ? await clients.find(clientId) : undefined;
}
