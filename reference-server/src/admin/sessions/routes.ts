import { revokeGrants, revokeSessions } from "../../lifecycle/revoke.js";
import { auditorsAndSupport, support } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { Page } from "../../store/page.js";
import { inPortions } from "../../registry/in-portions.js";
import { notFound } from "../../registry/refusal.js";
import type { AdminCall } from "../door/call.js";
import { allIdsSchema, findAllIds } from "../door/all-ids.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import {
  allGrantsSchema,
  allSessionsSchema,
  grantListSchema,
  grantQuerySchema,
  revocableParamsSchema,
  revocationsSchema,
  revokedSchema,
  sessionListSchema,
  sessionQuerySchema,
} from "./schemas.js";
import { findChangeable, requireChangeable, requireFew, type RoleSources } from "../people/changeable.js";
import { showGrants, showSessions } from "./show-session.js";

/** Where people are signed in. */
export const sessionsArea: AdminArea = {
  tag: "Sessions and signed-in apps",
  description: "Browsers where people are signed in, and devices that act for them.",
  async routes(app) {
    app.get(
      "/sessions",
      {
        config: { access: auditorsAndSupport },
        schema: {
          summary: "List browser sessions",
          description:
            "Those that are live. `q` finds words of the person's name and address by their beginning.",
          querystring: sessionQuerySchema,
          response: { 200: sessionListSchema },
        },
      },
      async ({ query, admin: { store, now, caller, context } }) => {
        const { user: userId, provider } = query;
        const page = await store.browserSessions.list({ ...toPageRequest(query), userId, provider, now });
        const { directories } = context;
        const items = await showSessions(page.items, { caller, store, directories });
        return fromPage({ ...page, items }, { query, show: (session) => session });
      },
    );

    app.get(
      "/sessions/ids",
      {
        config: { access: support },
        schema: {
          summary: "List the ids of all browser sessions that a search finds",
          description: "For ending them together. Refused when there are more than 10,000.",
          querystring: allSessionsSchema,
          response: { 200: allIdsSchema },
        },
      },
      async ({ query: { q, user: userId, provider }, admin: { store, now, caller, context } }) =>
        await findAllIds(q, {
          sort: "signedInAt",
          async list(request) {
            const page = await store.browserSessions.list({ ...request, userId, provider, now });
            return await withoutRoleHolders(page, { caller, store, directories: context.directories });
          },
        }),
    );

    app.delete(
      "/sessions/:id",
      {
        config: { access: support, errors: ["not_found"] },
        schema: { summary: "End a browser session", params: revocableParamsSchema },
      },
      async ({ params: { id }, admin }) => {
        if ((await endSessions([id], admin)) === 0) throw notFound("session");
      },
    );

    app.post(
      "/sessions/revocations",
      {
        config: { access: support },
        schema: {
          summary: "End several browser sessions",
          body: revocationsSchema,
          response: { 200: revokedSchema },
        },
      },
      async ({ body: { ids }, admin }) => ({ revoked: await endSessions(ids, admin) }),
    );

    app.get(
      "/grants",
      {
        config: { access: auditorsAndSupport },
        schema: {
          summary: "List signed-in apps",
          description: "`q` finds words of the person's name and address by their beginning.",
          querystring: grantQuerySchema,
          response: { 200: grantListSchema },
        },
      },
      async ({ query, admin: { store, now, caller, context } }) => {
        const { user: userId, client: clientId, service, state } = query;
        const page = await store.grants.list({
          ...toPageRequest(query),
          userId,
          clientId,
          service,
          state,
          now,
        });
        const { directories } = context;
        const items = await showGrants(page.items, { caller, store, directories, now });
        return fromPage({ ...page, items }, { query, show: (grant) => grant });
      },
    );

    app.get(
      "/grants/ids",
      {
        config: { access: support },
        schema: {
          summary: "List the ids of all signed-in apps that a search finds",
          description: "For signing them out together. Refused when there are more than 10,000.",
          querystring: allGrantsSchema,
          response: { 200: allIdsSchema },
        },
      },
      async ({ query: { q, user: userId, client: clientId, service, state }, admin }) =>
        await findAllIds(q, {
          sort: "createdAt",
          async list(request) {
            const { store, now, caller, context } = admin;
            const page = await store.grants.list({ ...request, userId, clientId, service, state, now });
            return await withoutRoleHolders(page, { caller, store, directories: context.directories });
          },
        }),
    );

    app.delete(
      "/grants/:id",
      {
        config: { access: support, errors: ["not_found"] },
        schema: {
          summary: "Sign a device out",
          description: "All its tokens end.",
          params: revocableParamsSchema,
        },
      },
      async ({ params: { id }, admin }) => {
        if ((await endGrants([id], admin)) === 0) throw notFound("grant");
      },
    );

    app.post(
      "/grants/revocations",
      {
        config: { access: support },
        schema: {
          summary: "Sign several devices out",
          body: revocationsSchema,
          response: { 200: revokedSchema },
        },
      },
      async ({ body: { ids }, admin }) => ({ revoked: await endGrants(ids, admin) }),
    );
  },
};

async function endSessions(
  sessionIds: readonly string[],
  { change, actor, requestId, caller, context }: AdminCall,
): Promise<number> {
  requireFew(sessionIds.length, caller);
  return await change(async (work) => {
    const people = await inPortions(sessionIds, (some) => work.store.browserSessions.listPeopleOf(some));
    await requireChangeable(people, work.caller, { ...context, store: work.store });
    const counts = await inPortions(sessionIds, async (some) => [
      await revokeSessions({ sessionIds: some }, { ...work, actor, requestId }),
    ]);
    return sum(counts);
  });
}

async function endGrants(
  ids: readonly string[],
  { change, actor, requestId, caller, context }: AdminCall,
): Promise<number> {
  const reason = "revoked_by_administrator";
  requireFew(ids.length, caller);
  return await change(async (work) => {
    const people = await inPortions(ids, (some) => work.store.grants.listPeopleOf(some));
    await requireChangeable(people, work.caller, { ...context, store: work.store });
    const counts = await inPortions(ids, async (some) => [
      (await revokeGrants({ ids: some, reason }, { ...work, actor, requestId })).grants,
    ]);
    return sum(counts);
  });
}

/** What support may end together: nothing of people with a role. @throws {Refusal} There is more than support changes at once. */
async function withoutRoleHolders<
  Item extends { readonly user: { readonly id: string; readonly email: string | null } },
>(page: Page<Item>, { caller, ...sources }: RoleSources & Pick<AdminCall, "caller">): Promise<Page<Item>> {
  requireFew(page.items.length, caller);
  const isChangeable = await findChangeable(
    page.items.map(({ user }) => user),
    caller,
    sources,
  );
  return { ...page, items: page.items.filter(({ user }) => isChangeable(user.id)) };
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
