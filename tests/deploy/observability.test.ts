/** Dashboard and alerts ask for what the server measures. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { createTestServer, type TestServer } from "../../reference-server/test/support/server.js";

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
const { panels } = JSON.parse(read("deploy/grafana/authz-server.json")) as Dashboard;
const rules = (parse(read("deploy/prometheus/authz-alerts.yaml")) as Alerts).groups.flatMap(
  (group) => group.rules,
);

let server: TestServer;
/** Everything on `/metrics`, with the routes that exist. */
let metrics: string;
let routes: string;

beforeAll(async () => {
  server = await createTestServer({ AUTHZ_MANAGEMENT_PORT: "0" });
  await server.app.inject("/.well-known/openid-configuration");
  metrics = (await server.management?.inject("/metrics"))?.body ?? "";
  routes = server.app.printRoutes({ commonPrefix: false });
});

afterAll(() => server.close());

/** Names of metrics in an expression: words before a brace. */
function metricsIn(expr: string): string[] {
  return [...expr.matchAll(/([a-z_0-9]+)\{/g)].map(([, name = ""]) => name).filter((name) => name !== "up");
}

const expressions = [
  ...panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ name: `the panel "${title}"`, expr })),
  ),
  ...rules.map(({ alert, expr }) => ({ name: alert, expr })),
];

describe.each(expressions)("$name", ({ expr }) => {
  it("asks for metrics that exist", () => {
    for (const name of metricsIn(expr)) {
      const family = name.replace(/_(?:bucket|count|sum)$/, "");
      expect(metrics).toMatch(new RegExp(`^# TYPE (?:${name}|${family}) `, "m"));
    }
  });

  it("asks for labels and routes that exist", () => {
    const selectors = [...expr.matchAll(/([a-z_0-9]+)\{([^}]*)\}/g)];
    for (const [, name = "", selector = ""] of selectors) {
      const used = [...selector.matchAll(/(\w+)=~?"([^"]*)"/g)].map(([, label = "", value = ""]) => ({
        label,
        value,
      }));
      const known = ["job", "instance", ...labelsOf(name)];
      expect(used.map(({ label }) => label).filter((label) => !known.includes(label))).toEqual([]);
      for (const { value } of used.filter(({ label }) => label === "route")) {
        expect(routes).toContain(`── ${value.slice(1)} (`);
      }
    }
  });
});

/** The labels of a metric that this repository defines. */
function labelsOf(name: string): string[] {
  if (name.startsWith("http_request_duration_seconds")) return ["method", "route", "status", "le"];
  const labels = {
    authz_build_info: ["version"],
    authz_database_connections: ["state"],
    authz_rate_limited_requests_total: ["limit"],
    authz_refusals_total: ["event"],
    authz_signal_streams: ["health"],
    authz_skill_catalogs: ["state"],
  };
  return labels[name as keyof typeof labels] ?? [];
}

describe("the dashboard", () => {
  it("has panels that neither overlap nor leave the grid", () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

describe("the alerts", () => {
  it("ring when every target has vanished, too", () => {
    const down = rules.find(({ alert }) => alert === "AuthzDown");
    expect(down?.expr).toContain('or absent(up{job="authz"})');
  });

  it("are explained in docs/operate/alerts.md, all of them and no other", () => {
    const explained = [...read("docs/operate/alerts.md").matchAll(/^\| `(Authz\w+)` \|/gm)].map(
      ([, name]) => name,
    );
    expect(explained).toEqual(rules.map(({ alert }) => alert));
  });

  it("say how urgent they are, and what is wrong in a sentence", () => {
    for (const { labels, annotations } of rules) {
      expect(["page", "ticket"]).toContain(labels.severity);
      expect(annotations.summary).toMatch(/\.$/);
    }
  });
});
