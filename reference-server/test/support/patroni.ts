/** Three PostgreSQL nodes with Patroni and etcd, as operators run them. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "authz-tools/network";
import { findProgram, provideTool, runTool } from "authz-tools/test-tools";
import { Client, type QueryResultRow } from "pg";
import { parse } from "yaml";
import { startTcpProxy, type TcpProxy } from "../reliability/tcp-proxy.js";

const packages = ["patroni[etcd3]==4.1.5", "psycopg[binary]==3.3.9", "pgserver==0.1.4"];
/** Other accounts reach Debian's interpreter, but not one under root's home. */
const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";

const environment: string | undefined = await provideTool({
  name: "patroni-4.1.5-postgresql-16.2",
  needs: ["python3", "etcd"],
  tests: "fail-over with Patroni",
  async make(folder) {
    await runTool(python, ["-m", "venv", folder]);
    await runTool(join(folder, "bin", "pip"), ["install", "--quiet", ...packages]);
  },
});

export const hasPatroni: boolean = environment !== undefined;

/** One machine: a PostgreSQL server, and the Patroni that decides what it is. */
export interface ClusterNode {
  readonly name: string;
  /** Where the servers of Authz find it, also while the other nodes are cut off. */
  readonly port: number;
  /** Whether it is the primary and has the lock that says so. */
  isLeader(): Promise<boolean>;
  /** The power is cut. */
  kill(): Promise<void>;
  start(): void;
  freeze(): void;
  thaw(): void;
  /** Nothing passes between it and the others, etcd included. */
  cutOff(): void;
  reconnect(): void;
}

export interface Cluster {
  readonly nodes: readonly ClusterNode[];
  /** With all nodes. */
  url(account: { readonly user: string; readonly password: string; readonly database: string }): string;
  /** Resolves when one of these nodes is the primary. */
  leaderOf(nodes: readonly ClusterNode[]): Promise<ClusterNode>;
  /** Resolves when every node follows the primary, and one does so synchronously. */
  settled(): Promise<ClusterNode>;
  /** Hands over to another node in good order. */
  switchOver(from: ClusterNode, to: ClusterNode): Promise<void>;
  /** Asks the primary, as the superuser. */
  query<Row extends QueryResultRow>(database: string, text: string, values?: unknown[]): Promise<Row[]>;
  stop(): Promise<void>;
}

const superuser = "postgres";
const superuserPassword = "superuser";

export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), "authz-patroni-"));
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  const etcd = await startEtcd(join(folder, "etcd"));
  const nodes = await Promise.all(
    ["node1", "node2", "node3"].map((name) => createNode({ name, folder, etcdPort: etcd.port, account })),
  );
  for (const node of nodes) node.start();

  const query: Cluster["query"] = async <Row extends QueryResultRow>(
    database: string,
    text: string,
    values?: unknown[],
  ) => {
    for (;;) {
      for (const { port } of nodes) {
        const client = new Client({
          host: "127.0.0.1",
          port,
          user: superuser,
          password: superuserPassword,
          database,
          connectionTimeoutMillis: 2_000,
          query_timeout: 30_000,
        });
        client.on("error", () => undefined);
        try {
          await client.connect();
          const { rows } = await client.query<{ leads: boolean }>("SELECT NOT pg_is_in_recovery() AS leads");
          if (rows[0]?.leads) return (await client.query<Row>(text, values)).rows;
        } catch (error) {
          if (/^(?:22|23|42)/.test((error as { code?: string }).code ?? "")) throw error;
        } finally {
          await client.end().catch(() => undefined);
        }
      }
      await delay(100);
    }
  };
  const leaderOf = async (among: readonly ClusterNode[]): Promise<ClusterNode> => {
    let leader: ClusterNode | undefined;
    await until(async () => {
      const leads = await Promise.all(among.map((node) => node.isLeader()));
      leader = among.find((_, index) => leads[index]);
      return leader !== undefined;
    });
    return leader as ClusterNode;
  };
  return {
    nodes,
    leaderOf,
    query,
    url({ user, password, database }) {
      const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`).join(",");
      return `postgresql://${user}:${password}@${hosts}/${database}`;
    },
    async settled() {
      await until(async () => {
        const rows = await query<{ standing: string }>(
          "postgres",
          "SELECT state || ' ' || sync_state AS standing FROM pg_stat_replication WHERE application_name LIKE 'node%'",
        );
        const standings = rows.map(({ standing }) => standing).sort();
        return standings.join() === "streaming async,streaming sync";
      });
      return await leaderOf(nodes);
    },
    async switchOver(from, to) {
      // Refused while the other node is not known to be synchronous.
      await until(async () => (await (from as OwnNode).askToSwitch(to.name)) === 200);
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      for (const node of nodes) node.close();
      etcd.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface OwnNode extends ClusterNode {
  askToSwitch(candidate: string): Promise<number>;
  close(): void;
}

interface NodePlace {
  readonly name: string;
  readonly folder: string;
  readonly etcdPort: number;
  readonly account: { readonly uid: number; readonly gid: number } | undefined;
}

async function createNode({ name, folder, etcdPort, account }: NodePlace): Promise<OwnNode> {
  const [port, restPort] = [await findFreePort(), await findFreePort()];
  const proxies = await Promise.all(
    [port, restPort, etcdPort].map((target) => startTcpProxy({ host: "127.0.0.1", port: target })),
  );
  const [toDatabase, toRest, toEtcd] = proxies as [TcpProxy, TcpProxy, TcpProxy];
  const own = join(folder, name);
  const data = join(own, "data");
  mkdirSync(own, { mode: 0o700 });
  const documented = readDocumented();
  const settings = {
    ...documented,
    name,
    // Would reset this machine.
    watchdog: { mode: "off" },
    restapi: { listen: `127.0.0.1:${restPort}`, connect_address: `127.0.0.1:${toRest.port}` },
    // As a proxy, so that it does not go to the addresses that etcd tells.
    etcd3: { hosts: `127.0.0.1:${toEtcd.port}`, use_proxies: true },
    bootstrap: {
      ...documented.bootstrap,
      // The shortest time to live that Patroni takes.
      dcs: { ...documented.bootstrap.dcs, ttl: 20, loop_wait: 2, retry_timeout: 5 },
    },
    postgresql: {
      ...documented.postgresql,
      listen: `127.0.0.1:${port}`,
      connect_address: `127.0.0.1:${toDatabase.port}`,
      data_dir: data,
      bin_dir: binaries(),
      pgpass: join(own, "pgpass"),
      authentication: {
        superuser: { username: superuser, password: superuserPassword },
        replication: { username: "replicator", password: "replicator" },
      },
      pg_hba: [
        "host all all 127.0.0.1/32 scram-sha-256",
        "host replication replicator 127.0.0.1/32 scram-sha-256",
      ],
      parameters: {
        unix_socket_directories: "",
        wal_receiver_timeout: "5s",
        wal_sender_timeout: "5s",
        max_connections: 200,
      },
    },
  };
  const file = join(own, "patroni.json");
  // YAML is a superset of JSON.
  writeFileSync(file, JSON.stringify(settings));
  if (account !== undefined) for (const path of [own, file]) chownSync(path, account.uid, account.gid);
  let patroni: ChildProcess | undefined;
  const signal = (what: NodeJS.Signals) => signalAll(processesOf(patroni, data), what);
  process.once("exit", () => signal("SIGKILL"));
  return {
    name,
    port,
    async isLeader() {
      return (await askPatroni(restPort, "/primary")) === 200;
    },
    async kill() {
      signal("SIGKILL");
      await until(() => processesOf(patroni, data).length === 0);
    },
    start() {
      patroni = spawn(join(environment ?? "", "bin", "python3"), ["-m", "patroni", file], {
        cwd: own,
        env: { PATH: process.env.PATH, HOME: own, LC_ALL: "C", TZ: "UTC" },
        stdio: ["ignore", "ignore", process.env["AUTHZ_PATRONI_LOG"] === undefined ? "ignore" : "inherit"],
        ...account,
      });
    },
    freeze: () => signal("SIGSTOP"),
    thaw: () => signal("SIGCONT"),
    cutOff() {
      for (const proxy of proxies) proxy.dropAll();
    },
    reconnect() {
      for (const proxy of proxies) proxy.answerNew();
    },
    askToSwitch: (candidate) => askPatroni(restPort, "/switchover", { leader: name, candidate }),
    close() {
      for (const proxy of proxies) proxy.close();
    },
  };
}

interface Documented {
  readonly bootstrap: { readonly dcs: object };
  readonly postgresql: object;
}

/** The settings of the page for operators, which differ in paths and addresses only. */
function readDocumented(): Documented {
  const page = readFileSync(new URL("../../../docs/operate/fail-over.md", import.meta.url), "utf8");
  const [, block = ""] = /```yaml\n(# \/etc\/patroni[^`]*)```/.exec(page) ?? [];
  return parse(block) as Documented;
}

/** PostgreSQL 16 with all its programs: what npm brings lacks those that copy and rewind. */
function binaries(): string {
  const libraries = join(environment ?? "", "lib");
  const [version = ""] = readdirSync(libraries).filter((name) => name.startsWith("python"));
  return join(libraries, version, "site-packages", "pgserver", "pginstall", "bin");
}

/** The status of Patroni's answer; 0 when there is none. */
async function askPatroni(port: number, path: string, body?: object): Promise<number> {
  try {
    const { status } = await fetch(`http://127.0.0.1:${port}${path}`, {
      signal: AbortSignal.timeout(body === undefined ? 2_000 : 60_000),
      ...(body !== undefined && { method: "POST", body: JSON.stringify(body) }),
    });
    return status;
  } catch {
    return 0;
  }
}

/** The test's own limit ends it. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(100);
}

async function startEtcd(folder: string): Promise<{ readonly port: number; stop(): void }> {
  const [port, peerPort] = [await findFreePort(), await findFreePort()];
  const [client, peer] = [port, peerPort].map((one) => `http://127.0.0.1:${one}`) as [string, string];
  const etcd = spawn(
    findProgram("etcd") ?? "etcd",
    Object.entries({
      "data-dir": folder,
      "listen-client-urls": client,
      "advertise-client-urls": client,
      "listen-peer-urls": peer,
      "initial-advertise-peer-urls": peer,
      "initial-cluster": `default=${peer}`,
    }).map(([name, value]) => `--${name}=${value}`),
    { stdio: "ignore" },
  );
  process.once("exit", () => etcd.kill("SIGKILL"));
  await until(() =>
    fetch(`${client}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { port, stop: () => void etcd.kill("SIGKILL") };
}

/** Patroni, PostgreSQL, and all that they started: a backend of PostgreSQL is in no group with the others. */
function processesOf(patroni: ChildProcess | undefined, data: string): readonly number[] {
  const running = listProcesses();
  const found = new Set<number>();
  const add = (pid: number) => {
    if (found.has(pid)) return;
    found.add(pid);
    for (const one of running) if (one.parent === pid) add(one.pid);
  };
  const file = join(data, "postmaster.pid");
  // A file that a killed server left behind may name a process of today.
  const postmaster = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n", 1)[0]) : undefined;
  for (const { pid, program } of running)
    if (pid === patroni?.pid || (pid === postmaster && program.includes("postgres"))) add(pid);
  return [...found];
}

function listProcesses(): readonly {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
}[] {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,comm="]).toString().trim().split("\n");
  return lines.flatMap((line) => {
    const [pid, parent, state = "", ...program] = line.trim().split(/\s+/);
    return state.startsWith("Z")
      ? []
      : [{ pid: Number(pid), parent: Number(parent), program: program.join(" ") }];
  });
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended meanwhile.
    }
}
