import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyRegistry } from "../../../src/registry/apply/apply-registry.js";
import { parseRegistryFile } from "../../../src/registry/apply/registry-file.js";
import { fetchGroups } from "../../../src/permissions/groups/fetch-groups.js";
import { createOutboundClient } from "../../../src/platform/outbound/outbound-fetch.js";
import { createTestServer, type TestServer } from "../../support/server.js";

let server: TestServer;
beforeAll(async () => {
  server = await createTestServer();
});
afterAll(() => server.close());

async function codeBlocks(document: string, language: string): Promise<readonly string[]> {
  const text = await readFile(new URL(`../../../../docs/reference/${document}`, import.meta.url), "utf8");
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "gs"))].map(
    ([, code]) => code ?? "",
  );
}

test("the file of the reference is applied as it stands, and the second time changes nothing", async () => {
  const [example = ""] = await codeBlocks("registry-file.md", "yaml");
  const file = parseRegistryFile(example, {
    allowInsecureLoopback: false,
    issuer: "https://auth.acme.example",
  });
  const { store, credentials, connectorVault } = server.context;
  const options = { store, credentials, connectorVault, at: new Date(server.clock()) };
  const changes = await applyRegistry(file, options);
  expect(new Set(changes.map(({ type }) => type))).toEqual(
    new Set([
      "installation.changed",
      "app_host.changed",
      "installation.completed",
      "provider.created",
      "provider.test_skipped",
      "group_provider.created",
      "scope.created",
      "resource.created",
      "client.created",
      "connector.created",
      "skill.created",
      "assignment.created",
    ]),
  );
  expect(await applyRegistry(file, options)).toEqual([]);
});

test.each([
  "providers",
  "groupProviders",
  "scopes",
  "resources",
  "clients",
  "machineClients",
  "connectors",
  "assignments",
])("the reference describes no member of %s that a file cannot have", async (section) => {
  const text = await readFile(
    new URL("../../../../docs/reference/registry-file.md", import.meta.url),
    "utf8",
  );
  const chapter = text.split(/^## /m).find((one) => one.startsWith(`\`${section}\``)) ?? "";
  const rows = chapter.match(/^\| `[^|]+\|/gm) ?? [];
  const members = rows.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ""));
  expect(members.length).toBeGreaterThan(1);
  // A union says which members are foreign once its type is known.
  const types = section === "groupProviders" ? ["claim", "directory"] : [undefined];
  const foreign = types.map((type) => {
    const item = { ...Object.fromEntries(members.map((member) => [member, null])), type, foreign: 1 };
    return unknownMembers(JSON.stringify({ [section]: [item] }));
  });
  const common = foreign.reduce((one, other) => one.filter((name) => other.includes(name)));
  expect(common).toEqual(["foreign"]);
});

function unknownMembers(content: string): readonly string[] {
  const message = errorOf(() =>
    parseRegistryFile(content, { allowInsecureLoopback: false, issuer: "https://auth.acme.example" }),
  );
  return [...message.matchAll(/\.(\w+): is not known here\b/gm)].map(([, name]) => name ?? "");
}

test("the directory of the reference answers as the server asks", async () => {
  const [code = ""] = await codeBlocks("group-directory.md", "js");
  const script = code.replace(
    "server.listen(process.env.PORT ?? 8090);",
    'server.listen(0, "127.0.0.1", () => console.log(server.address().port));',
  );
  expect(script).not.toBe(code);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    env: { DIRECTORY_SECRET: "s3cret" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const outbound = createOutboundClient({ allowInsecureLoopback: true });
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const url = `http://127.0.0.1:${port.toString().trim()}`;
    const ask = (email: string, secret = "s3cret") => fetchGroups({ url, secret }, email, outbound.fetch);
    expect(await ask("ada@acme.example")).toEqual(new Set(["managers", "staff"]));
    expect(await ask("nobody@acme.example")).toEqual(new Set());
    await expect(ask("ada@acme.example", "wrong")).rejects.toThrow("status 401");
  } finally {
    child.kill("SIGKILL");
    await outbound.close();
  }
});

function errorOf(work: () => unknown): string {
  try {
    work();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}
