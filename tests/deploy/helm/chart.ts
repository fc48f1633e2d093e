/** Our chart, rendered by Helm. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, parseAllDocuments } from "yaml";
import { provideTool, runTool } from "../../../tools/src/packages/provide-tool.js";

/** Helm as built from its module believes in an ancient one. */
const kubernetesVersion = "1.37.0";

export const chartFolder = fileURLToPath(new URL("../../../deploy/helm/authz", import.meta.url));

const folder = await provideTool({
  name: "helm-3.22.0",
  needs: ["go"],
  tests: "the Helm chart",
  make: (made) => runTool("go", ["install", "helm.sh/helm/v3/cmd/helm@v3.22.0"], { GOBIN: made }),
});

export const hasHelm: boolean = folder !== undefined;

function helm(args: readonly string[], input: string): string {
  return execFileSync(join(folder ?? "", "helm"), args, { input, encoding: "utf8", stdio: "pipe" });
}

/** What Helm rendered, by the values: many tests look at the same objects. */
const rendered = new Map<string, string>();

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
  const cluster = ["--kube-version", kubernetesVersion];
  const input = JSON.stringify(values);
  const text =
    rendered.get(input) ?? helm(["template", "authz", chartFolder, ...cluster, "--values", "-"], input);
  rendered.set(input, text);
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw new Error(`${document.errors.join("\n")}\n${text}`);
      return document.toJS() as Manifest | null;
    })
    .filter((manifest) => manifest !== null);
}

/** Throws what Helm finds wrong with the chart itself. */
export function lintChart(values: Values): void {
  const cluster = ["--kube-version", kubernetesVersion];
  helm(["lint", chartFolder, "--strict", ...cluster, "--values", "-"], JSON.stringify(values));
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
