/**
 * What a warm `authz request` costs beside a bare Node.js start and beside curl: CPU of the process and wall time, over plain http and
 * over https, with the session in a file and in the keyring of a Linux desktop. Everything is warm: metadata, services and the service's
 * token are kept, so a run sends one request. And how long it takes from the start of `authz mcp` until an agent has its tools.
 *
 * Rounds are interleaved; the figures are medians. What a command costs over bare Node.js is counted from an empty module with the same
 * environment: over https it names the company's certificate, which Node.js 20 reads at every start.
 *
 *     npm run bench -- cli [--quick] [--rounds 41] [--node /path/to/another/node]
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { hasSecretService, type SecretService, startSecretService } from "authz-tools/secret-service";
import { conditions, inTurns, layOutTable, medianOf, readOptions, tell } from "../frame.js";
import type { Figure } from "../table.js";
import { commandOf, employ, openPlace, type Place, type Scheme, type Store } from "./employee.js";
import { type ProcessCost, processCost, toolsCost } from "./process-cost.js";

/** Of a request, over a bare start. */
const requestGoalMs = 45;
/** Of `authz mcp`, from its start to its tools. */
const toolsGoalMs = 150;

interface Contender {
  readonly name: string;
  readonly scheme: Scheme;
  readonly take: () => Promise<ProcessCost>;
  /** What is to stay below which time. */
  readonly goal?: { readonly of: "over bare" | "wall"; readonly ms: number };
}

const runFile = promisify(execFile);
const { rounds, endAt, own, publish } = readOptions({ rounds: [41, 5] }, ["node"]);
const node = own["node"] ?? process.execPath;
const authz = commandOf(node);
const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));
const empty = join(folder, "empty.mjs");
writeFileSync(empty, "");
/** What Node does before it can speak https, at the start or, from Node.js 22 on, in a thread. */
const certificates = join(folder, "certificates.cjs");
writeFileSync(certificates, 'require("node:tls").createSecureContext();');

const places: Place[] = [];
let keyring: SecretService | undefined;
try {
  for (const scheme of has("openssl", "version") ? (["http", "https"] as const) : (["http"] as const))
    places.push(await openPlace(scheme, join(folder, scheme)));
  if (places.length === 1) process.stdout.write("Without https: openssl is missing.\n");
  if (hasSecretService) keyring = await openKeyring();
  else process.stdout.write("Without a keyring: dbus-daemon or gnome-keyring-daemon is missing.\n");
  const contenders: Contender[] = [];
  for (const place of places) contenders.push(...(await contendersAt(place)));
  const samples = await inTurns(contenders, { rounds, endAt });
  process.stdout.write(report(contenders, samples));
  publish(figuresOf(contenders, samples));
} finally {
  for (const { company } of places) company.close();
  await keyring?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function openKeyring(): Promise<SecretService> {
  tell("the keyring");
  const home = join(folder, "keyring");
  mkdirSync(home);
  const [program = "", ...args] = authz;
  const doctor = async (found: NodeJS.ProcessEnv): Promise<boolean> => {
    const env = { PATH: process.env["PATH"], HOME: home, ...found };
    // It fails as long as nobody has signed in.
    const { stdout } = await runFile(program, [...args, "doctor"], { env }).catch(
      (failure: unknown) => failure as { stdout: string },
    );
    return stdout.includes("The keyring works.");
  };
  return await startSecretService(home, doctor);
}

/** Somebody for each way of keeping a session, and the commands that are compared. */
async function contendersAt(place: Place): Promise<readonly Contender[]> {
  const { scheme, company } = place;
  const signIn = async (store: Store, env: NodeJS.ProcessEnv) => {
    tell(`signing in, ${scheme}, ${store}`);
    return await employ(place, { authz, store, home: join(folder, `${scheme}-${store}`), env });
  };
  const goal = { of: "over bare", ms: requestGoalMs } as const;
  const { env, request } = await signIn("file", {});
  const inKeyring = keyring === undefined ? undefined : await signIn("keyring", keyring.env);
  const run = (name: string, command: readonly string[]): Contender => ({
    name: `${name}, ${scheme}`,
    scheme,
    take: async () => await processCost(command, env),
  });
  return [
    run("node, empty module", [node, empty]),
    ...(scheme === "https" ? [run("node, certificates", [node, certificates])] : []),
    { ...run("authz request", request), goal },
    ...(inKeyring === undefined
      ? []
      : [
          {
            name: `authz request, ${scheme}, keyring`,
            scheme,
            take: async () => await processCost(inKeyring.request, inKeyring.env),
            goal,
          },
        ]),
    run("authz status", [...authz, "status"]),
    {
      name: `authz mcp until its tools, ${scheme}`,
      scheme,
      take: async () => await toolsCost([...authz, "mcp"], env),
      goal: { of: "wall", ms: toolsGoalMs },
    },
    ...(has("curl", "--version") ? [run("curl", ["curl", "--silent", company.api])] : []),
  ];
}

function has(program: string, argument: string): boolean {
  return spawnSync(program, [argument]).status === 0;
}

interface Row extends Pick<Contender, "name" | "goal"> {
  readonly cpu: number;
  readonly wall: number;
  /** CPU over that of the bare start. */
  readonly overBare: number;
  readonly wallOverBare: number;
}

type Samples = readonly (readonly ProcessCost[])[];

function report(contenders: readonly Contender[], samples: Samples): string {
  const rows = rowsOf(contenders, samples).map(({ name, goal, ...row }) => [
    name,
    ...[row.cpu, row.overBare, row.wall, row.wallOverBare].map((ms) => ms.toFixed(0)),
    goal === undefined ? "" : `${goal.of} ${String(goal.ms)}`,
  ]);
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const head = ["", "CPU ms", "over bare Node", "wall ms", "over bare Node", "goal"];
  return [conditions(samples, version), "", ...layOutTable([head, ...rows]), ""].join("\n");
}

function figuresOf(contenders: readonly Contender[], samples: Samples): readonly Figure[] {
  return rowsOf(contenders, samples).flatMap(({ name, goal, overBare, wall, wallOverBare }) => {
    if (goal === undefined) return [];
    const what = name.replace(/^authz \w+/, (command) => `\`${command}\``);
    return goal.of === "wall"
      ? [{ what, ...besideGoal(wall, `${wall.toFixed(0)} ms`, goal.ms) }]
      : [
          {
            what: `${what}, CPU (wall) over an empty module`,
            ...besideGoal(overBare, `${overBare.toFixed(0)} (${wallOverBare.toFixed(0)}) ms`, goal.ms),
          },
        ];
  });
}

function besideGoal(value: number, figure: string, goal: number): Omit<Figure, "what"> {
  return { figure, beside: `the goal of ${String(goal)} ms`, ratio: (value / goal).toFixed(2) };
}

function rowsOf(contenders: readonly Contender[], samples: Samples): readonly Row[] {
  const medians = (index: number) => ({
    cpu: medianOf(samples[index] ?? [], ({ cpu }) => cpu),
    wall: medianOf(samples[index] ?? [], ({ wall }) => wall),
  });
  return contenders.map(({ name, goal, scheme }, index) => {
    const { cpu, wall } = medians(index);
    const bare = medians(contenders.findIndex((contender) => contender.scheme === scheme));
    const over = { overBare: cpu - bare.cpu, wallOverBare: wall - bare.wall };
    return { name, cpu, wall, ...over, ...(goal === undefined ? {} : { goal }) };
  });
}
