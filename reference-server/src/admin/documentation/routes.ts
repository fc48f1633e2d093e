import type { FastifyInstance } from "fastify";
import { serverVersion } from "../../platform/http/server-version.js";
import type { AdminArea } from "../door/area.js";
import type { AdminArea as FormerArea } from "../http/route.js";
import { renderDocsPage } from "./docs-page.js";
import { createOpenApiDocument, type OpenApiDocument } from "./openapi.js";

/** Nothing but this server's own style: no script, no form, no frame. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The API, described: for programs and for people. */
export function documentationArea(former: () => readonly FormerArea[]): AdminArea {
  return {
    tag: "Documentation",
    description: "This API, described by the schemas that check its requests and answers.",
    async routes(app) {
      app.get(
        "/openapi.json",
        {
          config: { contentTypes: ["application/json"] },
          schema: { summary: "Describe this API as OpenAPI 3.1" },
        },
        async () => describe(app, former()),
      );

      app.get(
        "/docs",
        { config: { contentTypes: ["text/html"] }, schema: { summary: "Describe this API as a page" } },
        async ({ admin: { store } }, reply) => {
          const { installationName } = await store.settings.get();
          return await reply
            .type("text/html; charset=utf-8")
            .header("content-security-policy", pagePolicy)
            .send(renderDocsPage(describe(app, former()), installationName));
        },
      );
    },
  };
}

/** Both frames in one document, as long as there are two. */
function describe(app: unknown, areas: readonly FormerArea[]): OpenApiDocument {
  const made = (app as FastifyInstance).swagger() as unknown as OpenApiDocument;
  const former = createOpenApiDocument(areas, { url: "", version: serverVersion });
  const schemas = { ...former.components.schemas, ...made.components.schemas };
  return {
    ...made,
    tags: [...made.tags, ...former.tags],
    paths: { ...made.paths, ...former.paths },
    components: { ...made.components, schemas },
  };
}
