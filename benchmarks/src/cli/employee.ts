import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { makeCertificate } from "../certificate.js";
import { type Company, startCompany } from "./company.js";
import { processCost } from "./process-cost.js";

export type Scheme = "http" | "https";
export type Store = "file" | "keyring";

/** A company that is reached over one scheme, and its certificate where it needs one. */
export interface Place {
  readonly scheme: Scheme;
  readonly company: Company;
  /** What programs need to trust it. */
  readonly env: Readonly<NodeJS.ProcessEnv>;
}

/** A person who is signed in there, with all that a warm command finds. */
export interface Employee {
  readonly env: NodeJS.ProcessEnv;
  readonly request: readonly string[];
}

/** The command as it is installed, run by some Node. */
export function commandOf(node: string): readonly string[] {
  const manifest = createRequire(import.meta.url).resolve("@authz/cli/package.json");
  return [node, join(dirname(manifest), "bin", "authz.js")];
}

export async function openPlace(scheme: Scheme, folder: string): Promise<Place> {
  if (scheme === "http") return { scheme, company: await startCompany(), env: {} };
  mkdirSync(folder);
  makeCertificate(folder);
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const company = await startCompany({ key: readFileSync(key), cert: readFileSync(cert) });
  return { scheme, company, env: { NODE_EXTRA_CA_CERTS: cert, CURL_CA_BUNDLE: cert } };
}

/** Signs a person in, in a home of their own, and makes the first requests, which fetch what later ones find. */
export async function employ(
  { scheme, company, env: trust }: Place,
  {
    authz,
    store,
    home,
    env: more,
  }: { authz: readonly string[]; store: Store; home: string; env: NodeJS.ProcessEnv },
): Promise<Employee> {
  mkdirSync(home);
  const own = { PATH: process.env["PATH"], HOME: home, AUTHZ_PROFILE: scheme, AUTHZ_TOKEN_STORE: store };
  const env: NodeJS.ProcessEnv = { ...own, ...trust, ...more };
  const request = [...authz, "request", "--scope", "contracts:read", company.api];
  await logIn(authz, company, env);
  // The command keeps compiled code of its first three runs.
  for (let run = 0; run < 3; run += 1) {
    await processCost(request, env);
  }
  const before = company.seen.length;
  await processCost(request, env);
  if (company.seen.slice(before).join() !== "GET /api/contracts") throw new Error("The request is not warm.");
  return { env, request };
}

/** Signs in as a person would: visits the address that the command prints. */
async function logIn(authz: readonly string[], { issuer }: Company, env: NodeJS.ProcessEnv): Promise<void> {
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

/** By a process of its own, which can trust the certificate. */
function visit(address: string, env: NodeJS.ProcessEnv): void {
  const script = "fetch(process.argv[1]).catch(() => undefined)";
  spawn(process.execPath, ["--eval", script, address], { env, stdio: "ignore" });
}
