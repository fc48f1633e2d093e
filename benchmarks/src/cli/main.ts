/**
 * What a warm `authz request` costs beside a bare Node.js start and beside curl: CPU of the process and wall time, over plain http and
 * over https. Everything is warm: the session is in a file, metadata, services and the service's token are kept, so a run sends one
 * request. Rounds are interleaved; the figures are medians. What a command costs over bare Node.js is counted from an empty module with the
 * same environment: over https it names the company's certificate, which Node.js 20 reads at every start.
 *
 *     npm run bench -- cli [--quick] [--rounds 41] [--node /path/to/another/node]
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { makeCertificate } from "../certificate.js";
import { conditions, inTurns, layOutTable, medianOf, readOptions } from "../frame.js";
import type { Figure } from "../table.js";
import { type Company, startCompany } from "./company.js";
import { type ProcessCost, processCost } from "./process-cost.js";

interface Contender {
  readonly name: string;
  readonly scheme: "http" | "https";
  readonly command: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

const { rounds, endAt, own, publish } = readOptions({ rounds: [41, 5] }, ["node"]);
const node = own["node"] ?? process.execPath;

const manifest = createRequire(import.meta.url).resolve("@authz/cli/package.json");
const authz = [node, join(dirname(manifest), "bin", "authz.js")];
const folder = mkdtempSync(join(tmpdir(), "authz-bench-"));

const companies: Company[] = [];
try {
  const contenders = await contendersOver("http");
  if (has("openssl", "version")) contenders.push(...(await contendersOver("https")));
  else process.stdout.write("Without https: openssl is missing.\n");
  const turns = contenders.map(({ name, command, env }) => ({ name, take: () => processCost(command, env) }));
  const samples = await inTurns(turns, { rounds, endAt });
  process.stdout.write(report(contenders, samples));
  publish(figuresOf(contenders, samples));
} finally {
  for (const company of companies) company.close();
  rmSync(folder, { recursive: true, force: true });
}

function bareNode(scheme: Contender["scheme"], env: NodeJS.ProcessEnv): Contender {
  const empty = join(folder, "empty.mjs");
  writeFileSync(empty, "");
  return { name: `node, empty module, ${scheme}`, scheme, command: [node, empty], env };
}

function environment(home: string): NodeJS.ProcessEnv {
  return { PATH: process.env["PATH"], HOME: join(folder, home), AUTHZ_TOKEN_STORE: "file" };
}

/** A company of its own for each scheme, somebody who is signed in there, and the commands that are compared. */
async function contendersOver(scheme: Contender["scheme"]): Promise<Contender[]> {
  const home = join(folder, scheme);
  mkdirSync(home);
  if (scheme === "https") makeCertificate(home);
  const [key, cert] = [join(home, "key.pem"), join(home, "cert.pem")];
  const company = await startCompany(
    scheme === "https" ? { key: readFileSync(key), cert: readFileSync(cert) } : undefined,
  );
  companies.push(company);
  const env = {
    ...environment(scheme),
    ...(scheme === "https" ? { NODE_EXTRA_CA_CERTS: cert, CURL_CA_BUNDLE: cert } : {}),
  };
  await logIn(company, env);
  const request = [...authz, "request", "--scope", "contracts:read", company.api];
  await requireWarm(company, request, env);
  return [
    bareNode(scheme, env),
    { name: `authz request, ${scheme}`, scheme, command: request, env },
    { name: `authz status, ${scheme}`, scheme, command: [...authz, "status"], env },
    ...(has("curl", "--version")
      ? [{ name: `curl, ${scheme}`, scheme, command: ["curl", "--silent", company.api], env }]
      : []),
  ];
}

async function requireWarm(
  company: Company,
  request: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  await processCost(request, env);
  const before = company.seen.length;
  await processCost(request, env);
  if (company.seen.slice(before).join() !== "GET /api/contracts") throw new Error("The request is not warm.");
}

/** Signs in as a person would: visits the address that the command prints. */
async function logIn({ issuer }: Company, env: NodeJS.ProcessEnv): Promise<void> {
  const [program = "", ...args] = authz;
  const child = spawn(program, [...args, "login", "--no-browser", "--issuer", issuer], { env });
  createInterface(child.stderr).on("line", (line) => {
    if (line.startsWith(issuer)) visit(line, env);
  });
  const code = await new Promise((resolve) => {
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`authz login ended with exit code ${String(code)}.`);
}

/** By a process of its own, which can be told to trust the certificate. */
function visit(address: string, env: NodeJS.ProcessEnv): void {
  const script = "fetch(process.argv[1]).catch(() => undefined)";
  spawn(process.execPath, ["--eval", script, address], { env, stdio: "ignore" });
}

function has(program: string, argument: string): boolean {
  return spawnSync(program, [argument]).status === 0;
}

function report(contenders: readonly Contender[], samples: readonly (readonly ProcessCost[])[]): string {
  const rows = compareWithBare(contenders, samples).map(({ name, cpu, bare, wall }) => [
    name,
    cpu.toFixed(0),
    (cpu - bare).toFixed(0),
    wall.toFixed(0),
  ]);
  const version = execFileSync(node, ["--version"], { encoding: "utf8" }).trim();
  return [
    conditions(samples, version),
    "",
    ...layOutTable([["", "CPU ms", "over bare Node", "wall ms"], ...rows]),
    "",
  ].join("\n");
}

function figuresOf(
  contenders: readonly Contender[],
  samples: readonly (readonly ProcessCost[])[],
): readonly Figure[] {
  return compareWithBare(contenders, samples)
    .filter(({ name }) => name.startsWith("authz "))
    .map(({ name, cpu, bare }) => ({
      what: `\`${name.replace(", ", "` over ")}, CPU`,
      figure: `${cpu.toFixed(0)} ms`,
      beside: "an empty module",
      ratio: `+${(cpu - bare).toFixed(0)} ms`,
    }));
}

function compareWithBare(
  contenders: readonly Contender[],
  samples: readonly (readonly ProcessCost[])[],
): readonly { readonly name: string; readonly cpu: number; readonly bare: number; readonly wall: number }[] {
  const cpuOf = (index: number) => medianOf(samples[index] ?? [], ({ cpu }) => cpu);
  return contenders.map(({ name, scheme }, index) => ({
    name,
    cpu: cpuOf(index),
    bare: cpuOf(contenders.findIndex((contender) => contender.scheme === scheme)),
    wall: medianOf(samples[index] ?? [], ({ wall }) => wall),
  }));
}
