import { fault } from "../../objects/check.js";
import { invalid, notFound } from "../../registry/refusal.js";
import { mostViews } from "../../store/saved-views.js";
import { everyRole } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import type { Caller } from "../door/call.js";
import { AdminRefusal } from "../door/refusals.js";
import { saveViewSchema, viewListSchema, viewParamsSchema, viewQuerySchema, viewSchema } from "./schemas.js";

/** Each administrator's own views. They affect no one else, so they are not audited. */
export const viewArea: AdminArea = {
  tag: "Saved views",
  description: "How the administrator who asks likes to see lists of the console: search, filters, order.",
  async routes(app) {
    app.get(
      "/views",
      {
        config: { access: everyRole, browserOnly: true },
        schema: {
          summary: "List one's own views of a list",
          querystring: viewQuerySchema,
          response: { 200: viewListSchema },
        },
      },
      async ({ query: { list }, admin: { caller, store } }) => ({
        items: [...(await store.savedViews.list({ userId: personOf(caller), list }))],
      }),
    );

    app.put(
      "/views",
      {
        config: { access: everyRole, browserOnly: true },
        schema: {
          summary: "Save a view of a list",
          description: `In place of the one with its name. Each administrator has ${mostViews} of a list at most.`,
          body: saveViewSchema,
          response: { 200: viewSchema },
        },
      },
      async ({ body, admin: { caller, change, now } }) =>
        await change(async ({ store }) => {
          const view = await store.savedViews.save({ ...body, userId: personOf(caller) }, now);
          if (view === undefined) throw invalid(fault("name", "tooManyViews", { maximum: mostViews }));
          return view;
        }),
    );

    app.delete(
      "/views/:id",
      {
        config: { access: everyRole, browserOnly: true, errors: ["not_found"] },
        schema: { summary: "Remove one of one's own views", params: viewParamsSchema },
      },
      async ({ params: { id }, admin: { caller, change } }) =>
        await change(async ({ store }) => {
          if (!(await store.savedViews.remove({ id, userId: personOf(caller) }))) throw notFound("view");
        }),
    );
  },
};

/** @throws {AdminRefusal} `access_denied` for a machine, which looks at no lists. */
function personOf(caller: Caller): string {
  if (caller.type === "user") return caller.user.id;
  throw new AdminRefusal("access_denied", "browserOnly");
}
