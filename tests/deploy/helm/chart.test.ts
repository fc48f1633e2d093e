import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Deployment } from "kubernetes-types/apps/v1.js";
import type { Job } from "kubernetes-types/batch/v1.js";
import type { Container, PodSpec, Service } from "kubernetes-types/core/v1.js";
import type { NetworkPolicy } from "kubernetes-types/networking/v1.js";
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js";
import { beforeAll, describe, expect, it, test } from "vitest";
import {
  chartFolder,
  defaultValues,
  hasHelm,
  lintChart,
  type Manifest,
  merge,
  minimalValues,
  renderChart,
} from "./chart.js";
import { canCheck, checkManifests } from "./check-manifests.js";

const everything = merge(minimalValues, {
  server: {
    replicas: 3,
    env: { LOG_LEVEL: "warn", NODE_EXTRA_CA_CERTS: "/etc/authz/ca/ca.pem" },
    extraVolumes: [{ name: "ca", configMap: { name: "company-ca" } }],
    extraVolumeMounts: [{ name: "ca", mountPath: "/etc/authz/ca", readOnly: true }],
    trustedProxies: ["10.42.7.0/24", "fd00:42::/64"],
    startSeconds: 600,
  },
  proxy: {
    enabled: true,
    image: { tag: "2.0.1" },
    upstream: "https://public.example.com",
    upstreamCa: { existingConfigMap: "private-ca" },
  },
  ingress: {
    enabled: true,
    className: "nginx",
    tlsSecret: "authz-tls",
    annotations: { "example.com/a": "b" },
  },
  networkPolicy: {
    clients: [{ matchLabels: { tier: "ingress" } }],
    metricsClients: [{ matchLabels: { tier: "monitoring" } }],
  },
  monitoring: { serviceMonitor: true, labels: { release: "prometheus" } },
  imagePullSecrets: [{ name: "registry" }],
  podAnnotations: { "example.com/c": "true" },
  nodeSelector: { "kubernetes.io/os": "linux" },
  tolerations: [{ key: "a", operator: "Exists" }],
});

function find(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const found = manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found;
}

function podsOf(manifests: readonly Manifest[]): PodSpec[] {
  return manifests
    .filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .flatMap((manifest) => (manifest as Deployment).spec?.template.spec ?? []);
}

test("every value is described in the schema, and nothing else", () => {
  const schema = JSON.parse(readFileSync(join(chartFolder, "values.schema.json"), "utf8")) as Schema;
  expect(differences(schema, defaultValues(), schema)).toEqual([]);
});

test("only full versions and commits are accepted as tags", () => {
  const { definitions } = JSON.parse(readFileSync(join(chartFolder, "values.schema.json"), "utf8")) as Schema;
  const pattern = new RegExp(definitions?.["image"]?.properties?.["tag"]?.pattern ?? "nothing");
  for (const tag of ["1.2.3", "0".repeat(40)]) expect(pattern.test(tag)).toBe(true);
  for (const tag of ["latest", "1", "1.2", "v1.2.3", "1.2.3-rc.1"]) expect(pattern.test(tag)).toBe(false);
});

describe.skipIf(!hasHelm || !canCheck)("the objects of the chart", () => {
  it.each([
    { name: "the least values", values: minimalValues },
    { name: "every value", values: everything },
  ])("renders objects that Kubernetes knows, field by field, with $name", ({ values }) => {
    expect(checkManifests(renderChart(values))).toEqual([]);
  });

  it("is checked by something that finds mistakes", () => {
    const server = find(renderChart(minimalValues), "Deployment", "authz-server");
    const misspelt = JSON.parse(JSON.stringify(server).replace("runAsNonRoot", "runAsNonroot")) as Manifest;
    expect(checkManifests([misspelt]).join()).toContain("runAsNonroot");
  });
});

describe.skipIf(!hasHelm)("the chart", () => {
  it("has nothing that Helm warns of", () => {
    expect(() => lintChart(everything)).not.toThrow();
  });

  it.each([
    { missing: "image", says: "Set server.image.tag" },
    { missing: "issuer", says: "Set server.issuer" },
    { missing: "existingSecret", says: "Set server.existingSecret" },
    { missing: "database", says: "Set server.database.existingSecret" },
  ])("refuses to render without server.$missing", ({ missing, says }) => {
    const server = Object.fromEntries(
      Object.entries(minimalValues.server).filter(([name]) => name !== missing),
    );
    expect(() => renderChart({ server })).toThrow(says);
  });
});

describe.skipIf(!hasHelm)("the pods", () => {
  let pods: PodSpec[];

  beforeAll(() => {
    pods = podsOf(renderChart(everything));
  });

  it("are not root, write nothing, and may do nothing special", () => {
    expect(pods).toHaveLength(3);
    for (const { securityContext, containers, automountServiceAccountToken } of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
      expect(automountServiceAccountToken).toBe(false);
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          readOnlyRootFilesystem: true,
          allowPrivilegeEscalation: false,
          capabilities: { drop: ["ALL"] },
        });
        expect(container.resources?.limits).toHaveProperty("memory");
      }
    }
  });

  it("have full versions", () => {
    const images = pods.flatMap(({ containers }) => containers.map(({ image }) => image));
    expect(new Set(images)).toEqual(
      new Set(["ghcr.io/authz/authz-server:1.2.3", "ghcr.io/authz/authz-discovery-proxy:2.0.1"]),
    );
  });

  it("take secrets from existing Secrets only", () => {
    const manifests = renderChart(everything);
    expect(manifests.filter(({ kind }) => kind === "Secret")).toEqual([]);
    const server = find(manifests, "Deployment", "authz-server") as Deployment;
    const env = server.spec?.template.spec?.containers[0]?.env ?? [];
    const secret = env.filter(({ valueFrom }) => valueFrom !== undefined);
    expect(secret.map(({ name }) => name)).toEqual([
      "POSTGRES_URL",
      "AUTH_SESSION_SECRET",
      "AUTHZ_SETUP_TOKEN",
      "AUTHZ_CREDENTIAL_ENCRYPTION_KEY",
      "AUTHZ_SIGNING_PRIVATE_JWK",
      "AUTHZ_SIGNING_PUBLIC_JWK",
      "AUTHZ_SIGNING_KID",
      "AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS",
      "AUTHZ_CONNECTOR_KEK",
      "AUTHZ_CONNECTOR_KEK_PREVIOUS",
      "AUTHZ_CONNECTOR_VAULT_TOKEN",
      "AUTHZ_NOTIFY_WEBHOOK_URL",
      "AUTHZ_NOTIFY_WEBHOOK_SECRET",
      "AUTHZ_NOTIFY_SMTP_URL",
    ]);
    const optional = secret.filter(({ valueFrom }) => valueFrom?.secretKeyRef?.optional === true);
    expect(optional.map(({ name }) => name)).toEqual([
      "AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS",
      "AUTHZ_CONNECTOR_KEK",
      "AUTHZ_CONNECTOR_KEK_PREVIOUS",
      "AUTHZ_CONNECTOR_VAULT_TOKEN",
      "AUTHZ_NOTIFY_WEBHOOK_URL",
      "AUTHZ_NOTIFY_WEBHOOK_SECRET",
      "AUTHZ_NOTIFY_SMTP_URL",
    ]);
    expect(env.find(({ name }) => name === "AUTHZ_TRUSTED_PROXIES")?.value).toBe("10.42.7.0/24,fd00:42::/64");
    expect(env.find(({ name }) => name === "LOG_LEVEL")?.value).toBe("warn");
  });
});

describe.skipIf(!hasHelm)("the server in Kubernetes", () => {
  let manifests: Manifest[];
  let server: Deployment["spec"];
  let container: Container | undefined;

  beforeAll(() => {
    manifests = renderChart(everything);
    server = (find(manifests, "Deployment", "authz-server") as Deployment).spec;
    container = server?.template.spec?.containers[0];
  });

  it("gets requests while it can store something, lives while it answers, and has time to start for an upgrade", () => {
    expect(container?.readinessProbe?.httpGet).toEqual({ path: "/readyz", port: 9090 });
    for (const found of [container?.startupProbe, container?.livenessProbe]) {
      expect(found?.httpGet).toEqual({ path: "/.well-known/openid-configuration", port: 3000 });
    }
    const { periodSeconds = 0, failureThreshold = 0 } = container?.startupProbe ?? {};
    expect(periodSeconds * failureThreshold).toBe(600);
  });

  it("has its replicas, replaced one by one, on several nodes", () => {
    expect(server?.replicas).toBe(3);
    expect(server?.strategy?.rollingUpdate).toEqual({ maxUnavailable: 0, maxSurge: 1 });
    expect(server?.template.spec?.topologySpreadConstraints?.[0]?.topologyKey).toBe("kubernetes.io/hostname");
    const budget = find(manifests, "PodDisruptionBudget", "authz-server") as PodDisruptionBudget;
    expect(budget.spec?.maxUnavailable).toBe(1);
    expect(budget.spec?.selector).toEqual(server?.selector);
  });

  it("stops after what it drains and what it closes", () => {
    const drain = Number(container?.env?.find(({ name }) => name === "AUTHZ_DRAIN_SECONDS")?.value);
    expect(server?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThan(drain + 9);
  });

  it("is migrated by a Job before pods are replaced, which is not tried twice", () => {
    const job = find(manifests, "Job", "authz-migrations") as Job & Manifest;
    expect(job.metadata.annotations?.["helm.sh/hook"]).toBe("pre-install,pre-upgrade");
    expect(job.spec?.backoffLimit).toBe(0);
    const migrations = job.spec?.template.spec?.containers[0];
    expect(migrations?.command).toEqual(["authz-migrate"]);
    expect(migrations?.image).toBe(container?.image);
    expect(migrations?.env?.map(({ name }) => name)).toEqual([
      "POSTGRES_URL",
      "LOG_LEVEL",
      "NODE_EXTRA_CA_CERTS",
    ]);
    expect(migrations?.volumeMounts).toEqual(container?.volumeMounts);
    expect(job.spec?.template.spec?.volumes).toEqual(server?.template.spec?.volumes);
    const without = renderChart(merge(minimalValues, { migrations: { job: false } }));
    expect(without.filter(({ kind }) => kind === "Job")).toEqual([]);
  });

  it("has the files that the values mount", () => {
    expect(container?.volumeMounts).toEqual([{ name: "ca", mountPath: "/etc/authz/ca", readOnly: true }]);
    expect(server?.template.spec?.volumes).toEqual([{ name: "ca", configMap: { name: "company-ca" } }]);
  });

  it("is measured as the job that the alerts ask for, where the values say so", () => {
    const monitor = find(manifests, "ServiceMonitor", "authz-server") as Manifest & { spec: unknown };
    expect(monitor.metadata).toMatchObject({ labels: { release: "prometheus" } });
    const relabelings = [{ targetLabel: "job", replacement: "authz" }];
    expect(monitor.spec).toEqual({
      selector: server?.selector,
      endpoints: [{ port: "management", relabelings }],
    });
    const service = find(manifests, "Service", "authz-server") as Service & Manifest;
    expect(service.spec?.ports?.map(({ name, port }) => [name, port])).toEqual([
      ["http", 3000],
      ["management", 9090],
    ]);
    expect(renderChart(minimalValues).map(({ kind }) => kind)).not.toContain("ServiceMonitor");
  });

  it("is unreachable until the values name clients, on its port only, and metrics likewise", () => {
    const proxied = merge(minimalValues, { proxy: { enabled: true, image: { tag: "2.0.1" } } });
    for (const name of ["authz-server", "authz-proxy"]) {
      const closed = find(renderChart(proxied), "NetworkPolicy", name) as NetworkPolicy;
      expect(closed.spec?.policyTypes).toContain("Ingress");
      expect(closed.spec?.ingress ?? []).toEqual([]);
    }
    const policy = find(manifests, "NetworkPolicy", "authz-server") as NetworkPolicy;
    expect(policy.spec?.podSelector).toEqual(server?.selector);
    expect(policy.spec?.ingress).toEqual([
      { ports: [{ port: 3000 }], from: [{ namespaceSelector: { matchLabels: { tier: "ingress" } } }] },
      { ports: [{ port: 9090 }], from: [{ namespaceSelector: { matchLabels: { tier: "monitoring" } } }] },
    ]);
  });
});

describe.skipIf(!hasHelm)("the proxy in Kubernetes", () => {
  it("is not there unless asked for", () => {
    const names = renderChart(minimalValues).map(({ metadata }) => metadata.name);
    expect(new Set(names)).toEqual(new Set(["authz-server", "authz-migrations"]));
  });

  it("is probed by a TCP connection to port 8080", () => {
    const proxy = find(renderChart(everything), "Deployment", "authz-proxy") as Deployment;
    const container = proxy.spec?.template.spec?.containers[0];
    expect(container?.livenessProbe?.tcpSocket).toEqual({ port: 8080 });
    expect(container?.readinessProbe?.tcpSocket).toEqual({ port: 8080 });
    expect(container?.startupProbe).toBeUndefined();
  });

  it("asks the issuer unless another upstream is named", () => {
    const values = merge(minimalValues, { proxy: { enabled: true, image: { tag: "2.0.1" } } });
    const proxy = find(renderChart(values), "Deployment", "authz-proxy") as Deployment;
    expect(proxy.spec?.template.spec?.containers[0]?.env).toEqual([
      { name: "AUTHZ_UPSTREAM", value: "https://auth.example.com" },
    ]);
    expect(proxy.spec?.template.spec?.volumes).toBeUndefined();
  });
});

interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** Where the values and a strict schema do not name the same things. */
function differences(schema: Schema, values: unknown, root: Schema, path = "values"): string[] {
  const resolved =
    schema.$ref === undefined ? schema : root.definitions?.[schema.$ref.split("/").at(-1) ?? ""];
  if (resolved?.additionalProperties !== false) return [];
  const described = Object.keys(resolved.properties ?? {}).filter((name) => name !== "global");
  const given = Object.keys(values as object);
  return [
    ...described.filter((name) => !given.includes(name)).map((name) => `${path}.${name} has no default`),
    ...given.filter((name) => !described.includes(name)).map((name) => `${path}.${name} is not described`),
    ...described
      .filter((name) => given.includes(name))
      .flatMap((name) =>
        differences(
          resolved.properties?.[name] ?? {},
          (values as Record<string, unknown>)[name],
          root,
          `${path}.${name}`,
        ),
      ),
  ];
}
