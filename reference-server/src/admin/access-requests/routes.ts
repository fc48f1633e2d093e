import {
  approveAccessRequest,
  declineAccessRequest,
  findAccessRequest,
} from "../../person/access-requests/decide.js";
import { requireDecides } from "../assignments/deciding.js";
import { auditorsAndOwners, ownedOnly, owners } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { AdminCall, ChangeReach } from "../door/call.js";
import { fromPage, toPageRequest } from "../door/list-query.js";
import {
  accessRequestCountSchema,
  accessRequestDetailSchema,
  accessRequestListSchema,
  accessRequestParamsSchema,
  accessRequestQuerySchema,
  accessRequestSchema,
  approveSchema,
  declineSchema,
} from "./schemas.js";
import {
  findSeenRequest,
  loadAccessRequestDetail,
  requireMayDecide,
  showAccessRequest,
} from "./show-request.js";
import { hourMs } from "../../platform/durations.js";

/** Access requests of people, and the decisions of administrators. */
export const accessRequestArea: AdminArea = {
  tag: "Access requests",
  description:
    "What people lack and ask for, with a reason. Approving gives it by assignments to the address.",
  async routes(app) {
    app.get(
      "/access-requests",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List access requests",
          querystring: accessRequestQuerySchema,
          response: { 200: accessRequestListSchema },
        },
      },
      async ({ query, admin: { store, caller } }) => {
        const request = { ...toPageRequest(query), state: query.state, at: ownedOnly(caller) };
        const page = await store.accessRequests.list(request);
        return fromPage(page, { query, show: (item) => showAccessRequest(item, caller) });
      },
    );

    app.get(
      "/access-requests/count",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "Count the access requests that wait for a decision",
          response: { 200: accessRequestCountSchema },
        },
      },
      async ({ admin: { store, caller } }) => ({
        pending: await store.accessRequests.countPending(ownedOnly(caller)),
      }),
    );

    app.get(
      "/access-requests/:id",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show an access request with everything that helps to decide",
          description:
            "What the person may do now and why, who else has what is asked for, and what was called there lately. For the impact, approve with `preview=true`.",
          params: accessRequestParamsSchema,
          response: { 200: accessRequestDetailSchema },
        },
      },
      async ({ params: { id }, admin }) =>
        await loadAccessRequestDetail(await findSeenRequest(admin.store, id, admin.caller), admin),
    );

    app.post(
      "/access-requests/:id/approvals",
      {
        config: { access: owners, ifMatch: true, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Give what was asked for",
          description:
            "Creates the assignments and decides the request together. What the person has already stays. An owner gives what no other service or connector knows.",
          params: accessRequestParamsSchema,
          body: approveSchema,
          response: { 200: accessRequestSchema },
        },
      },
      async ({ params: { id }, body: { scopes, until, duration }, admin }) => {
        const expiresAt = duration === undefined ? until : endAfter(duration, admin.now);
        return await admin.change(async (work) => {
          const request = await findSeenRequest(work.store, id, work.caller);
          requireMayDecide(request, work.caller);
          const given = (scopes ?? request.scopes).map((scope) => ({ email: request.person.email, scope }));
          await requireDecides(given, work.caller, { ...admin.context, store: work.store });
          await approveAccessRequest(id, { scopes, expiresAt, ...by(admin) }, work);
          return showAccessRequest(await findAccessRequest(work.store, id), work.caller);
        }, reachOfRequest(id));
      },
    );

    app.post(
      "/access-requests/:id/declines",
      {
        config: { access: owners, ifMatch: true, errors: ["not_found"] },
        schema: {
          summary: "Give nothing of what was asked for",
          params: accessRequestParamsSchema,
          body: declineSchema,
          response: { 200: accessRequestSchema },
        },
      },
      async ({ params: { id }, body: { note }, admin }) =>
        await admin.change(async (work) => {
          requireMayDecide(await findSeenRequest(work.store, id, work.caller), work.caller);
          await declineAccessRequest(id, { note, ...by(admin) }, work);
          return showAccessRequest(await findAccessRequest(work.store, id), work.caller);
        }),
    );
  },
};

function by({ caller, version }: AdminCall) {
  return { decidedBy: caller.type === "user" ? caller.user.id : caller.clientId, version };
}

function endAfter(duration: string, now: Date): Date {
  const count = Number(/\d+/.exec(duration)?.[0]);
  const hours = duration.endsWith("D") ? count * 24 : count;
  return new Date(now.getTime() + hours * hourMs);
}

/** Only the person who asked gains permissions. */
function reachOfRequest(id: string): ChangeReach {
  return {
    scopes: async (store) => (await findAccessRequest(store, id)).scopes,
    emails: async (store) => {
      const { person } = await findAccessRequest(store, id);
      return person.email === null ? [] : [person.email];
    },
  };
}
