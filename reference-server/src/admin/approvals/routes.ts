import { notFound } from "../../registry/refusal.js";
import type { ListedApproval } from "../../store/approvals.js";
import { auditors } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, isoTime, toPageRequest } from "../door/list-query.js";
import {
  type AdminApproval,
  type AdminApprovalDetail,
  approvalDetailSchema,
  approvalListSchema,
  approvalParamsSchema,
  approvalQuerySchema,
} from "./schemas.js";

/** What people are asked about single calls. It is only read here: a yes comes from a person's browser. */
export const approvalArea: AdminArea = {
  tag: "Approvals",
  description:
    "Calls that need a person's approval. Nothing is answered here: only the approver can, in a browser that is signed in.",
  async routes(app) {
    app.get(
      "/approvals",
      {
        config: { access: auditors },
        schema: {
          summary: "List approvals",
          querystring: approvalQuerySchema,
          response: { 200: approvalListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const { state, person: userId, client: clientId, resource: service } = query;
        const page = await store.approvals.list({
          ...toPageRequest(query),
          state,
          userId,
          clientId,
          service,
        });
        return fromPage(page, { query, show: showApproval });
      },
    );

    app.get(
      "/approvals/:id",
      {
        config: { access: auditors, errors: ["not_found"] },
        schema: {
          summary: "Show an approval with the call as the service signed it",
          params: approvalParamsSchema,
          response: { 200: approvalDetailSchema },
        },
      },
      async ({ params: { id }, admin: { store } }) => {
        const approval = await store.approvals.describe(id);
        if (approval === undefined) throw notFound("approval");
        return showDetail(approval);
      },
    );
  },
};

function showApproval(approval: ListedApproval): AdminApproval {
  const { id, state, person, client, clientId, resource, detail, method, approver, decider } = approval;
  return {
    id,
    state,
    person,
    client: { id: clientId, name: client?.name ?? null },
    resource: {
      kind: resource.resource === null ? "connector" : "service",
      key: resource.key,
      name: resource.name,
    },
    type: detail.type,
    method,
    approver,
    createdAt: isoTime(approval.createdAt),
    expiresAt: isoTime(approval.expiresAt),
    decidedBy: decider,
    decidedAt: approval.decidedAt === null ? null : isoTime(approval.decidedAt),
    collectedAt: approval.collectedAt === null ? null : isoTime(approval.collectedAt),
  };
}

function showDetail(approval: ListedApproval): AdminApprovalDetail {
  const { url, detail, reason, txn, token } = approval;
  return { ...showApproval(approval), url, detail: { ...detail }, reason, txn, tokenId: token?.id ?? null };
}
