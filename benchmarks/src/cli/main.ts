/**
 * What a warm `authz request` costs beside a bare Node.js start and beside curl: CPU of the process and wall time. Everything is warm:
 * the session is in a file, metadata, services and the service's token are kept, so a run sends one request. Rounds are interleaved;
 * the figures are medians.
 *
 *     npm run bench -- cli [--short] [--rounds 41]
 */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { loadavg, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { median } from "../median.js";
import { layOutTable } from "../table.js";
import { type Company, startCompany } from "./company.js";
import { type ProcessCost, processCost } from "./process-cost.js";

const { values } = parseArgs({
  options: { short: { type: "boolean", default: false }, rounds: { type: "string" } },
});
const rounds = Number(values.rounds ?? (values.short ? 5 : 41));

const manifest = createRequire(import.meta.url).resolve("@authz/cli/package.json");
const authz = [process.execPath, join(dirname(manifest), "bin", "authz.js")];
const home = mkdtempSync(join(tmpdir(), "authz-bench-"));
const env = { PATH: process.env["PATH"], HOME: home, AUTHZ_TOKEN_STORE: "file" };

const company = await startCompany();
try {
  await logIn(company);
  const empty = join(home, "empty.mjs");
  writeFileSync(empty, "");
  const request = [...authz, "request", "--scope", "contracts:read", company.api];
  const contenders = [
    { name: "node, empty module", command: [process.execPath, empty] },
    { name: "authz request", command: request },
    { name: "authz status", command: [...authz, "status"] },
    ...(hasCurl() ? [{ name: "curl", command: ["curl", "--silent", company.api] }] : []),
  ];
  for (const { command } of contenders) await processCost(command, env);
  const before = company.seen.length;
  await processCost(request, env);
  if (company.seen.slice(before).join() !== "GET /api/contracts") throw new Error("The request is not warm.");
  const samples = contenders.map((): ProcessCost[] => []);
  for (let round = 0; round < rounds; round += 1)
    for (const [index, { command }] of contenders.entries())
      samples[index]?.push(await processCost(command, env));
  process.stdout.write(report(contenders, samples));
} finally {
  company.close();
  rmSync(home, { recursive: true, force: true });
}

/** Signs in as a person would: visits the address that the command prints. */
async function logIn({ issuer }: Company): Promise<void> {
  const [program = "", ...args] = authz;
  const child = spawn(program, [...args, "login", "--no-browser", "--issuer", issuer], { env });
  createInterface(child.stderr).on("line", (line) => {
    if (line.startsWith(issuer)) fetch(line).catch(() => undefined);
  });
  const code = await new Promise((resolve) => {
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`authz login ended with exit code ${String(code)}.`);
}

function hasCurl(): boolean {
  return spawnSync("curl", ["--version"]).status === 0;
}

function report(
  contenders: readonly { name: string }[],
  samples: readonly (readonly ProcessCost[])[],
): string {
  const rows = contenders.map(({ name }, index) => {
    const costs = samples[index] ?? [];
    return { name, cpu: median(costs.map(({ cpu }) => cpu)), wall: median(costs.map(({ wall }) => wall)) };
  });
  const bare = rows[0]?.cpu ?? Number.NaN;
  const cells = rows.map(({ name, cpu, wall }) => [
    name,
    cpu.toFixed(0),
    (cpu - bare).toFixed(0),
    wall.toFixed(0),
  ]);
  const load = loadavg().map((value) => value.toFixed(1));
  return [
    `Node ${process.versions.node}, ${String(rounds)} rounds, load average ${load.join(" ")}`,
    "",
    ...layOutTable([["", "CPU ms", "over bare Node", "wall ms"], ...cells]),
    "",
  ].join("\n");
}
