/** Our chart, rendered by Helm. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";

export const chartFolder = fileURLToPath(new URL("../../../deploy/helm/authz", import.meta.url));
export const hasHelm = spawnSync("helm", ["version"]).status === 0;

type Values = { readonly [name: string]: unknown };

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

/** The least that an installation has to say. */
export const minimalValues = {
  server: {
    image: { tag: "1.2.3" },
    issuer: "https://auth.example.com",
    existingSecret: "authz-secrets",
    database: { existingSecret: "authz-database" },
  },
};

export function defaultValues(): Values {
  return parse(readFileSync(join(chartFolder, "values.yaml"), "utf8")) as Values;
}

/** @throws {Error} A required value is missing. */
export function renderChart(values: Values): Manifest[] {
  const text = execFileSync("helm", ["template", "authz", chartFolder, "--values", "-"], {
    input: JSON.stringify(values),
    encoding: "utf8",
    stdio: "pipe",
  });
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw new Error(`${document.errors.join("\n")}\n${text}`);
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

export function merge(one: Values, other: Values): Values {
  const merged = { ...one };
  for (const [name, value] of Object.entries(other)) {
    const before = merged[name];
    merged[name] = isObject(before) && isObject(value) ? merge(before, value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
