import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findExposure } from "../src/exposure.js";
import { type CliWorld, startCliWorld } from "./support/cli-world.js";
import { authzProgram, buildCli, runAuthz, runProcess } from "./support/process.js";

describe("what was asked of Node", () => {
  const nothing = { env: {}, execArgv: [], isDebugged: () => false };
  const options = (text: string) => ({ env: { NODE_OPTIONS: text } });
  it.each([
    ["nothing", {}],
    ["other debugging", { env: { NODE_DEBUG: "myapp" } }],
    ["ordinary options", options("--max-old-space-size=512 --enable-source-maps")],
    ["the port of a debugger that does not run", { execArgv: ["--inspect-port=0"] }],
  ])("does no harm when it is %s", (_name, given) => {
    expect(findExposure({ ...nothing, ...given })).toBeUndefined();
  });

  const debugged = { env: { NODE_DEBUG: "http" }, isDebugged: (section: string) => section === "http" };
  it.each([
    ["debugging", "NODE_DEBUG", debugged],
    ["a debugger", "--inspect", options("--inspect=0.0.0.0:9229")],
    ["a debugger among others", "--inspect-brk", options("  --no-warnings   --inspect-brk")],
    ["an option with underscores", "--tls-keylog", { execArgv: ["--tls_keylog=/tmp/keys"] }],
    ["an option in quotes", "--tls-keylog", options('"--tls-keylog=/tmp/my keys"')],
    ["pictures of memory", "--heapsnapshot-signal", options("--heapsnapshot-signal=SIGUSR2")],
  ])("would show credentials when it is %s, and names %s", (_name, names, given) => {
    expect(findExposure({ ...nothing, ...given })?.what).toContain(names);
  });
});

describe("the command", () => {
  let world: CliWorld;
  beforeAll(async () => {
    buildCli();
    world = await startCliWorld();
    await world.login();
    await world.run(["request", world.api]);
  });
  afterAll(async () => await world.close());

  const secretsOf = (): string[] => [
    ...world.service.tokens.keys(),
    ...world.server.grants.flatMap(({ refreshToken, accessTokens }) => [
      refreshToken,
      ...accessTokens.keys(),
    ]),
    ...[...world.server.seen, ...world.service.seen].flatMap(({ headers }) =>
      [headers.dpop, headers.authorization].filter((value) => typeof value === "string"),
    ),
  ];

  it.each([
    { name: "NODE_DEBUG", value: "http", hint: "Run the command again without NODE_DEBUG." },
    { name: "NODE_DEBUG", value: "fs,*", hint: "without credentials, add: --verbose" },
    { name: "NODE_OPTIONS", value: "--tls-keylog=/dev/null", hint: "Take it out of NODE_OPTIONS" },
  ])(
    "sends nothing under $name=$value, prints no credential, and says what to do",
    async ({ name, value, hint }) => {
      const before = world.service.seen.length + world.server.seen.length;
      const result = await runAuthz(["request", world.api], { env: { ...world.env, [name]: value } });
      expect(result.code).toBe(2);
      expect(result.stderr).toContain("Nothing was sent.");
      expect(result.stderr).toContain(hint);
      expect(world.service.seen.length + world.server.seen.length).toBe(before);
      for (const secret of secretsOf()) expect(result.stdout + result.stderr).not.toContain(secret);
    },
  );

  it("does not begin under a debugger, which others could use", async () => {
    const args = ["--inspect=127.0.0.1:0", authzProgram, "whoami", "--json"];
    const result = await runProcess(process.execPath, args, { env: world.env });
    expect([result.code, result.stderr]).toEqual([
      2,
      expect.stringContaining("Node was started with --inspect"),
    ]);
  });

  it("goes on under other debugging, and still helps under any", async () => {
    const own = await runAuthz(["whoami"], { env: { ...world.env, NODE_DEBUG: "myapp" } });
    expect([own.code, own.stderr]).toEqual([0, ""]);
    expect((await runAuthz(["--version"], { env: { ...world.env, NODE_DEBUG: "http" } })).code).toBe(0);
  });

  it("tells with --verbose what is sent and answered, and none of the secrets", async () => {
    world.service.tokens.clear();
    for (const grant of world.server.grants) grant.accessTokens.clear();
    const { api, server, service } = world;
    service.handle = async () => ({ status: 200, headers: { "x-request-id": "req-7" }, body: {} });
    const result = await world.run(["request", "--verbose", `${api}?customer=acme&token=hush`]);
    expect([result.code, result.stdout]).toEqual([0, "{}"]);
    const lines = result.stderr.trimEnd().split("\n");
    expect(lines).toEqual(
      expect.arrayContaining([
        `> GET ${api}?customer=…&token=…  with access token (DPoP), proof`,
        expect.stringMatching(/^< 200 after \d+ ms {2}x-request-id req-7$/),
        `> POST ${server.origin}/api/oauth/token  with refresh token to exchange, proof`,
        `> POST ${service.origin}/oauth/token  with identity assertion, proof`,
        expect.stringMatching(/^< 401 after \d+ ms$/),
      ]),
    );
    for (const secret of [...secretsOf(), "hush", "acme"]) expect(result.stderr).not.toContain(secret);
    const broken = await world.run(
      ["login", "--verbose", "--issuer", "http://127.0.0.1:1", "--profile", "x"],
      {
        env: { AUTHZ_TOKEN_STORE: "file" },
      },
    );
    expect(broken.stderr).toMatch(
      /^> GET http:\/\/127\.0\.0\.1:1\/\S+ {2}no credentials\n< no answer after \d+ ms: /m,
    );
  });
});
