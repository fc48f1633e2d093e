import { describe, expect, test } from "vitest";
import { loadConfig } from "../../src/config/config.js";
import { testEnvironment } from "../support/environment.js";

const key = Buffer.alloc(32, 9).toString("base64");
const vault = {
  AUTHZ_CONNECTOR_KEK: undefined,
  AUTHZ_CONNECTOR_VAULT_ADDR: "https://vault.acme.example:8200/",
  AUTHZ_CONNECTOR_VAULT_TOKEN: "s.token",
  AUTHZ_CONNECTOR_VAULT_KEY: "authz",
};

function read(changes: Record<string, string | undefined>, files: Record<string, string> = {}) {
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw Object.assign(new Error("gone"), { code: "ENOENT" });
    return text;
  };
  return loadConfig(testEnvironment(changes), readFile).connectorKeys;
}

/** What is wrong, wherever it matters. */
function problemsOf(changes: Record<string, string | undefined>): string[] {
  const { activeProblems, otherProblems } = read(changes);
  return [...activeProblems, ...otherProblems].map(({ variable, problem }) => `${variable}: ${problem}`);
}

describe("keys of the environment", () => {
  test("are one that seals and others that open", () => {
    const { environment, transit, sealedBy } = read({
      AUTHZ_CONNECTOR_KEK: key,
      AUTHZ_CONNECTOR_KEK_PREVIOUS: `${Buffer.alloc(32, 1).toString("base64")}, ${Buffer.alloc(32, 2).toString("base64")}`,
    });
    expect(environment.active).toEqual(Buffer.alloc(32, 9));
    expect(environment.previous).toEqual([Buffer.alloc(32, 1), Buffer.alloc(32, 2)]);
    expect({ transit, sealedBy }).toEqual({ transit: undefined, sealedBy: "environment" });
  });

  test("can be in files", () => {
    const { environment } = read(
      { AUTHZ_CONNECTOR_KEK: undefined, AUTHZ_CONNECTOR_KEK_FILE: "/run/kek" },
      { "/run/kek": `${key}\n` },
    );
    expect(environment.active).toEqual(Buffer.alloc(32, 9));
  });

  const wrong = [
    {
      name: "a key that is not base64",
      value: "hunter2-hunter2",
      problem: /^AUTHZ_CONNECTOR_KEK: not canonical/,
    },
    {
      name: "a short key",
      value: Buffer.alloc(31).toString("base64"),
      problem: /holds 31 bytes instead of 32/,
    },
  ];
  test.each(wrong)("do not stop the start with $name", ({ value, problem }) => {
    const { activeProblems, otherProblems } = read({ AUTHZ_CONNECTOR_KEK: value });
    expect(otherProblems).toEqual([]);
    expect(activeProblems).toHaveLength(1);
    expect(problemsOf({ AUTHZ_CONNECTOR_KEK: value })[0]).toMatch(problem);
    expect(JSON.stringify(activeProblems)).not.toContain(value);
  });

  test("do not stop the start with a file that is not there", () => {
    const changes = { AUTHZ_CONNECTOR_KEK: undefined, AUTHZ_CONNECTOR_KEK_FILE: "/run/kek" };
    expect(problemsOf(changes)).toEqual([
      "AUTHZ_CONNECTOR_KEK: the file named by AUTHZ_CONNECTOR_KEK_FILE cannot be read (ENOENT)",
    ]);
  });

  test("still seal when an earlier one cannot be read", () => {
    const { activeProblems, otherProblems } = read({ AUTHZ_CONNECTOR_KEK_PREVIOUS: `${key},` });
    expect(activeProblems).toEqual([]);
    expect(otherProblems).toMatchObject([{ variable: "AUTHZ_CONNECTOR_KEK_PREVIOUS" }]);
  });
});

describe("a Vault", () => {
  test("seals when it is configured, and keys of the environment still open", () => {
    const config = read({ ...vault, AUTHZ_CONNECTOR_KEK: key });
    expect(config).toMatchObject({ sealedBy: "transit", activeProblems: [], otherProblems: [] });
    expect(config.transit).toEqual({
      address: "https://vault.acme.example:8200",
      token: { text: "s.token" },
      mount: "transit",
      key: "authz",
      namespace: undefined,
    });
    expect(config.environment.active).toBeDefined();
  });

  test("can be below a path, at another mount, in a namespace, with a token that an agent writes", () => {
    const { transit } = read({
      ...vault,
      AUTHZ_CONNECTOR_VAULT_ADDR: "https://acme.example/vault",
      AUTHZ_CONNECTOR_VAULT_TOKEN: "",
      AUTHZ_CONNECTOR_VAULT_TOKEN_FILE: "/not/there/yet",
      AUTHZ_CONNECTOR_VAULT_MOUNT: "/security/transit/",
      AUTHZ_CONNECTOR_VAULT_NAMESPACE: "team/a",
    });
    expect(transit).toEqual({
      address: "https://acme.example/vault",
      token: { file: "/not/there/yet" },
      mount: "security/transit",
      key: "authz",
      namespace: "team/a",
    });
  });

  test("only opens when it is to be left", () => {
    const config = read({ ...vault, AUTHZ_CONNECTOR_KEK: key, AUTHZ_CONNECTOR_VAULT_READ_ONLY: "true" });
    expect(config).toMatchObject({ sealedBy: "environment", activeProblems: [] });
    expect(config.transit).toBeDefined();
  });

  test("is not wanted by empty variables, as Compose passes them", () => {
    const config = read({
      AUTHZ_CONNECTOR_VAULT_ADDR: "",
      AUTHZ_CONNECTOR_VAULT_TOKEN: "",
      AUTHZ_CONNECTOR_VAULT_KEY: "",
      AUTHZ_CONNECTOR_VAULT_MOUNT: "",
    });
    expect(config).toMatchObject({ sealedBy: "environment", transit: undefined, activeProblems: [] });
  });

  test("may be plain http on loopback only, and only in development", () => {
    const plain = { ...vault, AUTHZ_CONNECTOR_VAULT_ADDR: "http://127.0.0.1:8200" };
    expect(read(plain).transit?.address).toBe("http://127.0.0.1:8200");
    const production = {
      ...plain,
      AUTHZ_ISSUER: "https://auth.acme.example",
      AUTHZ_ALLOW_INSECURE_LOOPBACK: undefined,
    };
    expect(problemsOf(production)[0]).toMatch(/^AUTHZ_CONNECTOR_VAULT_ADDR: not an https: URL/);
  });

  const wrong: { name: string; change: Record<string, string | undefined>; problem: RegExp }[] = [
    { name: "no token", change: { TOKEN: undefined }, problem: /^AUTHZ_CONNECTOR_VAULT_TOKEN: missing/ },
    { name: "no key", change: { KEY: undefined }, problem: /^AUTHZ_CONNECTOR_VAULT_KEY: missing/ },
    { name: "no address", change: { ADDR: undefined }, problem: /^AUTHZ_CONNECTOR_VAULT_ADDR: missing/ },
    { name: "two tokens", change: { TOKEN_FILE: "/t" }, problem: /^AUTHZ_CONNECTOR_VAULT_TOKEN: set twice/ },
    {
      name: "a private http address",
      change: { ADDR: "http://10.0.0.1:8200" },
      problem: /_ADDR: not an https/,
    },
    { name: "another scheme", change: { ADDR: "ftp://127.0.0.1" }, problem: /_ADDR: not an https/ },
    { name: "no URL", change: { ADDR: "vault:8200:x" }, problem: /_ADDR: not an? (https: )?URL/ },
    {
      name: "credentials in it",
      change: { ADDR: "https://a:b@v.example" },
      problem: /_ADDR: contains credentials/,
    },
    { name: "a query", change: { ADDR: "https://v.example/?a" }, problem: /_ADDR: contains a query/ },
    { name: "a key with a path", change: { KEY: "a/../b" }, problem: /_KEY: not the name/ },
    { name: "a key of dots", change: { KEY: ".." }, problem: /_KEY: not the name/ },
    { name: "a mount that leaves", change: { MOUNT: "../sys" }, problem: /_MOUNT: not the path/ },
    { name: "a mount with a query", change: { MOUNT: "transit?x" }, problem: /_MOUNT: not the path/ },
    { name: "a token with a line break", change: { TOKEN: "a\nb" }, problem: /_TOKEN: contains a space/ },
    {
      name: "a namespace with a space",
      change: { NAMESPACE: "a b" },
      problem: /_NAMESPACE: contains a space/,
    },
    { name: "an unclear wish", change: { READ_ONLY: "yes" }, problem: /_READ_ONLY: neither true nor false/ },
  ];
  test.each(wrong)("with $name is not used, and nothing else seals instead", ({ change, problem }) => {
    const named = Object.entries(change).map(([name, value]) => [`AUTHZ_CONNECTOR_VAULT_${name}`, value]);
    const changes = { ...vault, ...(Object.fromEntries(named) as Record<string, string | undefined>) };
    const problems = problemsOf(changes);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
    const config = read(changes);
    expect(config).toMatchObject({ transit: undefined, sealedBy: "transit" });
    expect(config.activeProblems).toHaveLength(1);
  });
});
