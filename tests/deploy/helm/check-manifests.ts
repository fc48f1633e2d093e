/** Checks manifests as an API server would: against the schemas of the oldest and the newest Kubernetes. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { provideTool, runTool } from "../../../tools/src/packages/provide-tool.js";
import type { Manifest } from "./chart.js";

/** The first is what `Chart.yaml` asks for. */
const kubernetesVersions = ["1.27.0", "1.37.0"] as const;

const folder = await provideTool({
  name: "kubeconform-0.8.0-schemas-1.37.0",
  needs: ["go", "python3"],
  tests: "the chart's objects against Kubernetes' schemas",
  async make(made) {
    await runTool("go", ["install", "github.com/yannh/kubeconform/cmd/kubeconform@v0.8.0"], { GOBIN: made });
    const target = ["--quiet", "--no-deps", "--target", made, "kubernetes-validate==1.37.0"];
    await runTool("python3", ["-m", "pip", "install", ...target]);
    keepSchemas(join(made, "kubernetes_validate", "kubernetes-json-schema"));
  },
});

/** Of all versions that the package brings, ours: with references to files, where it has addresses. */
function keepSchemas(all: string): void {
  const ours = kubernetesVersions.map((version) => `v${version}-local-strict`);
  for (const version of readdirSync(all)) {
    if (!ours.includes(version)) rmSync(join(all, version), { recursive: true });
    else
      for (const file of readdirSync(join(all, version))) {
        const path = join(all, version, file);
        const { $id: _, ...schema } = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
        writeFileSync(
          path,
          JSON.stringify(schema).replaceAll('"/api/_definitions.json', '"_definitions.json'),
        );
      }
  }
}

export const canCheck: boolean = folder !== undefined;

/** What is wrong, line by line; nothing when every manifest is right. */
export function checkManifests(manifests: readonly Manifest[]): string[] {
  const input = manifests.map((manifest) => JSON.stringify(manifest)).join("\n---\n");
  return kubernetesVersions.flatMap((version) => {
    const schemas = join(
      folder ?? "",
      "kubernetes_validate/kubernetes-json-schema",
      `v${version}-local-strict`,
    );
    const location = `${schemas}/{{ .ResourceKind }}{{ .KindSuffix }}.json`;
    const { status, stdout } = spawnSync(
      join(folder ?? "", "kubeconform"),
      // Kubernetes itself does not know the objects of the Prometheus operator.
      ["-strict", "-schema-location", location, "-skip", "ServiceMonitor", "-"],
      { input, encoding: "utf8" },
    );
    return status === 0 ? [] : stdout.trim().split("\n");
  });
}
