import { nothingEnded } from "../../lifecycle/end-person.js";
import { auditorsAndSupport, support } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { fromPage, parseGroup, toPageRequest } from "../door/list-query.js";
import { changeUser, describeEnded, reachOfUser, signOutUser } from "./change-user.js";
import {
  endingsSchema,
  signOutSchema,
  userDetailSchema,
  userListSchema,
  userParamsSchema,
  userPatchSchema,
  userQuerySchema,
  userSchema,
} from "./schemas.js";
import { requireChangeable } from "./changeable.js";
import { loadEndings } from "./endings.js";
import { loadUser, loadUserDetail, showUsers } from "./show-user.js";

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
      async ({ query, admin: { store, now, caller, context } }) => {
        const { enabled, scope } = query;
        const group = parseGroup(query.group);
        const page = await store.users.list({ ...toPageRequest(query), enabled, scope, group, now });
        const { directories } = context;
        const items = await showUsers(page.items, { caller, store, directories });
        return fromPage({ ...page, items }, { query, show: (user) => user });
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
            "Disabling ends everything at once: sessions, signed-in apps, consents, access requests; connections can no longer be used. Enabling brings nothing of it back. The last administrator cannot be disabled. Support disables nobody with a role, and enables only whom support disabled.",
          params: userParamsSchema,
          body: userPatchSchema,
          response: { 200: userSchema },
        },
      },
      async ({ params: { id }, body, admin: { change, version, actor, requestId, context } }) => {
        let ended = nothingEnded;
        return await change(
          async (work) => {
            const { directories } = context;
            const changing = { ...work, actor, requestId, directories };
            const changed = await changeUser({ id, change: body, version }, changing);
            ended = changed.ended;
            return changed.user;
          },
          { ...reachOfUser(id), notes: async () => describeEnded(ended) },
        );
      },
    );

    app.get(
      "/users/:id/endings",
      {
        config: { access: auditorsAndSupport, errors: ["not_found"] },
        schema: {
          summary: "Show what of a person has ended, and what may still be valid",
          description:
            "What ended in the last 30 days, when and by what; what is stopped; and until when services may still accept tokens that they have received.",
          params: userParamsSchema,
          response: { 200: endingsSchema },
        },
      },
      async ({ params: { id }, admin: { store, now, language } }) =>
        await loadEndings(id, { store, now, language }),
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
      async ({ params: { id }, admin: { change, actor, requestId, context } }) =>
        await change(async (work) => {
          const user = await loadUser(work.store, { id, now: work.at });
          await requireChangeable([user], work.caller, { ...context, store: work.store });
          return await signOutUser(id, { ...work, actor, requestId });
        }),
    );
  },
};
