import type { OpenAPI, OpenAPIV3_1 } from "openapi-types";
import { html } from "../../pages/html.js";

/**
 * The page that lists the operations of an OpenAPI document for people. Whoever wants more gives the document to a tool
 * of their own: every viewer that could stand here needs inline scripts or styles, which this server allows nowhere.
 */
export function renderDocsPage(described: OpenAPI.Document, installationName: string): string {
  const { info, paths = {}, tags = [] } = described as OpenAPIV3_1.Document;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Readonly<Record<string, OpenAPIV3_1.OperationObject>>).map(
      ([method, operation]) => ({ method, path, ...operation }),
    ),
  );
  const title = `${info.title} · ${installationName}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="/assets/authz.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/authz.css">
<link rel="stylesheet" href="/assets/api.css">
</head>
<body class="api">
<main>
<p class="name"><a href="/admin">${installationName}</a></p>
<h1>${info.title}</h1>
${(info.description ?? "").split("\n\n").map((paragraph) => html`<p>${paragraph}</p>\n`)}
<p><a href="openapi.json">openapi.json</a> describes parameters, bodies and answers; any OpenAPI viewer shows it.</p>
${tags.map(
  ({ name, description = "" }) => html`<section>
<h2>${name}</h2>
<p>${description}</p>
<ul>
${operations
  .filter((operation) => operation.tags?.includes(name) === true)
  .map(
    ({ method, path, operationId = "", summary = "" }) =>
      html`<li id="${operationId}"><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code> <span class="what">${summary}</span></li>\n`,
  )}</ul>
</section>
`,
)}
</main>
</body>
</html>
`.text;
}
