import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { ConfigError, loadConfig, loadPostgresUrl } from "../../src/config/config.js";
import { defaultRateLimits } from "../../src/platform/rate-limits/limits.js";
import { testEnvironment } from "../support/environment.js";

type Environment = Record<string, string | undefined>;

const production: Environment = testEnvironment({
  AUTHZ_ISSUER: "https://auth.acme.example",
  AUTHZ_ALLOW_INSECURE_LOOPBACK: undefined,
  AUTHZ_HOST: undefined,
  AUTHZ_PORT: undefined,
  LOG_LEVEL: undefined,
});
const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ format: "jwk" });
const own = JSON.parse(production.AUTHZ_SIGNING_PRIVATE_JWK ?? "") as Record<string, string>;
const { d: _private, ...ownPublic } = own;

function problemsOf(environment: Environment, readFile?: (path: string) => string): ConfigError {
  try {
    loadConfig(environment, readFile);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  return expect.fail("the configuration was accepted");
}

describe("notifications", () => {
  const secret = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
  const hook = { AUTHZ_NOTIFY_WEBHOOK_URL: "https://hooks.acme.example/authz?token=x" };
  const mail = { AUTHZ_NOTIFY_SMTP_URL: "smtps://authz:p%40ss@mail.acme.example" };

  test("go to a webhook and a mail server", () => {
    const config = loadConfig({
      ...production,
      ...hook,
      AUTHZ_NOTIFY_WEBHOOK_SECRET: secret,
      ...mail,
      AUTHZ_NOTIFY_FROM: "authz@acme.example",
      AUTHZ_NOTIFY_TO: "ada@acme.example, bruno@acme.example",
    });
    expect(config.notifyWebhookUrl).toBe("https://hooks.acme.example/authz?token=x");
    expect(config.notifyWebhookSecret).toEqual(Buffer.alloc(24, 9));
    expect(config.notifyMailServer).toEqual({
      host: "mail.acme.example",
      port: 465,
      implicitTls: true,
      plain: false,
      user: "authz",
      password: "p@ss",
    });
    expect(config.notifyTo).toEqual(["ada@acme.example", "bruno@acme.example"]);
  });

  test("go to a mail server without TLS on this machine only", () => {
    const plainOf = (environment: Environment, url: string) =>
      loadConfig({ ...environment, AUTHZ_NOTIFY_SMTP_URL: url, AUTHZ_NOTIFY_FROM: "a@acme.example" })
        .notifyMailServer?.plain;
    expect(plainOf(testEnvironment(), "smtp://127.0.0.1:2525")).toBe(true);
    expect(plainOf(testEnvironment(), "smtp://mail.acme.example")).toBe(false);
    expect(plainOf(production, "smtp://127.0.0.1:2525")).toBe(false);
  });

  test.each<[string, Environment, string]>([
    ["no secret", hook, "AUTHZ_NOTIFY_WEBHOOK_SECRET"],
    ["no sender", mail, "AUTHZ_NOTIFY_FROM"],
    [
      "a webhook without TLS",
      { AUTHZ_NOTIFY_WEBHOOK_URL: "http://hooks.acme.example/" },
      "AUTHZ_NOTIFY_WEBHOOK_URL",
    ],
    [
      "credentials",
      { AUTHZ_NOTIFY_WEBHOOK_URL: "https://a:b@hooks.acme.example/" },
      "AUTHZ_NOTIFY_WEBHOOK_URL",
    ],
    ["no URL", { AUTHZ_NOTIFY_WEBHOOK_URL: "hooks.acme.example" }, "AUTHZ_NOTIFY_WEBHOOK_URL"],
    [
      "a secret without its mark",
      { AUTHZ_NOTIFY_WEBHOOK_SECRET: secret.slice(6) },
      "AUTHZ_NOTIFY_WEBHOOK_SECRET",
    ],
    ["a short secret", { AUTHZ_NOTIFY_WEBHOOK_SECRET: "whsec_c2hvcnQ=" }, "AUTHZ_NOTIFY_WEBHOOK_SECRET"],
    ["another spelling", { AUTHZ_NOTIFY_WEBHOOK_SECRET: `${secret}=` }, "AUTHZ_NOTIFY_WEBHOOK_SECRET"],
    ["another protocol", { AUTHZ_NOTIFY_SMTP_URL: "https://mail.acme.example" }, "AUTHZ_NOTIFY_SMTP_URL"],
    [
      "options that switch checks off",
      { AUTHZ_NOTIFY_SMTP_URL: "smtps://mail.acme.example?tls.rejectUnauthorized=false" },
      "AUTHZ_NOTIFY_SMTP_URL",
    ],
    [
      "a sender with a line end",
      { AUTHZ_NOTIFY_FROM: "a@acme.example\r\nBcc: b@evil.example" },
      "AUTHZ_NOTIFY_FROM",
    ],
    ["a sender with a name", { AUTHZ_NOTIFY_FROM: "Acme <a@acme.example>" }, "AUTHZ_NOTIFY_FROM"],
    ["an empty receiver", { AUTHZ_NOTIFY_TO: "a@acme.example," }, "AUTHZ_NOTIFY_TO"],
  ])("are refused with %s, and no value is printed", (_name, changes, variable) => {
    const error = problemsOf({ ...production, ...changes });
    expect(error.problems.map((problem) => problem.variable)).toEqual([variable]);
    for (const value of Object.values(changes)) expect(error.message).not.toContain(value);
  });
});

describe("a complete environment", () => {
  test("becomes a frozen configuration with defaults", () => {
    const config = loadConfig(production);

    expect(config).toMatchObject({
      issuer: "https://auth.acme.example",
      host: "0.0.0.0",
      port: 3000,
      logLevel: "info",
      allowInsecureLoopback: false,
      outboundNetworks: [],
      dpopNonces: false,
      clockToleranceSeconds: 5,
      trustedProxies: [],
      rateLimits: defaultRateLimits,
      housekeepingSeconds: 60,
      drainSeconds: 7,
      tracing: undefined,
    });
    expect(config.sessionSecret).toEqual(Buffer.alloc(32, 1));
    expect(config.credentialEncryptionKey).toEqual(Buffer.alloc(32, 3));
    expect(Object.isFrozen(config)).toBe(true);
  });

  test("may keep members beside the key in the JWKs, as long as they do not contradict", () => {
    const members = { kid: production.AUTHZ_SIGNING_KID, alg: "ES256", use: "sig" };
    const config = loadConfig({
      ...production,
      AUTHZ_SIGNING_PRIVATE_JWK: JSON.stringify({ ...own, ...members }),
      AUTHZ_SIGNING_PUBLIC_JWK: JSON.stringify({ ...ownPublic, ...members }),
    });
    expect(Object.keys(config.signingKey.publicJwk).sort()).toEqual(["crv", "kty", "x", "y"]);
  });

  test("for development does not drain unless it is told to", () => {
    const development = { ...production, AUTHZ_ALLOW_INSECURE_LOOPBACK: "true" };
    expect(loadConfig(development).drainSeconds).toBe(0);
    expect(loadConfig({ ...development, AUTHZ_DRAIN_SECONDS: "3" }).drainSeconds).toBe(3);
  });

  test("does not need the key of the connectors", () => {
    expect(loadConfig({ ...production, AUTHZ_CONNECTOR_KEK: "not even checked" }).port).toBe(3000);
  });

  test.each(["http://127.0.0.1:3000", "http://[::1]:3000", "http://localhost:3000"])(
    "may have the issuer %s when insecure loopback is allowed",
    (issuer) => {
      const config = loadConfig({
        ...production,
        AUTHZ_ISSUER: issuer,
        AUTHZ_ALLOW_INSECURE_LOOPBACK: "true",
      });
      expect(config.issuer).toBe(issuer);
    },
  );
});

describe("variables in mounted files", () => {
  const { AUTH_SESSION_SECRET: secret, ...rest } = production;

  test("are read from the path in NAME_FILE, without the line break at the end", () => {
    const readFile = (path: string) => (path === "/run/secrets/session" ? `${secret}\n` : "another file");
    const config = loadConfig({ ...rest, AUTH_SESSION_SECRET_FILE: "/run/secrets/session" }, readFile);
    expect(config.sessionSecret).toEqual(Buffer.alloc(32, 1));
  });

  test.each([
    {
      name: "that cannot be read are named with the reason",
      environment: { ...rest, AUTH_SESSION_SECRET_FILE: "/nowhere/secret" },
      problem: "AUTH_SESSION_SECRET_FILE cannot be read (ENOENT)",
    },
    {
      name: "beside the variable itself are refused",
      environment: { ...production, AUTH_SESSION_SECRET_FILE: "/nowhere/secret" },
      problem: "set twice, as AUTH_SESSION_SECRET and as AUTH_SESSION_SECRET_FILE",
    },
  ])("$name", ({ environment, problem }) => {
    expect(problemsOf(environment).message).toContain(problem);
  });
});

describe("every required variable", () => {
  const required = [
    "POSTGRES_URL",
    "AUTHZ_ISSUER",
    "AUTH_SESSION_SECRET",
    "AUTHZ_SETUP_TOKEN",
    "AUTHZ_CREDENTIAL_ENCRYPTION_KEY",
    "AUTHZ_SIGNING_PRIVATE_JWK",
    "AUTHZ_SIGNING_PUBLIC_JWK",
    "AUTHZ_SIGNING_KID",
  ];

  test("is named when nothing is set, in one message, each on its own line", () => {
    const error = problemsOf({});
    expect(error.problems.map(({ variable }) => variable).sort()).toEqual([...required].sort());
    for (const variable of required)
      expect(error.message).toMatch(new RegExp(`^  ${variable}: missing`, "m"));
  });

  test.each(required)("%s counts as missing when it is empty", (variable) => {
    expect(problemsOf({ ...production, [variable]: "" }).problems.map((problem) => problem.variable)).toEqual(
      [variable],
    );
  });
});

const bytes = (length: number, encoding: "base64" | "base64url") =>
  Buffer.alloc(length, 0xfb).toString(encoding);

describe("a malformed variable is refused", () => {
  test.each([
    { variable: "POSTGRES_URL", value: "localhost:5432/authz", problem: "not a postgresql: URL" },
    { variable: "POSTGRES_URL", value: "authz", problem: "not a URL" },
    { variable: "POSTGRES_URL", value: "mysql://localhost/authz", problem: "not a postgresql: URL" },
    { variable: "POSTGRES_URL", value: "postgresql://localhost:5432/", problem: "names no database" },
    { variable: "POSTGRES_URL", value: "postgresql://db1:5432,db2:x/authz", problem: "not a URL" },
    { variable: "POSTGRES_URL", value: "postgresql://db1,/authz", problem: "without a host name" },
    {
      variable: "POSTGRES_URL",
      value: "postgresql://db1,db2/authz?target_session_attrs=standby",
      problem: "target_session_attrs",
    },
    { variable: "AUTHZ_POSTGRES_POOL_SIZE", value: "4", problem: "not a whole number from 5 to 500" },
    {
      variable: "AUTHZ_POSTGRES_STATEMENT_SECONDS",
      value: "1.5",
      problem: "not a whole number from 2 to 300",
    },
    { variable: "AUTHZ_POSTGRES_CONNECT_SECONDS", value: "0", problem: "not a whole number from 1 to 60" },
    { variable: "AUTHZ_ISSUER", value: "auth.acme.example", problem: "not a URL" },
    { variable: "AUTHZ_ISSUER", value: "ftp://auth.acme.example", problem: "not an https: URL" },
    { variable: "AUTHZ_ISSUER", value: "http://auth.acme.example", problem: "refused outside loopback" },
    { variable: "AUTHZ_ISSUER", value: "http://127.0.0.1:3000", problem: "AUTHZ_ALLOW_INSECURE_LOOPBACK" },
    { variable: "AUTHZ_ISSUER", value: "http://127.0.0.1.acme.example", problem: "refused outside loopback" },
    { variable: "AUTHZ_ISSUER", value: "https://auth.acme.example/", problem: "plain form" },
    { variable: "AUTHZ_ISSUER", value: "https://auth.acme.example:443", problem: "plain form" },
    { variable: "AUTHZ_ISSUER", value: "https://AUTH.acme.example", problem: "plain form" },
    { variable: "AUTHZ_ISSUER", value: "https://auth.acme.example/authz", problem: "a path" },
    { variable: "AUTHZ_ISSUER", value: "https://auth.acme.example?a=b", problem: "a query" },
    { variable: "AUTHZ_ISSUER", value: "https://auth.acme.example#a", problem: "a query or fragment" },
    { variable: "AUTHZ_ISSUER", value: "https://ada:x@auth.acme.example", problem: "credentials" },
    { variable: "AUTH_SESSION_SECRET", value: bytes(31, "base64url"), problem: "31 bytes" },
    { variable: "AUTH_SESSION_SECRET", value: bytes(33, "base64url"), problem: "33 bytes" },
    { variable: "AUTH_SESSION_SECRET", value: bytes(32, "base64"), problem: "canonical base64url" },
    { variable: "AUTH_SESSION_SECRET", value: ` ${bytes(32, "base64url")}`, problem: "canonical base64url" },
    { variable: "AUTHZ_SETUP_TOKEN", value: "change-me", problem: "canonical base64url" },
    {
      variable: "AUTHZ_CREDENTIAL_ENCRYPTION_KEY_PREVIOUS",
      value: `${bytes(32, "base64")},${bytes(31, "base64")}`,
      problem: "31 bytes",
    },
    {
      variable: "AUTHZ_CREDENTIAL_ENCRYPTION_KEY",
      value: bytes(32, "base64url"),
      problem: "canonical standard base64",
    },
    {
      variable: "AUTHZ_CREDENTIAL_ENCRYPTION_KEY",
      value: bytes(32, "base64").replace("=", ""),
      problem: "canonical standard base64",
    },
    { variable: "AUTHZ_CREDENTIAL_ENCRYPTION_KEY", value: bytes(16, "base64"), problem: "16 bytes" },
    { variable: "AUTHZ_SIGNING_KID", value: "key-1", problem: "not a UUID" },
    { variable: "AUTHZ_SIGNING_PRIVATE_JWK", value: "{", problem: "not JSON" },
    { variable: "AUTHZ_SIGNING_PRIVATE_JWK", value: "[]", problem: "not a JSON object" },
    { variable: "AUTHZ_SIGNING_PRIVATE_JWK", value: JSON.stringify(p384), problem: "not an EC key on P-256" },
    { variable: "AUTHZ_SIGNING_PRIVATE_JWK", value: JSON.stringify(ownPublic), problem: '"d"' },
    {
      variable: "AUTHZ_SIGNING_PRIVATE_JWK",
      value: JSON.stringify({ ...own, d: other.d }),
      problem: "d does not belong to x and y",
    },
    {
      variable: "AUTHZ_SIGNING_PRIVATE_JWK",
      value: JSON.stringify({ ...own, kid: "another" }),
      problem: "AUTHZ_SIGNING_KID",
    },
    { variable: "AUTHZ_SIGNING_PUBLIC_JWK", value: JSON.stringify(own), problem: 'private member "d"' },
    {
      variable: "AUTHZ_SIGNING_PUBLIC_JWK",
      value: JSON.stringify({ ...other, d: undefined }),
      problem: "does not belong to AUTHZ_SIGNING_PRIVATE_JWK",
    },
    {
      variable: "AUTHZ_SIGNING_PUBLIC_JWK",
      value: JSON.stringify({ ...ownPublic, alg: "ES384" }),
      problem: '"alg"',
    },
    { variable: "AUTHZ_ALLOW_INSECURE_LOOPBACK", value: "yes", problem: "neither true nor false" },
    { variable: "AUTHZ_OUTBOUND_NETWORKS", value: "10.0.0.0", problem: "CIDR" },
    { variable: "AUTHZ_TRUSTED_PROXIES", value: "10.0.0.0/8,proxy", problem: "CIDR" },
    { variable: "AUTHZ_RATE_LIMITS", value: "token.address=1,token=5", problem: "item 2 is not a limit" },
    { variable: "AUTHZ_HOUSEKEEPING_SECONDS", value: "4", problem: "from 5 to 3600" },
    { variable: "AUTHZ_PORT", value: "65536", problem: "not a port number" },
    { variable: "AUTHZ_MANAGEMENT_PORT", value: "off", problem: "not a port number" },
    { variable: "AUTHZ_MANAGEMENT_PORT", value: "3000", problem: "the same port as AUTHZ_PORT" },
    { variable: "AUTHZ_DPOP_NONCES", value: "yes", problem: "neither true nor false" },
    { variable: "AUTHZ_CLOCK_TOLERANCE_SECONDS", value: "301", problem: "from 0 to 300" },
    { variable: "AUTHZ_DRAIN_SECONDS", value: "9", problem: "from 0 to 8" },
    { variable: "AUTHZ_PORT", value: "3000x", problem: "not a port number" },
    { variable: "LOG_LEVEL", value: "verbose", problem: "not a log level" },
  ])("$variable: $problem ($value)", ({ variable, value, problem }) => {
    const error = problemsOf({ ...production, [variable]: value });
    expect(error.problems.map((found) => found.variable)).toEqual([variable]);
    expect(error.problems[0]?.problem).toContain(problem);
    expect(error.message).toContain("Expected: ");
  });

  test("and its value is never printed", () => {
    const secrets = {
      AUTH_SESSION_SECRET: "hunter2-session",
      AUTHZ_SETUP_TOKEN: "hunter2-setup",
      AUTHZ_CREDENTIAL_ENCRYPTION_KEY: "hunter2-key",
      AUTHZ_SIGNING_PRIVATE_JWK: '{"d":"hunter2-jwk"}',
      AUTHZ_SIGNING_PUBLIC_JWK: "hunter2-public",
      POSTGRES_URL: "hunter2://user:hunter2@host/db",
    };
    const error = problemsOf({ ...production, ...secrets });
    expect(error.problems).toHaveLength(6);
    expect(error.message).not.toContain("hunter2");
  });
});

describe("the migration command", () => {
  test("needs the address of the database only", () => {
    expect(loadPostgresUrl({ POSTGRES_URL: "postgresql://db/authz" })).toBe("postgresql://db/authz");
  });

  test.each([{}, { POSTGRES_URL: "db" }])("names POSTGRES_URL when it gets %o", (environment) => {
    expect(() => loadPostgresUrl(environment)).toThrow(/POSTGRES_URL: .*Expected: a PostgreSQL 16/);
  });
});
