import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { connectorLimits } from "../../reference-server/src/registry/connector-fields.js";
import { loadConfig as loadProxyConfig } from "../../proxy/src/config.js";
import { loadConfig as loadServerConfig } from "../../reference-server/src/config/config.js";
import { connectorKeyVariables } from "../../reference-server/src/config/connector-keys.js";
import { variables } from "../../reference-server/src/config/variables.js";
import { generateSecrets } from "../../reference-server/src/commands/generate-secrets.js";

interface Service {
  readonly image?: string;
  readonly build?: { readonly dockerfile: string };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string } | null>>;
  readonly profiles?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly ulimits?: Readonly<Record<string, number>>;
  readonly security_opt?: readonly string[];
  readonly stop_grace_period?: string;
  readonly mem_limit?: string;
  readonly logging?: { readonly driver: string; readonly options: Readonly<Record<string, string>> };
  readonly volumes?: readonly string[];
  readonly deploy?: { readonly replicas: number };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks?: Readonly<Record<string, { readonly internal?: boolean; readonly ipam?: Ipam } | null>>;
}

interface Ipam {
  readonly config: readonly { readonly subnet: string; readonly ip_range: string }[];
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const compose = parse(read("compose.yaml")) as Compose;
const replicas = parse(read("compose.replicas.yaml")) as Compose;
const serviceOf = (name: string): Service => compose.services[name] ?? {};
const issuer = "https://auth.example.com";
const hasCaddy = spawnSync("caddy", ["version"]).status === 0;
const hasDebianCompose = spawnSync("docker-compose", ["--version"], { encoding: "utf8" }).status === 0;

/** `.env` as the first lines of compose.yaml say. */
let env: Readonly<Record<string, string | undefined>>;

beforeAll(async () => {
  env = { ...parseEnv(await generateSecrets("env")), AUTHZ_ISSUER: issuer, POSTGRES_PASSWORD: "letters1" };
});

/** What Compose makes of a value: `${NAME}`, `${NAME:-default}`, `${NAME:?message}`. */
function interpolate(text: string): string {
  return text.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_whole, name: string, kind, rest: string) => {
    const value = env[name] ?? "";
    if (value !== "") return value;
    if (kind === "-") return rest;
    throw new Error(`${name} is not set: ${rest}`);
  });
}

function environmentOf(name: string): Record<string, string> {
  const entries = Object.entries(serviceOf(name).environment ?? {});
  return Object.fromEntries(entries.map(([variable, text]) => [variable, interpolate(text)]));
}

describe("compose.yaml", () => {
  it("gives the server an environment that it accepts, from authz-server secrets and two more values", () => {
    const config = loadServerConfig(environmentOf("server"));
    expect(config.issuer).toBe(issuer);
    expect(config.postgresUrl).toBe("postgresql://authz:letters1@postgres:5432/authz");
    expect(config.port).toBe(3000);
  });

  it("passes a replaced encryption key on", () => {
    expect(loadServerConfig(environmentOf("server")).previousCredentialKeys).toEqual([]);
    const before = env;
    env = {
      ...env,
      AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS: env["AUTHZ_CREDENTIAL_ENCRYPTION_KEY"],
    };
    const { previousCredentialKeys } = loadServerConfig(environmentOf("server"));
    env = before;
    expect(previousCredentialKeys).toHaveLength(1);
  });

  it("passes the keys of connectors on, or a Vault that keeps them", () => {
    const { environment, transit, activeProblems } = loadServerConfig(environmentOf("server")).connectorKeys;
    expect([environment.active?.length, transit, activeProblems]).toEqual([32, undefined, []]);
    const before = env;
    env = {
      ...env,
      AUTHZ_CONNECTOR_KEK_PREVIOUS: env["AUTHZ_CONNECTOR_KEK"],
      AUTHZ_CONNECTOR_VAULT_ADDR: "https://vault.example.com:8200",
      AUTHZ_CONNECTOR_VAULT_TOKEN: "hvs.token",
      AUTHZ_CONNECTOR_VAULT_KEY: "authz",
    };
    const keys = loadServerConfig(environmentOf("server")).connectorKeys;
    env = before;
    expect(keys.environment.previous).toHaveLength(1);
    expect(keys.transit).toMatchObject({
      address: "https://vault.example.com:8200",
      mount: "transit",
      key: "authz",
    });
  });

  it("passes every variable of the server on, but those that it decides itself", () => {
    const decided = ["AUTHZ_ALLOW_INSECURE_LOOPBACK", "AUTHZ_HOST", "AUTHZ_PORT"];
    const filledIn = ["AUTHZ_TRUSTED_PROXIES", "POSTGRES_URL"];
    const [, told = ""] =
      /except those that Compose decides: ([^.]*)\./.exec(read("docs/operate/compose.md")) ?? [];
    expect([...told.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).sort()).toEqual(
      [...decided, ...filledIn].sort(),
    );
    const known = [...Object.values(variables), ...connectorKeyVariables].map(({ name }) => name);
    const traces = read("docs/reference/configuration.md").match(/\bOTEL_[A-Z_]+\b/g) ?? [];
    const wanted = new Set(
      [...known, ...traces, "NODE_EXTRA_CA_CERTS"].filter((name) => !decided.includes(name)),
    );
    const { environment = {} } = serviceOf("server");
    expect([...wanted].filter((name) => !(name in environment))).toEqual([]);
    expect(decided.filter((name) => name in environment)).toEqual([]);
    const passed = Object.keys(environment).filter((name) => environment[name]?.startsWith(`\${${name}:`));
    expect(
      Object.keys(environment)
        .filter((name) => !passed.includes(name))
        .sort(),
    ).toEqual(filledIn);
  });

  it("lets .env say more than it has to", () => {
    const before = env;
    env = { ...env, AUTHZ_OUTBOUND_NETWORKS: "10.20.0.0/16", AUTHZ_RATE_LIMITS: "off", LOG_LEVEL: "debug" };
    env = { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318" };
    const config = loadServerConfig(environmentOf("server"));
    env = before;
    expect(config).toMatchObject({ logLevel: "debug", tracing: { url: "http://collector:4318/v1/traces" } });
    expect(config.outboundNetworks).toHaveLength(1);
    const quiet = loadServerConfig(environmentOf("server"));
    expect([quiet.logLevel, quiet.tracing, quiet.outboundNetworks]).toEqual(["info", undefined, []]);
  });

  it("gives the proxy an environment that it accepts", () => {
    expect(loadProxyConfig(environmentOf("proxy"))).toEqual({
      upstream: issuer,
      port: 8080,
      forwardStatusList: false,
    });
  });

  it("names what is missing in .env", () => {
    env = { ...env, AUTHZ_ISSUER: "" };
    expect(() => environmentOf("server")).toThrow("AUTHZ_ISSUER is not set: set AUTHZ_ISSUER in .env");
    env = { ...env, AUTHZ_ISSUER: issuer };
  });

  it("trusts only Caddy about client addresses, at an address reserved for it", () => {
    const { networks } = serviceOf("caddy");
    const front = Array.isArray(networks)
      ? undefined
      : (networks as Record<string, { ipv4_address?: string }>)["front"];
    expect(environmentOf("server")["AUTHZ_TRUSTED_PROXIES"]).toBe(`${front?.ipv4_address ?? ""}/32`);
    expect(compose.networks?.["front"]?.ipam?.config).toEqual([
      { subnet: "10.89.41.0/24", ip_range: "10.89.41.128/25" },
    ]);
  });

  it("bounds the memory and the log of every container", () => {
    for (const { mem_limit, logging } of Object.values(compose.services)) {
      expect(mem_limit).toMatch(/^\d+[mg]$/);
      expect(logging).toEqual({ driver: "json-file", options: { "max-size": "10m", "max-file": "5" } });
    }
  });

  it.skipIf(!hasDebianCompose)(
    "is what the Compose of Debian 12 understands, also with three servers",
    () => {
      const files = ["-f", "compose.yaml", "-f", "compose.replicas.yaml"];
      const { status, stderr } = spawnSync("docker-compose", [...files, "config", "--quiet"], {
        cwd: root,
        encoding: "utf8",
        env: { ...process.env, ...env },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    },
  );

  it("lets no server leave a core dump", () => {
    expect(serviceOf("server").ulimits).toEqual({ core: 0 });
  });

  it("gives Caddy the right to open its ports, and no other", () => {
    expect(serviceOf("caddy").cap_add).toEqual(["NET_BIND_SERVICE"]);
  });

  it.each(["server", "proxy", "contracts", "caddy"])(
    "runs %s without rights and without a writable file",
    (name) => {
      const { read_only, cap_drop, security_opt } = serviceOf(name);
      expect({ read_only, cap_drop, security_opt }).toEqual({
        read_only: true,
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
      });
    },
  );

  it("opens no port but Caddy's, and keeps the database in a network of its own", () => {
    const open = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(open.map(([name]) => name)).toEqual(["caddy"]);
    expect(serviceOf("postgres").networks).toEqual(["database"]);
    expect(compose.networks?.["database"]?.internal).toBe(true);
  });

  it("connects the example with Caddy only, which the server trusts on another network", () => {
    expect(environmentOf("contracts")["HOST"]).toBe("0.0.0.0");
    expect(serviceOf("contracts").networks).toEqual(["example"]);
    const others = Object.entries(compose.services).filter(([, { networks }]) =>
      (Array.isArray(networks) ? networks : Object.keys(networks ?? {})).includes("example"),
    );
    expect(others.map(([name]) => name)).toEqual(["caddy", "contracts"]);
  });

  it("pins what others publish by digest, and PostgreSQL to 16", () => {
    const foreign = Object.values(compose.services).filter(({ build }) => build === undefined);
    for (const { image } of foreign) expect(image).toMatch(/@sha256:[0-9a-f]{64}$/);
    expect(serviceOf("postgres").image).toMatch(/^postgres:16\./);
  });

  it("builds from Dockerfiles that exist", () => {
    const built = Object.values(compose.services).flatMap(({ build }) => build?.dockerfile ?? []);
    expect(built).toHaveLength(3);
    for (const dockerfile of built) expect(read(dockerfile)).toMatch(/^ENTRYPOINT \[/m);
  });

  it("waits for the database, then for the server", () => {
    expect(serviceOf("server").depends_on).toEqual({ postgres: { condition: "service_healthy" } });
    expect(serviceOf("caddy").depends_on).toEqual({ server: { condition: "service_healthy" } });
  });

  it("starts the example only when it is asked for", () => {
    const optional = Object.entries(compose.services).filter(([, { profiles }]) => profiles !== undefined);
    expect(optional.map(([name]) => name)).toEqual(["contracts"]);
  });
});

describe("compose.replicas.yaml", () => {
  it("runs three servers that drain before they stop, and changes nothing else", () => {
    expect(Object.keys(replicas.services)).toEqual(["server"]);
    expect(replicas.services["server"]).toEqual({ deploy: { replicas: 3 }, stop_grace_period: "15s" });
    expect(loadServerConfig(environmentOf("server")).drainSeconds).toBe(7);
  });
});

describe("deploy/caddy/Caddyfile", () => {
  const caddyfile = read("deploy/caddy/Caddyfile");
  const contracts = read("deploy/compose/contracts.caddy");

  it("uses the variables that compose.yaml gives it", () => {
    const used = [...`${caddyfile}${contracts}`.matchAll(/\{\$(\w+)\}/g)].map(([, name]) => name);
    expect(new Set(used)).toEqual(new Set(Object.keys(serviceOf("caddy").environment ?? {})));
  });

  it("asks for the servers by the name and port of compose.yaml", () => {
    expect(caddyfile).toMatch(/dynamic a \{\s+name \{\$SERVER_HOST:server\}\s+port 3000\s/);
    expect(Object.keys(compose.services)).toContain("server");
    expect(contracts).toMatch(/reverse_proxy contracts:3101\s/);
    const site = "./deploy/compose/contracts.caddy:/etc/caddy/sites/contracts.caddy:ro";
    expect(serviceOf("caddy").volumes).toContain(site);
    expect(Object.keys(compose.services)).toContain("contracts");
  });

  it("does not wait for clients that say nothing, and leaves a connector its time", () => {
    const seconds = (name: string) =>
      Number(new RegExp(`\\stimeouts \\{[^}]*\\s${name} (\\d+)s\\s`).exec(caddyfile)?.[1]);
    expect(seconds("read_header")).toBeLessThanOrEqual(15);
    expect(seconds("read_body")).toBeGreaterThan(connectorLimits.timeoutSeconds.most);
  });

  it.skipIf(!hasCaddy).each([
    { where: "in Compose", sites: true, host: undefined, dials: "server" },
    { where: "on a machine of its own", sites: false, host: "127.0.0.1", dials: "127.0.0.1" },
  ])("is what Caddy understands $where", ({ sites, host, dials }) => {
    const folder = mkdtempSync(join(tmpdir(), "authz-caddy-"));
    const config = join(folder, "Caddyfile");
    cpSync(join(root, "deploy/caddy/Caddyfile"), config);
    if (sites) cpSync(join(root, "deploy/compose/contracts.caddy"), join(folder, "sites/contracts.caddy"));
    const { AUTHZ_ISSUER, CONTRACTS_ORIGIN } = environmentOf("caddy");
    const { status, stdout, stderr } = spawnSync("caddy", ["adapt", "--validate", "--config", config], {
      encoding: "utf8",
      env: {
        PATH: process.env["PATH"],
        HOME: folder,
        AUTHZ_ISSUER,
        ...(sites && { CONTRACTS_ORIGIN }),
        ...(host !== undefined && { SERVER_HOST: host }),
      },
    });
    rmSync(folder, { recursive: true });
    expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`"name":"${dials}"`);
    expect(stdout.includes("contracts")).toBe(sites);
  });
});
