import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { reachOfAssignments } from "./assignment-notes.js";
import { changeAssignments, createAssignment, removeAssignment } from "./change-assignments.js";
import {
  assignmentListSchema,
  assignmentParamsSchema,
  assignmentQuerySchema,
  assignmentSchema,
  bulkAssignmentsSchema,
  bulkResultSchema,
  newAssignmentSchema,
} from "./schemas.js";
import { loadAssignment, showAssignment } from "./show-assignment.js";

const listAssignments = defineRoute({
  method: "GET",
  path: "/assignments",
  summary: "List assignments",
  query: assignmentQuerySchema,
  answer: assignmentListSchema,
  handle: async ({ query }, { store }) => {
    const { email, scope } = query;
    const group = query.group === undefined ? undefined : parseGroup(query.group);
    const page = await store.assignments.list({ ...toPageRequest(query), email, scope, group });
    return fromPage(page, { query, show: showAssignment });
  },
});

const postAssignment = defineRoute({
  method: "POST",
  path: "/assignments",
  summary: "Give a scope to an address or a group",
  status: 201,
  preview: true,
  body: newAssignmentSchema,
  answer: assignmentSchema,
  errors: ["already_exists"],
  handle: async ({ body }, { change }) =>
    await change(
      async (work) => await createAssignment(body, work),
      reachOfAssignments({ create: [body], remove: [] }),
    ),
});

const postBulk = defineRoute({
  method: "POST",
  path: "/assignments/bulk",
  summary: "Create and remove many assignments together",
  description: "All of it or nothing. What is there already, and what is gone already, counts as unchanged.",
  preview: true,
  body: bulkAssignmentsSchema,
  answer: bulkResultSchema,
  handle: async ({ body: { create, remove } }, { change }) =>
    await change(
      async (work) => await changeAssignments({ create, remove }, work),
      reachOfAssignments({ create, remove }),
    ),
});

const getAssignment = defineRoute({
  method: "GET",
  path: "/assignments/{id}",
  summary: "Show an assignment",
  params: assignmentParamsSchema,
  answer: assignmentSchema,
  errors: ["not_found"],
  handle: async ({ params }, { store }) => await loadAssignment(store, params.id),
});

const deleteAssignment = defineRoute({
  method: "DELETE",
  path: "/assignments/{id}",
  summary: "Take a scope away from an address or a group",
  ifMatch: true,
  preview: true,
  params: assignmentParamsSchema,
  errors: ["not_found", "last_administrator"],
  handle: async ({ params: { id }, version }, { change }) =>
    await change(
      async (work) => await removeAssignment({ id, version }, work),
      reachOfAssignments({ create: [], remove: [id] }),
    ),
});

/** `provider`, or `provider:group`; a group may have colons of its own. */
function parseGroup(text: string): { readonly provider: string; readonly key: string | undefined } {
  const colon = text.indexOf(":");
  if (colon === -1) return { provider: text, key: undefined };
  return { provider: text.slice(0, colon), key: text.slice(colon + 1) };
}

/** Who has which scope. */
export function assignmentArea(): AdminArea {
  return {
    tag: "Assignments",
    description: "Who has which scope: one rule for one e-mail address or one group, and one scope.",
    routes: [listAssignments, postAssignment, postBulk, getAssignment, deleteAssignment],
  };
}
