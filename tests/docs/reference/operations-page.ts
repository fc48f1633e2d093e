import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../markdown.js";
import { generatedNote, page, table } from "./tables.js";

interface OpenApi {
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** The operations of the admin API by area, from the committed OpenAPI document. */
export function operationsPage(): string {
  const described = JSON.parse(readFileSync(join(root, "docs/reference/openapi.json"), "utf8")) as OpenApi;
  const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  return page([
    "# Operations of the admin API",
    "Every operation below `/api/admin/v1`. Bodies, answers and every field are in [openapi.json](openapi.json) (OpenAPI 3.1): give it to the viewer or generator that you use. Who may call, versions, previews and refusals: [the admin API](admin-api.md).",
    generatedNote,
    ...described.tags.map(({ name, description = "" }) => {
      const rows = operations
        .filter(({ tags }) => tags?.includes(name) === true)
        .map(({ method, path, summary = "", parameters = [] }) => [
          `\`${method.toUpperCase()} ${path}\``,
          summary,
          parameters
            .filter((parameter) => parameter.in === "query")
            .map((parameter) => `\`${parameter.name}\``)
            .join(" "),
        ]);
      return `## ${name}\n\n${description}\n\n${table(["Operation", "What it does", "Query"], rows)}`;
    }),
  ]);
}
