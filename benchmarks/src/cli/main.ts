/**
 * What a warm `authz request` costs beside a bare Node.js start and beside curl: CPU of the process and wall time, over plain http and
 * over https, with the session in a file and in the keyring of a Linux desktop. Everything is warm: metadata, services and the service's
 * token are kept, so a run sends one request. And how long it takes from the start of `authz mcp` until an agent has its tools.
 *
 * Rounds are interleaved; the figures are medians. What a command costs over bare Node.js is counted from an empty module with the same
 * environment: over https it names the company's certificate, which Node.js 20 reads at every start.
 *
 *     npm run bench -- cli [--quick] [--rounds=41] [--node=/path/to/another/node]
 */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { hasSecretService, type SecretService, startSecretService } from "authz-tools/secret-service";
import {
  conditions,
  inTurns,
  inWorkplace,
  layOutTable,
  medianOf,
  print,
  readOptions,
  showProgress,
} from "../frame.js";
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

const { rounds, endAt, own, publish } = readOptions({ rounds: [41, 5] }, ["node"]);
const node = own["node"] ?? process.execPath;
const authz = commandOf(node);

await inWorkplace(async ({ folder, keep }) => {
  const hasOpenssl = has("openssl", "version");
  if (!hasOpenssl) print("Without https: openssl is missing.");
  if (!hasSecretService) print("Without a keyring: dbus-daemon or gnome-keyring-daemon is missing.");
  const keyring = hasSecretService ? keep(await openKeyring(folder)) : undefined;
  const contenders: Contender[] = [];
  for (const scheme of ["http", "https"] as const) {
    if (scheme === "https" && !hasOpenssl) continue;
    const place = await openPlace(scheme, join(folder, scheme));
    keep(place.company);
    contenders.push(...(await contendersAt(place, folder, keyring)));
  }
  const samples = await inTurns(contenders, { rounds, endAt });
  const rows = contenders.map((contender, index) => {
    const bare = contenders.findIndex(({ scheme }) => scheme === contender.scheme);
    const of = (place: number, member: keyof ProcessCost) => medianOf(samples[place], (cost) => cost[member]);
    const [cpu, wall] = [of(index, "cpu"), of(index, "wall")];
    return {
      ...contender,
      cpu,
      wall,
      overBare: cpu - of(bare, "cpu"),
      wallOverBare: wall - of(bare, "wall"),
    };
  });
  const cells = rows.map(({ name, goal, cpu, overBare, wall, wallOverBare }) => [
    name,
    ...[cpu, overBare, wall, wallOverBare].map((ms) => ms.toFixed(0)),
    goal === undefined ? "" : `${goal.of} ${goal.ms}`,
  ]);
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  const head = ["", "CPU ms", "over bare Node", "wall ms", "over bare Node", "goal"];
  print(conditions(samples, version), "", ...layOutTable([head, ...cells]));
  publish(
    rows.flatMap(({ name, goal, overBare, wall, wallOverBare }) => {
      if (goal === undefined) return [];
      const command = name.replace(/^authz \w+/, (words) => `\`${words}\``);
      const isWall = goal.of === "wall";
      return {
        what: isWall ? command : `${command}, CPU (wall) over an empty module`,
        figure: `${isWall ? wall.toFixed(0) : `${overBare.toFixed(0)} (${wallOverBare.toFixed(0)})`} ms`,
        beside: `the goal of ${goal.ms} ms`,
        ratio: ((isWall ? wall : overBare) / goal.ms).toFixed(2),
      };
    }),
  );
});

async function openKeyring(folder: string): Promise<SecretService> {
  showProgress("the keyring");
  const home = join(folder, "keyring");
  mkdirSync(home);
  const [program = "", ...args] = authz;
  return await startSecretService(home, async (found) => {
    const env = { PATH: process.env["PATH"], HOME: home, ...found };
    // It fails before a sign-in.
    const { stdout } = await promisify(execFile)(program, [...args, "doctor"], { env }).catch(
      (failure: unknown) => failure as { stdout: string },
    );
    return stdout.includes("The keyring works.");
  });
}

/** A person for each way of keeping a session, and the commands that are compared. */
async function contendersAt(
  place: Place,
  folder: string,
  keyring: SecretService | undefined,
): Promise<readonly Contender[]> {
  const { scheme, company } = place;
  const signIn = async (store: Store, env: NodeJS.ProcessEnv) => {
    showProgress(`signing in, ${scheme}, ${store}`);
    return await employ(place, { authz, store, home: join(folder, `${scheme}-${store}`), env });
  };
  const { env, request } = await signIn("file", {});
  const inKeyring = keyring && (await signIn("keyring", keyring.env));
  const run = (name: string, command: readonly string[], more: Partial<Contender> = {}): Contender => ({
    name: `${name}, ${scheme}`,
    scheme,
    take: async () => await processCost(command, env),
    ...more,
  });
  const goal = { of: "over bare", ms: requestGoalMs } as const;
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "");
  // What Node does before it can speak https, at the start or, from Node.js 22 on, in a thread.
  const certificates = join(folder, "certificates.cjs");
  writeFileSync(certificates, 'require("node:tls").createSecureContext();');
  return [
    run("node, empty module", [node, empty]),
    ...(scheme === "https" ? [run("node, certificates", [node, certificates])] : []),
    run("authz request", request, { goal }),
    ...(inKeyring === undefined
      ? []
      : [
          run("", [], {
            name: `authz request, ${scheme}, keyring`,
            take: async () => await processCost(inKeyring.request, inKeyring.env),
            goal,
          }),
        ]),
    run("authz status", [...authz, "status"]),
    run("authz mcp until its tools", [], {
      take: async () => await toolsCost([...authz, "mcp"], env),
      goal: { of: "wall", ms: toolsGoalMs },
    }),
    ...(has("curl", "--version") ? [run("curl", ["curl", "--silent", company.api])] : []),
  ];
}

function has(program: string, argument: string): boolean {
  return spawnSync(program, [argument]).status === 0;
}
