import { serverVersion } from "../../platform/http/server-version.js";
import { defineRoute } from "../http/define-route.js";
import { adminPrefix } from "../http/mount.js";
import { RawAnswer } from "../http/raw-answer.js";
import type { AdminArea, AreaOptions } from "../http/route.js";
import { renderDocsPage } from "./docs-page.js";
import { createOpenApiDocument, type OpenApiDocument } from "./openapi.js";

/** Nothing but this server's own style: no script, no form, no frame. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The API, described: for programs and for people. */
export function documentationArea(areas: readonly AdminArea[], { issuer }: AreaOptions): AdminArea {
  let made: OpenApiDocument | undefined;
  const document = () =>
    (made ??= createOpenApiDocument([...areas, area], {
      url: `${issuer}${adminPrefix}`,
      version: serverVersion,
    }));
  const area: AdminArea = {
    tag: "Documentation",
    description: "This API, described by the schemas that check its requests and answers.",
    routes: [
      defineRoute({
        method: "GET",
        path: "/openapi.json",
        summary: "Describe this API as OpenAPI 3.1",
        rawAnswers: ["application/json"],
        handle: () => {
          const body = JSON.stringify(document());
          return Promise.resolve(new RawAnswer({ contentType: "application/json; charset=utf-8", body }));
        },
      }),
      defineRoute({
        method: "GET",
        path: "/docs",
        summary: "Describe this API as a page",
        rawAnswers: ["text/html"],
        handle: async (_input, { store }) => {
          const { installationName } = await store.settings.get();
          return new RawAnswer({
            contentType: "text/html; charset=utf-8",
            headers: { "content-security-policy": pagePolicy },
            body: renderDocsPage(document(), installationName),
          });
        },
      }),
    ],
  };
  return area;
}
