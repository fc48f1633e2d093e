import type { FastifyInstance } from "fastify";
import { everyRole } from "../door/access.js";
import type { AdminArea } from "../door/area.js";
import { renderDocsPage } from "./docs-page.js";

/** Nothing but this server's own style: no script, no form, no frame. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The API, described: for programs and for people. */
export const documentationArea: AdminArea = {
  tag: "Documentation",
  description: "This API, described by the schemas that check its requests and answers.",
  async routes(app) {
    const describe = () => (app as unknown as FastifyInstance).swagger();

    app.get(
      "/openapi.json",
      {
        config: { access: everyRole, contentTypes: ["application/json"] },
        schema: { summary: "Describe this API as OpenAPI 3.1" },
      },
      async () => describe(),
    );

    app.get(
      "/docs",
      {
        config: { access: everyRole, contentTypes: ["text/html"] },
        schema: { summary: "Describe this API as a page" },
      },
      async ({ admin: { store } }, reply) => {
        const { installationName } = await store.settings.get();
        return await reply
          .type("text/html; charset=utf-8")
          .header("content-security-policy", pagePolicy)
          .send(renderDocsPage(describe(), installationName));
      },
    );
  },
};
