import { type ChangedAssignments, changeAssignments, findAssignment } from "../../registry/assignment.js";
import { requireVersion, taken } from "../../registry/refusal.js";
import type { ListedAssignment } from "../../store/assignments.js";
import { auditorsAndOwners, owners } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { allIdsSchema, findAllIds } from "../door/all-ids.js";
import { fromPage, isoTime, parseGroup, toPageRequest } from "../door/list-query.js";
import { reachOfAssignments } from "./assignment-notes.js";
import {
  allAssignmentsSchema,
  type Assignment,
  assignmentListSchema,
  assignmentParamsSchema,
  assignmentQuerySchema,
  assignmentSchema,
  bulkAssignmentsSchema,
  bulkResultSchema,
  newAssignmentSchema,
} from "./schemas.js";

/** Who has which scope. */
export const assignmentArea: AdminArea = {
  tag: "Assignments",
  description: "Who has which scope: one rule for one email address or one group, and one scope.",
  async routes(app) {
    app.get(
      "/assignments",
      {
        config: { access: auditorsAndOwners },
        schema: {
          summary: "List assignments",
          description:
            "`q` finds words of the address, the name, the group and the scope by their beginning.",
          querystring: assignmentQuerySchema,
          response: { 200: assignmentListSchema },
        },
      },
      async ({ query, admin: { store } }) => {
        const { email, scope } = query;
        const group = parseGroup(query.group);
        const page = await store.assignments.list({ ...toPageRequest(query), email, scope, group });
        return fromPage(page, { query, show: showAssignment });
      },
    );

    app.get(
      "/assignments/ids",
      {
        config: { access: owners },
        schema: {
          summary: "List the ids of all assignments that a search finds",
          description: "For removing them together. Refused when there are more than 10,000.",
          querystring: allAssignmentsSchema,
          response: { 200: allIdsSchema },
        },
      },
      async ({ query: { q, email, scope, group }, admin: { store } }) =>
        await findAllIds(q, {
          sort: "createdAt",
          list: (request) => store.assignments.list({ ...request, email, scope, group: parseGroup(group) }),
        }),
    );

    app.post(
      "/assignments",
      {
        config: { access: owners, preview: true, errors: ["already_exists"] },
        schema: {
          summary: "Give a scope to an address or a group",
          body: newAssignmentSchema,
          response: { 201: assignmentSchema },
        },
      },
      async ({ body, admin: { change } }) => {
        const wanted = { create: [body], remove: [] };
        return await change(async (work) => {
          const [created] = (await changeAssignments(wanted, work)).created;
          if (created !== undefined) return showAssignment(created);
          const { email, group, scope } = body;
          if (email !== undefined) throw taken("assignment", { email, scope });
          throw taken("groupAssignment", { group: group?.key ?? "", scope });
        }, reachOfAssignments(wanted));
      },
    );

    app.post(
      "/assignments/bulk",
      {
        config: { access: owners, preview: true },
        schema: {
          summary: "Create and remove many assignments together",
          description:
            "All of it or nothing. What is there already for at least as long, and what is gone already, counts as unchanged.",
          body: bulkAssignmentsSchema,
          response: { 200: bulkResultSchema },
        },
      },
      async ({ body, admin: { change } }) => {
        let result: ChangedAssignments | undefined;
        return await change(
          async (work) => {
            result = await changeAssignments(body, work);
            const { created, removed, unchanged } = result;
            return { created: created.map(showAssignment), removed: [...removed], unchanged };
          },
          reachOfAssignments(body, () => result),
        );
      },
    );

    app.get(
      "/assignments/:id",
      {
        config: { access: auditorsAndOwners, errors: ["not_found"] },
        schema: {
          summary: "Show an assignment",
          params: assignmentParamsSchema,
          response: { 200: assignmentSchema },
        },
      },
      async ({ params, admin: { store } }) => showAssignment(await findAssignment(store, params.id)),
    );

    app.delete(
      "/assignments/:id",
      {
        config: { access: owners, ifMatch: true, preview: true, errors: ["not_found", "last_administrator"] },
        schema: {
          summary: "Take a scope away from an address or a group",
          params: assignmentParamsSchema,
        },
      },
      async ({ params: { id }, admin: { change, version } }) => {
        const wanted = { create: [], remove: [id] };
        await change(async (work) => {
          requireVersion(showAssignment(await findAssignment(work.store, id)), version);
          await changeAssignments(wanted, work);
        }, reachOfAssignments(wanted));
      },
    );
  },
};

function showAssignment({ createdAt, expiresAt, ...assignment }: ListedAssignment): Assignment {
  const ends = expiresAt === null ? null : isoTime(expiresAt);
  return { ...assignment, createdAt: isoTime(createdAt), expiresAt: ends, version: 1 };
}
