import { defineRoute } from "../http/define-route.js";
import { fromPage, toPageRequest } from "../http/list-query.js";
import type { AdminArea } from "../http/route.js";
import { changeUser, describeSignOut, reachOfUser } from "./change-user.js";
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
import { signOutUser } from "./sign-out-user.js";

const listUsers = defineRoute({
  method: "GET",
  path: "/users",
  summary: "List people",
  description: "`q` finds words of the name and the address by their beginning.",
  query: userQuerySchema,
  answer: userListSchema,
  handle: async ({ query }, { store, now }) => {
    const page = await store.users.list({ ...toPageRequest(query), enabled: query.enabled, now });
    return fromPage(page, { query, show: showUser });
  },
});

const getUser = defineRoute({
  method: "GET",
  path: "/users/{id}",
  summary: "Show a person, and why they may do what they may do",
  params: userParamsSchema,
  answer: userDetailSchema,
  errors: ["not_found"],
  handle: async ({ params: { id } }, { store, now, caller, context: { directories } }) =>
    await loadUserDetail(id, { store, directories, now, caller }),
});

const patchUser = defineRoute({
  method: "PATCH",
  path: "/users/{id}",
  summary: "Enable or disable a person",
  description: "Disabling ends all sessions and log-ins at once. The last administrator cannot be disabled.",
  ifMatch: true,
  preview: true,
  params: userParamsSchema,
  body: userPatchSchema,
  answer: userSchema,
  errors: ["not_found", "last_administrator"],
  handle: async ({ params: { id }, body, version }, { change, actor, requestId }) => {
    let ended = { sessions: 0, logIns: 0 };
    return await change(
      async (work) => {
        const changed = await changeUser({ id, change: body, version }, { ...work, actor, requestId });
        ended = changed.ended;
        return changed.user;
      },
      { ...reachOfUser(id), notes: async () => describeSignOut(ended) },
    );
  },
});

const postSignOut = defineRoute({
  method: "POST",
  path: "/users/{id}/sign-outs",
  summary: "Sign a person out everywhere",
  description: "Ends all browser sessions and all log-ins of clients.",
  params: userParamsSchema,
  answer: signOutSchema,
  errors: ["not_found"],
  handle: async ({ params: { id } }, { change, actor, requestId }) =>
    await change(async (work) => {
      await loadUser(work.store, { id, now: work.at });
      const reason = "revoked_by_administrator";
      return await signOutUser({ userId: id, reason }, { ...work, actor, requestId });
    }),
});

/** People who have signed in. */
export function peopleArea(): AdminArea {
  return {
    tag: "People",
    description:
      "Everybody who has signed in at least once: what they may do and why, and where they are signed in.",
    routes: [listUsers, getUser, patchUser, postSignOut],
  };
}
