import { auditorsAndSupport, support } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, parseGroup, toPageRequest } from "../door/list-query.js";
import { changeUser, describeSignOut, reachOfUser, signOutUser } from "./change-user.js";
import {
  signOutSchema,
  userDetailSchema,
  userListSchema,
  userParamsSchema,
  userPatchSchema,
  userQuerySchema,
  userSchema,
} from "./schemas.js";
import { loadUser, loadUserDetail, showUser } from "./show-user.js";

/** People who have signed in. */
export const peopleArea: AdminArea = {
  tag: "People",
  description:
    "Everybody who has signed in at least once: what they may do and why, and where they are signed in.",
  async routes(app) {
    app.get(
      "/users",
      {
        config: { access: auditorsAndSupport },
        schema: {
          summary: "List people",
          description: "`q` finds words of the name and the address by their beginning.",
          querystring: userQuerySchema,
          response: { 200: userListSchema },
        },
      },
      async ({ query, admin: { store, now } }) => {
        const { enabled, scope } = query;
        const group = parseGroup(query.group);
        const page = await store.users.list({ ...toPageRequest(query), enabled, scope, group, now });
        return fromPage(page, { query, show: showUser });
      },
    );

    app.get(
      "/users/:id",
      {
        config: { access: auditorsAndSupport, errors: ["not_found"] },
        schema: {
          summary: "Show a person, and why they may do what they may do",
          params: userParamsSchema,
          response: { 200: userDetailSchema },
        },
      },
      async ({ params: { id }, admin: { store, now, caller, context } }) =>
        await loadUserDetail(id, { store, directories: context.directories, now, caller }),
    );

    app.patch(
      "/users/:id",
      {
        config: {
          access: support,
          ifMatch: true,
          preview: true,
          errors: ["not_found", "last_administrator"],
        },
        schema: {
          summary: "Enable or disable a person",
          description:
            "Disabling ends all sessions and signed-in apps at once. The last administrator cannot be disabled.",
          params: userParamsSchema,
          body: userPatchSchema,
          response: { 200: userSchema },
        },
      },
      async ({ params: { id }, body, admin: { change, version, actor, requestId } }) => {
        let ended = { sessions: 0, grants: 0 };
        return await change(
          async (work) => {
            const changed = await changeUser({ id, change: body, version }, { ...work, actor, requestId });
            ended = changed.ended;
            return changed.user;
          },
          { ...reachOfUser(id), notes: async () => describeSignOut(ended) },
        );
      },
    );

    app.post(
      "/users/:id/sign-outs",
      {
        config: { access: support, errors: ["not_found"] },
        schema: {
          summary: "Sign a person out everywhere",
          description: "Ends all browser sessions and all signed-in apps.",
          params: userParamsSchema,
          response: { 200: signOutSchema },
        },
      },
      async ({ params: { id }, admin: { change, actor, requestId } }) =>
        await change(async (work) => {
          await loadUser(work.store, { id, now: work.at });
          return await signOutUser(id, { ...work, actor, requestId });
        }),
    );
  },
};
