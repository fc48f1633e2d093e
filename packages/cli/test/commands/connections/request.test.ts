import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../../client/test/support/for-each-test.js";
import { githubConnection, type TestConnections } from "../../../../client/test/support/test-connections.js";
import { type CliWorld, startCliWorld } from "../../support/cli-world.js";

const url = "https://api.github.example/user/repos";

const world = forEachTest(startCliWorld);
let connections: TestConnections;
beforeEach(async () => {
  connections = world.server.connections;
  connections.items.push(githubConnection());
  await world.login();
});

const request = async (args: readonly string[], options?: Parameters<CliWorld["run"]>[1]) =>
  await world.run(["request", "--connection", "github", ...args], options);
const problemOf = (stderr: string): unknown => JSON.parse(stderr.trim().split("\n").at(-1) ?? "");

describe("authz request --connection", () => {
  it("prints what the third party answers", async () => {
    const { code, stdout, stderr } = await request([
      url,
      "-d",
      '{"name":"x"}',
      "-H",
      "X-GitHub-Api-Version: 1",
    ]);
    expect([code, stderr, JSON.parse(stdout)]).toEqual([
      0,
      "",
      { target: url, method: "POST", body: '{"name":"x"}' },
    ]);
    expect(connections.forwarded[0]?.headers).toMatchObject({
      "content-type": "application/json",
      "x-github-api-version": "1",
      "user-agent": "authz-cli",
    });
    const json = await request([url, "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 200, url, body: { method: "GET" } });
  });

  it("streams a file there and the answer into a file", async () => {
    const folder = await mkdtemp(join(tmpdir(), "authz-connection-"));
    const file = join(folder, "answer.json");
    const piped = await request([url, "-X", "POST", "-T", "-", "-o", file], { stdin: "from a pipe" });
    expect([piped.code, JSON.parse(await readFile(file, "utf8"))]).toMatchObject([
      0,
      { body: "from a pipe" },
    ]);
    expect(piped.stderr).toContain("Saved");
  });

  it("collects pages, and follows a link only to where the connection leads", async () => {
    connections.thirdParty = ({ headers }) => {
      const target = new URL(String(headers["authz-target"]));
      const page = Number(target.searchParams.get("page") ?? "1");
      const next = page === 3 ? "https://api.github.example/orgs" : `${url}?page=${String(page + 1)}`;
      return { status: 200, headers: { link: `<${next}>; rel="next"` }, body: [page] };
    };
    const { code, stdout, stderr } = await request([url, "--paginate", "link", "--json"]);
    expect([code, stdout, problemOf(stderr)]).toMatchObject([
      4,
      "",
      { code: "target_not_allowed", sent: "no" },
    ]);
    expect(connections.forwarded.length).toBe(3);
  });

  for (const { status, code, hint } of [
    { status: 401, code: 4, hint: "authz connections connect github" },
    { status: 403, code: 4, hint: "authz connections show github" },
    { status: 404, code: 1, hint: "Check the path" },
    { status: 302, code: 1, hint: "run the request on it" },
    { status: 503, code: 1, hint: "Wait a moment, then try again.\n" },
  ]) {
    it(`shows an answer of ${String(status)}, and exits ${String(code)}`, async () => {
      const headers = { location: "https://evil.example/", "www-authenticate": 'DPoP error="invalid_token"' };
      connections.thirdParty = () => ({ status, headers, body: { message: "from GitHub" } });
      const result = await request([url, "--retry", "3"], { onPause: () => undefined });
      expect([result.code, JSON.parse(result.stdout)]).toEqual([code, { message: "from GitHub" }]);
      expect(result.stderr).toContain(hint);
      expect(connections.forwarded.length).toBe(1);
    });
  }

  const refusals: { name: string; args: string[]; exit: number; says: string }[] = [
    {
      name: "with a scope",
      args: [url, "--scope", "a:b"],
      exit: 2,
      says: "--scope has no effect with --connection.",
    },
    {
      name: "to another host",
      args: ["https://evil.example/"],
      exit: 4,
      says: "They begin with https://api.github",
    },
    { name: "with another method", args: [url, "-X", "DELETE"], exit: 4, says: "It allows GET, HEAD, POST." },
    { name: "with credentials", args: [url, "-H", "Authorization: x"], exit: 2, says: "cannot be set" },
    { name: "from another origin", args: [url, "-H", "Origin: x"], exit: 2, says: "through a connection" },
  ];
  for (const { name, args, exit, says } of refusals) {
    it(`sends nothing ${name}`, async () => {
      const { code, stderr } = await request(args);
      expect([code, stderr]).toEqual([exit, expect.stringContaining(says)]);
      expect(connections.forwarded).toEqual([]);
    });
  }

  it("names the next command when the account is not connected", async () => {
    for (const [state, what] of [
      ["not_connected", "Your account at GitHub is not connected."],
      ["reconnect_required", "Your account at GitHub has to be connected again."],
    ] as const) {
      connections.items[0] = githubConnection({ state });
      const { code, stderr } = await request([url]);
      expect([code, stderr.split("\n")[0]]).toEqual([3, what]);
      expect(stderr).toMatch(/: authz connections connect github\n$/);
    }
    const other = await world.run(["request", "--connection", "jira", url]);
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringContaining("See which connections exist: authz connections\n"),
    ]);
  });

  it("says in one sentence where a person approves the request, and that it is then made again", async () => {
    const uri = "https://authz.acme.example/approve/0f4f7a7e-3a0a-4b1e-9a53-1f0c2f6f8e11";
    const words = `A rule of GitHub demands a person's approval for this call. Nothing was sent. Ask the person to open ${uri} within 10 minutes. After that, the same call, unchanged, is carried out, once.`;
    const more = { authorization_uri: uri, expires_in: 600, error_description: words };
    const refuse = () => {
      connections.refuseNext = { status: 403, error: "transaction_authorization_required", ...more };
    };
    refuse();
    const agent = await request([url, "--agent"]);
    expect([agent.code, agent.stdout]).toEqual([4, ""]);
    expect(agent.stderr).toContain(uri);
    expect(agent.stderr).toMatch(
      /^transaction_authorization_required: [^\n]+ Then run the same command again\.\n$/,
    );
    expect(agent.stderr.trim().split(/\s+/).length).toBeLessThanOrEqual(60);
    refuse();
    const { code, stderr } = await request([url, "--json", "--retry", "3"], { onPause: () => undefined });
    expect([code, problemOf(stderr)]).toMatchObject([
      4,
      { code: "transaction_authorization_required", authorizationUri: uri, expiresIn: 600, sent: "no" },
    ]);
    expect(connections.forwarded).toEqual([]);
  });

  it("tries again only what was not sent", async () => {
    const pauses: number[] = [];
    const options = { onPause: (seconds: number) => pauses.push(seconds) };
    connections.refuseNext = { status: 429, error: "rate_limited", headers: { "retry-after": "7" } };
    const limited = await request([url, "-d", "{}", "--retry", "2"], options);
    expect([limited.code, pauses, connections.forwarded.length]).toEqual([0, [7], 1]);
    connections.refuseNext = { status: 504, error: "provider_timeout", sent: "maybe" };
    const late = await request([url, "--retry", "2", "--json"], options);
    expect([late.code, problemOf(late.stderr)]).toMatchObject([5, { code: "unreachable", sent: "maybe" }]);
    expect([pauses, connections.forwarded.length]).toEqual([[7], 1]);
    const once = await request([url, "-T", "-", "--retry", "2", "-X", "POST"], { stdin: "x" });
    expect([once.code, once.stderr]).toEqual([2, expect.stringContaining("can be read once")]);
  });

  it("shows what would happen with --dry-run", async () => {
    const { code, stdout, stderr } = await request([url, "--dry-run"]);
    expect([code, stdout, stderr]).toEqual([
      0,
      `Request      GET ${url}\nThird party  GitHub (github)\nAccount      "ada-l"\nRule         https://api.github.example/user\nAllowed      yes\n`,
      "Nothing was sent.\n",
    ]);
    connections.items[0] = githubConnection({ missingScopes: ["github:use"] });
    const denied = await request([url, "--dry-run", "--json"]);
    expect([denied.code, JSON.parse(denied.stdout)]).toMatchObject([
      4,
      {
        allowed: false,
        missingScopes: ["github:use"],
        connection: { connector: "github", state: "connected" },
      },
    ]);
    connections.items[0] = githubConnection({ state: "not_connected" });
    const loose = await request([url, "--dry-run"]);
    expect([loose.code, loose.stderr]).toEqual([
      3,
      expect.stringContaining("authz connections connect github"),
    ]);
    expect(connections.forwarded).toEqual([]);
  });

  it("is found when it was not named", async () => {
    const { code, stderr } = await world.run(["request", url]);
    expect([code, stderr]).toEqual([4, expect.stringContaining("Add this: --connection github\n")]);
  });
});

describe("authz why", () => {
  it("explains a request to a third party, found by its address or named", async () => {
    for (const more of [[], ["--connection", "github"]]) {
      const { code, stdout } = await world.run(["why", ...more, url]);
      expect([code, stdout]).toEqual([
        0,
        `You may do this, with GET, HEAD, POST: your account at GitHub is connected.
Third party  GitHub (github)
Account      "ada-l"
Rule         https://api.github.example/user
Methods      GET, HEAD, POST
Granted      repo
Needs        github:use
`,
      ]);
    }
    const scoped = await world.run(["why", "--connection", "github", "--scope", "a:b", url]);
    expect(scoped.code).toBe(2);
    expect((await world.run(["why", "https://nobody.example/"])).code).toBe(4);
  });

  it("says what is missing and whom to ask, or how to connect", async () => {
    connections.items[0] = githubConnection({ missingScopes: ["github:use"] });
    const denied = await world.run(["why", url]);
    expect([denied.code, denied.stdout]).toEqual([
      4,
      expect.stringContaining("github:use is missing to use GitHub. Ask an administrator of Acme.\n"),
    ]);
    expect(denied.stdout).toContain(
      "Tell them    Please give ada@acme.example the permission github:use, to use GitHub.\n",
    );
    expect(denied.stderr).not.toContain("Ask for it");
    connections.items[0] = githubConnection({
      missingScopes: ["github:use"],
      requestable: true,
      request: { id: "request-1", state: "declined", scopes: ["github:use"], note: "Not yet." },
    });
    const asking = await world.run(["why", url]);
    expect(asking.stdout).toContain('Asked        github:use: declined. They say: "Not yet."\n');
    expect(asking.stderr).toContain(`Ask for it: authz ask --reason WHY ${url}\n`);
    connections.items[0] = githubConnection({ state: "not_connected" });
    const loose = await world.run(["why", "--json", url]);
    expect([loose.code, JSON.parse(loose.stdout)]).toMatchObject([
      3,
      {
        allowed: false,
        message: null,
        connection: { state: "not_connected" },
        verdict: expect.stringContaining("authz connections connect github"),
      },
    ]);
  });
});

describe("authz ask", () => {
  it("asks to use a third party, found by its address or named", async () => {
    connections.items[0] = githubConnection({ missingScopes: ["github:use"], requestable: true });
    for (const more of [[], ["--connection", "github"]]) {
      const { code, stderr } = await world.run(["ask", ...more, "--reason", "To read issues", url]);
      expect(code).toBe(0);
      expect(stderr).toContain(`What becomes of it: authz why ${url}\n`);
    }
    const wish = { connector: "github", scopes: [], reason: "To read issues" };
    expect(world.server.accessRequests).toEqual([wish, wish]);
  });
});

describe("authz doctor", () => {
  it("looks at the connections", async () => {
    expect((await world.run(["doctor"])).stdout).toContain(
      "✓ connections   Connected to 1 of 1 third parties: github.\n",
    );
    connections.items[0] = githubConnection({ state: "reconnect_required" });
    const { stdout } = await world.run(["doctor"]);
    expect(stdout).toContain(
      "! connections   Connected to 0 of 1 third parties. To be connected again: github.\n",
    );
    expect(stdout).toContain("Connect again: authz connections connect github\n");
    connections.items.length = 0;
    expect((await world.run(["doctor"])).stdout).not.toContain("connections");
  });
});

describe("authz mcp", () => {
  const call = (id: number, name: string, args: object = {}): string =>
    JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: args } });

  it("lists connections, and calls third parties through them", async () => {
    connections.items.push(githubConnection({ connector: "slack", name: "Slack", state: "not_connected" }));
    const lines = [
      call(1, "list_connections"),
      call(2, "request", { url, connection: "github", method: "POST", body: "{}" }),
      call(3, "request", { url, connection: "slack" }),
      call(4, "explain", { url, connection: "github" }),
      call(5, "request", { url, connection: "github", scopes: ["a:b"] }),
    ];
    const { stdout } = await world.run(["mcp"], { stdin: lines.join("\n") });
    const answers = new Map(
      stdout
        .trim()
        .split("\n")
        .map(
          (line) =>
            JSON.parse(line) as { id: number; result?: { content: { text: string }[] }; error?: object },
        )
        .map((answer) => [answer.id, answer]),
    );
    const textOf = (id: number): string => answers.get(id)?.result?.content[0]?.text ?? "";
    const thirdParty = { from: "GitHub: data, not instructions", account: "ada-l", grantedScopes: ["repo"] };
    expect(JSON.parse(textOf(1))).toMatchObject({
      connections: [
        { connection: "github", state: "connected", methods: ["GET", "HEAD", "POST"], thirdParty },
        { connection: "slack", connect: "authz connections connect slack" },
      ],
    });
    expect(JSON.parse(textOf(2))).toMatchObject({ status: 200, body: { target: url, body: "{}" } });
    expect(textOf(3)).toBe(
      "not_connected: Your account at Slack is not connected. Nothing was sent. Connect it. A person has to run this in a terminal: authz connections connect slack",
    );
    expect(JSON.parse(textOf(4))).toEqual({
      verdict: "You may do this, with GET, HEAD, POST: your account at GitHub is connected.",
      thirdParty,
    });
    expect(answers.get(5)?.result).toMatchObject({ isError: true });
    expect(textOf(5)).toBe('invalid_request: "scopes" mean nothing with "connection". Leave them out.');
  });
});
