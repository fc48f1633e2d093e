import { administrators, everyRole } from "../../../src/admin/door/access.js";
import type { AdminArea } from "../../../src/admin/door/area.js";
import { fromPage, toPageRequest } from "../../../src/admin/door/list-query.js";
import { requireVersion } from "../../../src/registry/refusal.js";
import { saveSettings } from "../../../src/registry/settings.js";
import type { Store } from "../../../src/store/store.js";
import { changeNameSchema, nameListSchema, nameQuerySchema, nameSchema } from "./schemas.js";

export const nameArea: AdminArea = {
  tag: "Names",
  description: "What things are called.",
  async routes(app) {
    app.get(
      "/name",
      { config: { access: everyRole }, schema: { summary: "Show the name", response: { 200: nameSchema } } },
      async ({ admin: { store } }) => await loadName(store),
    );

    app.patch(
      "/name",
      {
        config: { access: administrators, ifMatch: true },
        schema: { summary: "Change the name", body: changeNameSchema, response: { 200: nameSchema } },
      },
      async ({ body, admin: { change, version } }) =>
        await change(async (work) => {
          requireVersion(await loadName(work.store), version);
          await saveSettings({ installationName: body.name }, work);
          return await loadName(work.store);
        }),
    );

    app.get(
      "/names",
      {
        config: { access: everyRole },
        schema: { summary: "List names", querystring: nameQuerySchema, response: { 200: nameListSchema } },
      },
      async ({ query, admin: { store } }) => {
        const page = await store.scopes.list({ ...toPageRequest(query), system: undefined });
        return fromPage(page, { query, show: ({ key }) => ({ key }) });
      },
    );
  },
};

async function loadName(store: Pick<Store, "settings">) {
  const { installationName: name, version } = await store.settings.get();
  return { name, version };
}
