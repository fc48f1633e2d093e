import { type Html, html } from "../../pages/html.js";
import type { JsonSchema } from "./json-schemas.js";
import type { OpenApiDocument, Operation } from "./openapi.js";
import { limitsText, referenceName, typeText } from "./type-text.js";

/** One operation, with what addresses it. */
interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** The page that shows an OpenAPI document to people. Made of the document alone, without a script. */
export function renderDocsPage(document: OpenApiDocument, installationName: string): string {
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method, path, operation })),
  );
  const title = `${document.info.title} · ${installationName}`;
  const page = html`<!doctype html>
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
<nav aria-label="Contents">
<p class="name"><a href="/admin">${installationName}</a></p>
<ul>
${document.tags.map(({ name }) => html`<li><a href="#${slug(name)}">${name}</a></li>\n`)}<li><a href="#schemas">Schemas</a></li>
</ul>
</nav>
<main>
<h1>${document.info.title}</h1>
${document.info.description.split("\n\n").map((paragraph) => html`<p>${withCode(paragraph)}</p>\n`)}
<p><a href="openapi.json">openapi.json</a> describes the same for programs.</p>
${document.tags.map((tag) =>
  renderTag(
    tag,
    entries.filter(({ operation }) => operation.tags.includes(tag.name)),
  ),
)}
<section id="schemas">
<h2>Schemas</h2>
${Object.entries(document.components.schemas).map(([name, schema]) => renderComponent(name, schema))}
</section>
</main>
</body>
</html>
`;
  return page.text;
}

function renderTag({ name, description }: OpenApiDocument["tags"][number], entries: readonly Entry[]): Html {
  return html`<section id="${slug(name)}">
<h2>${name}</h2>
<p>${withCode(description)}</p>
${entries.map(renderEntry)}
</section>
`;
}

function renderEntry({ method, path, operation }: Entry): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content["application/json"]?.schema;
  return html`<details id="${operationId}">
<summary><span class="method ${method}">${method.toUpperCase()}</span> <code>${path}</code> <span class="what">${summary}</span></summary>
${description !== undefined && html`<p>${withCode(description)}</p>\n`}
${
  parameters.length > 0 &&
  renderTable(
    "Parameters",
    parameters.map(({ name, in: place, required, description: text, schema }) => ({
      name,
      required,
      type: html`${renderType(schema)} <span class="hint">${place}</span>`,
      text: [text, limitsText(schema)],
    })),
  )
}
${body !== undefined && renderMembers("Body", body)}
${requestBody !== undefined && body === undefined && html`<p>The body is a file: ${Object.keys(requestBody.content).join(" or ")}.</p>`}
<table>
<caption>Answers</caption>
<tbody>
${Object.entries(responses).map(
  ([status, { description: text, content = {} }]) =>
    html`<tr><th scope="row">${status}</th><td>${
      status < "400" && renderContent(content)
    } ${withCode(text)}</td></tr>\n`,
)}</tbody>
</table>
</details>
`;
}

function renderContent(content: Readonly<Record<string, { readonly schema: JsonSchema }>>): Html {
  const json = content["application/json"];
  if (json !== undefined) return renderType(json.schema);
  return html`${Object.keys(content).join(", ")}`;
}

function renderComponent(name: string, schema: JsonSchema): Html {
  return html`<article id="schema-${name}">
<h3><code>${name}</code></h3>
${schema.description !== undefined && html`<p>${withCode(schema.description)}</p>\n`}
${renderMembers("Members", schema)}
</article>
`;
}

function renderMembers(caption: string, schema: JsonSchema): Html {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) {
    return html`${variants.map((variant, index) => renderMembers(`${caption}, form ${index + 1}`, variant))}`;
  }
  const { properties, required = [] } = schema;
  if (properties === undefined) return html`<p>${caption}: ${renderType(schema)}</p>`;
  return renderTable(
    caption,
    Object.entries(properties).map(([name, member]) => ({
      name,
      required: required.includes(name),
      type: renderType(member),
      text: [member.description, limitsText(member)],
    })),
  );
}

interface TableRow {
  readonly name: string;
  readonly required: boolean;
  readonly type: Html;
  readonly text: readonly (string | undefined)[];
}

function renderTable(caption: string, rows: readonly TableRow[]): Html {
  return html`<table>
<caption>${caption}</caption>
<tbody>
${rows.map(({ name, required, type, text }) => {
  const words = text.filter((part) => part !== undefined && part !== "").join("; ");
  return html`<tr><th scope="row"><code>${name}</code>${!required && html` <span class="hint">optional</span>`}</th><td>${type}</td><td>${withCode(words)}</td></tr>\n`;
})}</tbody>
</table>
`;
}

/** A type, with a link to the first component in it. */
function renderType(schema: JsonSchema): Html {
  const name = referenceName(schema) ?? (schema.items && referenceName(schema.items));
  const text = typeText(schema);
  if (name !== undefined) return html`<a href="#schema-${name}"><code>${text}</code></a>`;
  const { properties } = schema;
  if (properties === undefined) return html`<code>${text}</code>`;
  const members = Object.entries(properties).map(
    ([member, inner], index) => html`${index > 0 && ", "}<code>${member}</code>: ${renderType(inner)}`,
  );
  return html`{ ${members} }`;
}

/** Text in which backticks mark code. */
function withCode(text: string): Html {
  const parts = text.split("`");
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

function slug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
}
