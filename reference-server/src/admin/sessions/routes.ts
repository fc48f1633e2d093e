import { revokeLogIns } from "../../sign-in/revoke-log-ins.js";
import { revokeSessions } from "../../sign-in/revoke-sessions.js";
import { notFound } from "../http/admin-error.js";
import type { AdminCall } from "../http/call.js";
import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import {
  logInListSchema,
  logInQuerySchema,
  revocableParamsSchema,
  revocationsSchema,
  revokedSchema,
  sessionListSchema,
  sessionQuerySchema,
} from "./schemas.js";
import { showLogIn, showSession } from "./show-session.js";

const listSessions = defineRoute({
  method: "GET",
  path: "/sessions",
  summary: "List browser sessions",
  description: "Those that are live. `q` finds words of the person's name and address by their beginning.",
  query: sessionQuerySchema,
  answer: sessionListSchema,
  handle: async ({ query }, { store, now, caller }) => {
    const { user: userId, provider } = query;
    const page = await store.browserSessions.list({ ...toPageRequest(query), userId, provider, now });
    return fromPage(page, { query, show: (session) => showSession(session, caller) });
  },
});

const deleteSession = defineRoute({
  method: "DELETE",
  path: "/sessions/{id}",
  summary: "End a browser session",
  params: revocableParamsSchema,
  errors: ["not_found"],
  handle: async ({ params: { id } }, call) => {
    if ((await endSessions([id], call)) === 0) throw notFound(({ things }) => things.session);
    return undefined;
  },
});

const postSessionRevocations = defineRoute({
  method: "POST",
  path: "/sessions/revocations",
  summary: "End several browser sessions",
  body: revocationsSchema,
  answer: revokedSchema,
  handle: async ({ body: { ids } }, call) => ({ revoked: await endSessions(ids, call) }),
});

const listLogIns = defineRoute({
  method: "GET",
  path: "/log-ins",
  summary: "List log-ins of clients",
  description: "`q` finds words of the person's name and address by their beginning.",
  query: logInQuerySchema,
  answer: logInListSchema,
  handle: async ({ query }, { store, now }) => {
    const { user: userId, client: clientId, state } = query;
    const page = await store.grants.list({ ...toPageRequest(query), userId, clientId, state, now });
    return fromPage(page, { query, show: (grant) => showLogIn(grant, now) });
  },
});

const deleteLogIn = defineRoute({
  method: "DELETE",
  path: "/log-ins/{id}",
  summary: "Sign a device out",
  description: "All its tokens end.",
  params: revocableParamsSchema,
  errors: ["not_found"],
  handle: async ({ params: { id } }, call) => {
    if ((await endLogIns([id], call)) === 0) throw notFound(({ things }) => things.logIn);
    return undefined;
  },
});

const postLogInRevocations = defineRoute({
  method: "POST",
  path: "/log-ins/revocations",
  summary: "Sign several devices out",
  body: revocationsSchema,
  answer: revokedSchema,
  handle: async ({ body: { ids } }, call) => ({ revoked: await endLogIns(ids, call) }),
});

async function endSessions(
  sessionIds: readonly string[],
  { change, actor, requestId }: AdminCall,
): Promise<number> {
  return await change((work) => revokeSessions({ sessionIds }, { ...work, actor, requestId }));
}

async function endLogIns(ids: readonly string[], { change, actor, requestId }: AdminCall): Promise<number> {
  const reason = "revoked_by_administrator";
  return await change((work) => revokeLogIns({ ids, reason }, { ...work, actor, requestId }));
}

/** Where people are signed in. */
export function sessionsArea(): AdminArea {
  return {
    tag: "Sessions and log-ins",
    description: "Browsers where people are signed in, and devices that act for them.",
    routes: [
      listSessions,
      deleteSession,
      postSessionRevocations,
      listLogIns,
      deleteLogIn,
      postLogInRevocations,
    ],
  };
}
