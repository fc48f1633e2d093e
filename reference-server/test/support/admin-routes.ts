import type { AdminRequestOptions, AdminServer } from "./admin.js";

interface Operation {
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown }>> };
}

/** A route of the administration API, as its OpenAPI document describes it. */
export interface DescribedRoute {
  readonly title: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly parameters: readonly string[];
  /** The JSON Schema of the body; `undefined` when there is no JSON in it. */
  readonly json: unknown;
  /** The content type of a file. */
  readonly upload: string | undefined;
  readonly ifMatch: boolean;
}

/** Every route there is: `documentation.test.ts` proves that the document leaves none out. */
export async function describeRoutes(server: AdminServer): Promise<{
  readonly routes: readonly DescribedRoute[];
  readonly schemas: Readonly<Record<string, unknown>>;
}> {
  const { paths, components } = (await server.request("GET", "/openapi.json")).body as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, { parameters = [], requestBody }]): DescribedRoute => {
      const method = name.toUpperCase();
      const [contentType] = Object.keys(requestBody?.content ?? {});
      const json = requestBody?.content["application/json"]?.schema;
      const names = parameters.map((parameter) => parameter.name);
      return {
        title: `${method} ${path}`,
        method,
        path,
        parameters: names,
        json,
        upload: json === undefined ? contentType : undefined,
        ifMatch: names.includes("If-Match"),
      };
    }),
  );
  return { routes, schemas: components.schemas };
}

/** What a request needs to get as far as the schemas: parameters are replaced by something plausible. */
export function plausibleRequest({ method, path, upload, ifMatch }: DescribedRoute): {
  readonly path: string;
  readonly options: AdminRequestOptions;
} {
  return {
    path: path
      .replaceAll("{id}", "0b2f1c3e-54a6-4c8e-9a53-6d7f8e9a0b1c")
      .replaceAll(/\{\w+\}/g, "some:thing"),
    options: {
      ...(method !== "GET" && method !== "DELETE" && { body: upload === undefined ? {} : "x" }),
      ...(ifMatch && { version: 1 }),
      headers: upload === undefined ? {} : { "content-type": upload },
    },
  };
}
