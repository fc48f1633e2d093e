import {
  approveAccessRequest,
  declineAccessRequest,
  findAccessRequest,
} from "../../person/access-requests/decide.js";
import { auditorsAndOwners, owners } from "../door/access.js";
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
import { loadAccessRequestDetail, showAccessRequest } from "./show-request.js";
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
      async ({ query, admin: { store } }) => {
        const page = await store.accessRequests.list({ ...toPageRequest(query), state: query.state });
        return fromPage(page, { query, show: showAccessRequest });
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
      async ({ admin: { store } }) => ({ pending: await store.accessRequests.countPending() }),
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
      async ({ params: { id }, admin: { store, context } }) =>
        await loadAccessRequestDetail(await findAccessRequest(store, id), context),
    );

    app.post(
      "/access-requests/:id/approvals",
      {
        config: { access: owners, ifMatch: true, preview: true, errors: ["not_found"] },
        schema: {
          summary: "Give what was asked for",
          description:
            "Creates the assignments and decides the request together. What the person has already stays.",
          params: accessRequestParamsSchema,
          body: approveSchema,
          response: { 200: accessRequestSchema },
        },
      },
      async ({ params: { id }, body: { scopes, until, duration }, admin }) => {
        const expiresAt = duration === undefined ? until : endAfter(duration, admin.now);
        return await admin.change(async (work) => {
          await approveAccessRequest(id, { scopes, expiresAt, ...by(admin) }, work);
          return showAccessRequest(await findAccessRequest(work.store, id));
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
          await declineAccessRequest(id, { note, ...by(admin) }, work);
          return showAccessRequest(await findAccessRequest(work.store, id));
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
