import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { generateEs256KeyPair } from "@authz/dpop";
import { findFreePort } from "authz-tools/network";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdapterCode, adapterCode, frameworks } from "../../src/screens/resources/adapter-code.js";

/** An authorization server with the endpoints that a service needs to start. */
let issuer: string;
let stop: () => void;

beforeAll(async () => {
  const port = await findFreePort();
  issuer = `http://127.0.0.1:${port}`;
  const { publicJwk } = await generateEs256KeyPair();
  const keys = { keys: [{ ...publicJwk, kid: "one", alg: "ES256", use: "sig" }] };
  const metadata = {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ["code"],
    id_token_signing_alg_values_supported: ["ES256"],
    subject_types_supported: ["public"],
  };
  const server = createServer((request, response) => {
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(request.url === "/jwks" ? keys : metadata));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  stop = () => void server.close();
});
afterAll(() => stop());

async function codeAt(framework: (typeof frameworks)[number]) {
  const at = `http://127.0.0.1:${await findFreePort()}`;
  const service = {
    name: 'Contracts "and" more',
    resource: `${at}/api`,
    clientId: "authz-cli",
    requestPrefixes: [`${at}/api/contracts`],
    supportedScopes: ["contracts:read", "contracts:write"],
  };
  return { at, code: adapterCode({ framework, issuer, service }) };
}

/** Saves the example files in a folder where the packages are installed. */
async function save({ files }: AdapterCode): Promise<string> {
  const modules = fileURLToPath(new URL("../../../../node_modules/", import.meta.url));
  const folder = await mkdtemp(join(modules, ".adapter-"));
  for (const { name, code } of [...files, { name: "package.json", code: '{ "type": "module" }' }]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), code);
  }
  return folder;
}

/** Code that calls each route file as Next.js does. */
function askRoutes(at: string, asked: readonly (readonly string[])[]): string {
  return `const answers = [];
for (const [file, path] of ${JSON.stringify(asked)}) {
  const { GET } = await import("./" + file);
  const answer = await GET(new Request(${JSON.stringify(at)} + path), { params: Promise.resolve({}) });
  const challenge = answer.headers.get("www-authenticate");
  answers.push({ status: answer.status, challenge, body: await answer.json() });
}
console.log(JSON.stringify(answers));
`;
}

describe("the example code of a service", () => {
  test.each(frameworks.filter((framework) => framework !== "next"))(
    "runs with %s as it is, and protects its route",
    async (framework) => {
      const { at, code } = await codeAt(framework);
      expect(code.install).toContain(`@authz/${framework}`);
      expect(code.run).toBe("node server.mjs");
      const folder = await save(code);
      const child = spawn(process.execPath, ["server.mjs"], { cwd: folder, stdio: "inherit" });
      const ended = once(child, "exit");
      try {
        const ask = () => fetch(`${at}/api/contracts`).catch(() => undefined);
        await expect.poll(ask).toMatchObject({ status: 401 });
        const challenge = (await ask())?.headers.get("www-authenticate");
        expect(challenge).toContain(`resource_metadata="${at}/.well-known/oauth-protected-resource/api"`);
        expect(challenge).toContain('scope="contracts:read"');
        const metadata = await fetch(`${at}/.well-known/oauth-protected-resource/api`);
        expect(await metadata.json()).toMatchObject({
          resource: `${at}/api`,
          resource_name: 'Contracts "and" more',
          authorization_servers: [issuer, at],
        });
      } finally {
        child.kill();
        await ended;
        await rm(folder, { recursive: true });
      }
    },
  );

  test("consists of route files that answer at their addresses with Next.js", async () => {
    const { at, code } = await codeAt("next");
    const folder = await save(code);
    try {
      const asked = [
        ["app/api/contracts/route.js", "/api/contracts"],
        ["app/.well-known/[...path]/route.js", "/.well-known/oauth-protected-resource/api"],
      ];
      await writeFile(join(folder, "ask.js"), askRoutes(at, asked));
      const { stdout } = await promisify(execFile)(process.execPath, ["ask.js"], { cwd: folder });
      expect(JSON.parse(stdout)).toMatchObject([
        { status: 401, challenge: expect.stringContaining('scope="contracts:read"') as unknown },
        { status: 200, body: { resource: `${at}/api`, authorization_servers: [issuer, at] } },
      ]);
      expect(code.files.map(({ name }) => name)).toContain("app/oauth/[...path]/route.js");
      expect(code.run).toBe(`npx next dev --port ${new URL(at).port} --hostname 127.0.0.1`);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("listens on all interfaces, for a proxy, when the service is not local", () => {
    const service = {
      name: "Contracts",
      resource: "https://contracts.acme.example/api",
      clientId: "authz-cli",
      requestPrefixes: ["https://contracts.acme.example/api"],
      supportedScopes: [],
    };
    for (const framework of frameworks) {
      const { files, run } = adapterCode({ framework, issuer, service });
      const all = [...files.map(({ code }) => code), run].join("\n");
      expect(all).toContain("8080");
      expect(all).toContain('publicOrigin: "https://contracts.acme.example"');
      expect(all).not.toContain("allowInsecureLoopback");
    }
  });
});
