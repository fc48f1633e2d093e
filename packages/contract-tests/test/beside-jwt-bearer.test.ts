import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, it } from "vitest";

const root = join(import.meta.dirname, "../../..");
/** Inside the repository, so that imports resolve as in a package; git ignores it. */
const folder = join(import.meta.dirname, "../dist/beside-jwt-bearer");

const ours = 'import { type Auth, getAuth, initAuthz } from "@authz/express";';
const theirs = 'import { auth as checkJwt, type AuthResult } from "express-oauth2-jwt-bearer";';
const application = `
import express from "express";

declare const authz: ReturnType<typeof initAuthz>;
export const app = express();
authz.registerRoutes(app);
app.get("/old/:id", checkJwt(), (req, res) => {
  const result: AuthResult | undefined = req.auth;
  res.json({ id: req.params.id, sub: result?.payload.sub });
});
app.get("/new/:id", authz.requireAuth(), (req, res) => {
  const auth: Auth = getAuth(req);
  res.json({ id: req.params.id, sub: auth.identity.subject });
});
app.use(authz.requireAuth(), checkJwt());
express.Router().use(authz.requireAuth());
`;

/** Without the condition that leads to sources: the declarations are what an application sees. */
const strangersConfiguration = {
  extends: join(root, "tsconfig.test.json"),
  compilerOptions: { customConditions: [] },
  include: ["*.ts"],
};

/** What the compiler complains about. */
async function runCompiler(...parameters: string[]): Promise<string> {
  const run = promisify(execFile)(join(root, "node_modules/.bin/tsc"), parameters);
  return (await run.catch((error: { stdout: string }) => error)).stdout;
}

beforeAll(() => runCompiler("-b", join(root, "packages/express")));

it.each([
  { first: "@authz/express", imports: [ours, theirs] },
  { first: "express-oauth2-jwt-bearer", imports: [theirs, ours] },
])("compiles beside express-oauth2-jwt-bearer with $first imported first", async ({ imports }) => {
  const project = join(folder, imports[0] === ours ? "ours" : "theirs");
  await rm(project, { recursive: true, force: true });
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "app.ts"), imports.join("\n") + application);
  await writeFile(join(project, "tsconfig.json"), JSON.stringify(strangersConfiguration));
  expect(await runCompiler("-p", project)).toBe("");
});
