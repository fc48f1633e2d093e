import { type ChangedAssignments, changeAssignments, findAssignment } from "../../registry/assignment.js";
import { inPortions } from "../../registry/in-portions.js";
import { notFound, requireVersion, taken } from "../../registry/refusal.js";
import type { ListedAssignment } from "../../store/assignments.js";
import type { Store } from "../../store/store.js";
import { auditorsAndOwners, hasRole, ownedOnly, owners } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { allIdsSchema, findAllIds } from "../door/all-ids.js";
import type { Caller } from "../door/call.js";
import { fromPage, isoTime, parseGroup, toPageRequest } from "../door/list-query.js";
import { reachOfAssignments } from "./assignment-notes.js";
import { type DecidingSources, judge, requireDecides } from "./deciding.js";
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
      async ({ query, admin: { store, caller, context } }) => {
        const { email, scope } = query;
        const group = parseGroup(query.group);
        const scopes = ownedOnly(caller)?.scopes;
        const page = await store.assignments.list({ ...toPageRequest(query), email, scope, scopes, group });
        return fromPage(page, { query, show: await showing(page.items, caller, context) });
      },
    );

    app.get(
      "/assignments/ids",
      {
        config: { access: owners },
        schema: {
          summary: "List the ids of all assignments that a search finds",
          description:
            "For removing them together: only those that whoever asks may take away. Refused when there are more than 10,000.",
          querystring: allAssignmentsSchema,
          response: { 200: allIdsSchema },
        },
      },
      async ({ query: { q, email, scope, group: named }, admin: { store, caller, context } }) => {
        const group = parseGroup(named);
        const scopes = ownedOnly(caller)?.decidable;
        return await findAllIds(q, {
          sort: "createdAt",
          async list(request) {
            const page = await store.assignments.list({ ...request, email, scope, scopes, group });
            const verdictOn = await judge(page.items, caller, context);
            return { ...page, items: page.items.filter((one) => verdictOn(one) === "decidable") };
          },
        });
      },
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
      async ({ body, admin: { change, caller, context } }) => {
        const wanted = { create: [body], remove: [] };
        await requireDecides([body], caller, context);
        return await change(async (work) => {
          await requireDecides([body], work.caller, { ...context, store: work.store });
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
      async ({ body, admin: { change, caller, context } }) => {
        let result: ChangedAssignments | undefined;
        await requireDecides(body.create, caller, context);
        return await change(
          async (work) => {
            const sources = { ...context, store: work.store };
            const found = await inPortions(body.remove, (ids) => work.store.assignments.findAll(ids));
            const seen = found.filter(({ scope }) => sees(work.caller, scope));
            await requireDecides([...body.create, ...seen], work.caller, sources);
            const remove = ownedOnly(work.caller) === undefined ? body.remove : seen.map(({ id }) => id);
            result = await changeAssignments({ ...body, remove }, work);
            const { created, removed } = result;
            const unchanged = result.unchanged + body.remove.length - remove.length;
            return { created: created.map((one) => showAssignment(one)), removed: [...removed], unchanged };
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
      async ({ params, admin: { store, caller, context } }) => {
        const found = await findSeen(store, params.id, caller);
        return (await showing([found], caller, context))(found);
      },
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
      async ({ params: { id }, admin: { change, version, caller, context, store } }) => {
        const wanted = { create: [], remove: [id] };
        await requireDecides([await findSeen(store, id, caller)], caller, context);
        await change(async (work) => {
          const found = await findSeen(work.store, id, work.caller);
          await requireDecides([found], work.caller, { ...context, store: work.store });
          requireVersion(showAssignment(found), version);
          await changeAssignments(wanted, work);
        }, reachOfAssignments(wanted));
      },
    );
  },
};

/** An owner finds only assignments of what their own services and connectors know. @throws {Refusal} `not_found` */
async function findSeen(
  store: Pick<Store, "assignments">,
  id: string,
  caller: Caller,
): Promise<ListedAssignment> {
  const found = await findAssignment(store, id);
  if (!sees(caller, found.scope)) throw notFound("assignment");
  return found;
}

function sees(caller: Caller, scope: string): boolean {
  return ownedOnly(caller)?.scopes.includes(scope) ?? true;
}

async function showing(
  items: readonly ListedAssignment[],
  caller: Caller,
  context: DecidingSources,
): Promise<(assignment: ListedAssignment) => Assignment> {
  const mayChange = hasRole(caller, "administrator", "owner");
  const verdictOn = await judge(mayChange ? items : [], caller, context);
  return (one) => showAssignment(one, mayChange && verdictOn(one) === "decidable");
}

function showAssignment(
  { createdAt, expiresAt, ...assignment }: ListedAssignment,
  decidable = true,
): Assignment {
  const ends = expiresAt === null ? null : isoTime(expiresAt);
  return { ...assignment, createdAt: isoTime(createdAt), expiresAt: ends, decidable, version: 1 };
}
