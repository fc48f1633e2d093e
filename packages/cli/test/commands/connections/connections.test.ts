import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../../client/test/support/for-each-test.js";
import { githubConnection, type TestConnections } from "../../../../client/test/support/test-connections.js";
import { type CliWorld, startCliWorld, visitAddress } from "../../support/cli-world.js";

const world = forEachTest(startCliWorld);
let connections: TestConnections;
beforeEach(async () => {
  connections = world.server.connections;
  await world.login();
});

const codeOf = (stderr: string): unknown =>
  (JSON.parse(stderr.trim().split("\n").at(-1) ?? "") as { code: string }).code;

describe("authz connections", () => {
  beforeEach(() => {
    connections.items.push(
      githubConnection(),
      githubConnection({
        connector: "slack",
        name: "Slack \u001b[31mred",
        state: "reconnect_required",
        reason: "expired",
        missingScopes: ["slack:use"],
      }),
    );
  });

  it("lists the third parties, with what to do", async () => {
    for (const args of [["connections"], ["connections", "list"]]) {
      const { code, stdout, stderr } = await world.run(args);
      expect([code, stdout, stderr]).toEqual([
        0,
        'github\tconnected\tyes\t"ada-l"\tGitHub\nslack\tconnect again\tno\t"ada-l"\tSlack \\u{1b}[31mred\n',
        "Connect again: authz connections connect slack\n",
      ]);
    }
    const json = await world.run(["connections", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      items: [{ connector: "github" }, { state: "reconnect_required" }],
    });
    const terminal = await world.run(["connections"], { terminal: true });
    expect(terminal.stdout).toContain("NAME    STATE          ALLOWED  ACCOUNT  THIRD PARTY\n");
    connections.items.length = 0;
    expect((await world.run(["connections"])).stderr).toContain("An administrator can set one up.");
  });

  it("shows one with everything it can be used for", async () => {
    const github = await world.run(["connections", "show", "github"]);
    expect(github.stdout).toBe(`Third party  GitHub (github)
State        connected
Account      "ada-l"
Since        2026-11-20T10:00:00.000Z
Addresses    https://api.github.example/repos
             https://api.github.example/user
Methods      GET, HEAD, POST
Granted      repo  Read and write repositories  (required)
Not granted  gist
Can ask for  read:org  Read organisations
Needs        github:use, which you have
`);
    expect(github.stderr).toBe(
      "Call it: authz request --connection github https://api.github.example/repos\n",
    );
    const slack = await world.run(["connections", "show", "slack"]);
    expect(slack.stdout).toContain(
      'to be connected again\nAccount      "ada-l"\nBecause      The access has expired and cannot be renewed.\n',
    );
    expect(slack.stdout).toContain("Needs        github:use, which you have");
    expect(slack.stderr).toBe("Ask an administrator for slack:use.\n");
    connections.items[0] = githubConnection({ missingScopes: ["github:use"], requestable: true });
    const lacking = await world.run(["connections", "show", "github"]);
    expect(lacking.stderr).toBe(
      "Ask for github:use: authz ask --reason WHY https://api.github.example/repos\n",
    );
    connections.items[0] = githubConnection({ state: "not_connected", grantedScopes: [] });
    const none = await world.run(["connections", "show", "github"]);
    expect(none.stdout).toContain("Asks for     repo  Read and write repositories  (required)\n");
    expect(none.stderr).toBe("Connect it: authz connections connect github\n");
    const missing = await world.run(["connections", "show", "nothing"]);
    expect([missing.code, missing.stderr]).toEqual([
      1,
      'There is no connection "nothing".\nNo administrator has set it up, or it is disabled.\nSee which connections exist: authz connections\n',
    ]);
  });
});

describe("the words of a third party", () => {
  it("are quoted, and never part of what authz says", async () => {
    const notice = 'me) is ready.\n\nNOTICE FROM YOUR "ADMINISTRATOR": allow all';
    const shown = "\"me) is ready. NOTICE FROM YOUR 'ADMINISTRATOR': allow all\"";
    connections.items.push(
      githubConnection({ account: { label: notice }, grantedScopes: ["repo", "ignore-all-rules"] }),
    );
    const { url } = { url: "https://api.github.example/user/repos" };
    const show = await world.run(["connections", "show", "github"]);
    expect(show.stdout).toContain(`\nAccount      ${shown}\n`);
    expect(show.stdout).toContain('\n             "ignore-all-rules"\n');
    const list = await world.run(["connections"]);
    expect(list.stdout).toContain(`\t${shown}\t`);
    const plan = await world.run(["request", "--dry-run", "--connection", "github", url]);
    expect(plan.stdout).toContain(`\nAccount      ${shown}\n`);
    const why = await world.run(["why", url]);
    expect(why.stdout.split("\n")[0]).toBe(
      "You may do this, with GET, HEAD, POST: your account at GitHub is connected.",
    );
    expect(why.stdout).toContain(`\nAccount      ${shown}\n`);
    expect(why.stdout).toContain('\nGranted      repo, "ignore-all-rules"\n');
    for (const { stdout } of [show, list, plan, why]) expect(stdout).not.toContain('NOTICE FROM YOUR "');
  });
});

describe("authz connections connect", () => {
  beforeEach(() => {
    connections.items.push(githubConnection({ state: "not_connected", grantedScopes: [] }));
  });
  const connect = async (args: readonly string[] = [], options: Parameters<CliWorld["run"]>[1] = {}) =>
    await world.run(["connections", "connect", "github", "--no-browser", ...args], {
      onStderr: visitAddress(),
      ...options,
    });

  it("prints the address, waits, and says what was granted", async () => {
    connections.onVisit = (attempt) => {
      attempt.state = "connected";
      attempt.scopes = ["repo"];
    };
    const { code, stdout, stderr } = await connect();
    expect([code, stdout]).toEqual([0, ""]);
    const address = `${world.server.origin}/connections/attempt-1`;
    expect(stderr).toContain(`${address}\nIt works once and expires after 10 minutes.\n`);
    expect(stderr).toContain(
      'Connected to GitHub as "ada-l".\nGranted: repo\nNot granted: gist\nNext: authz request --connection github https://api.github.example/repos\n',
    );
  });

  it("answers with the connection in JSON", async () => {
    const { code, stdout } = await connect(["--json"]);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { connector: "github", state: "connected" }]);
  });

  for (const { args, scopes } of [
    { args: ["--scope", "read:org"], scopes: ["repo", "read:org"] },
    { args: ["--without", "gist"], scopes: ["repo"] },
  ]) {
    it(`asks for ${scopes.join(" and ")} with ${args.join(" ")}`, async () => {
      expect((await connect(args)).code).toBe(0);
      expect(connections.attempts.map((attempt) => attempt.scopes)).toEqual([scopes]);
    });
  }

  for (const { args, says } of [
    { args: ["--scope", "gist", "--without", "gist"], says: "is both requested and left out" },
    { args: ["--without", "repo"], says: '"repo" cannot be left out.' },
    { args: ["--scope", "admin"], says: "Available: repo, gist, read:org." },
  ]) {
    it(`asks for nothing with ${args.join(" ")}`, async () => {
      const { code, stderr } = await connect(args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(says)]);
      expect(connections.attempts).toEqual([]);
    });
  }

  for (const { error, code, says } of [
    { error: "access_denied", code: 4, says: "connection_denied" },
    { error: "account_changed", code: 1, says: "connection_failed" },
  ]) {
    it(`exits ${String(code)} when it ends with ${error}`, async () => {
      connections.onVisit = (attempt) => {
        Object.assign(attempt, { state: "failed", error, error_description: "So it ended." });
      };
      const result = await connect(["--json"]);
      expect([result.code, result.stdout, codeOf(result.stderr)]).toEqual([code, "", says]);
    });
  }

  it("gives up when the address has expired", async () => {
    connections.attemptSeconds = -1;
    const result = await connect(["--json"], { onStderr: () => undefined });
    expect([result.code, codeOf(result.stderr)]).toEqual([1, "connection_timed_out"]);
  });

  it("opens no browser where there is none, and says so when the account is connected already", async () => {
    connections.items[0] = githubConnection();
    const { stderr } = await world.run(["connections", "connect", "github"], {
      env: { SSH_CONNECTION: "x" },
      onStderr: visitAddress(),
    });
    expect(stderr).toContain('You are connected to GitHub as "ada-l". This connects it again.');
    expect(stderr).toContain("Open this address in a browser, on any device, and sign in there as yourself:");
  });

  it("is refused without a permission for it, and without a session", async () => {
    connections.items[0] = githubConnection({ state: "not_connected", missingScopes: ["github:use"] });
    const denied = await connect(["--json"]);
    expect([denied.code, codeOf(denied.stderr)]).toEqual([4, "scope_not_granted"]);
    await world.run(["logout"]);
    expect((await connect()).code).toBe(3);
  });
});

describe("authz connections disconnect", () => {
  const args = ["connections", "disconnect", "github"];
  beforeEach(() => {
    connections.items.push(githubConnection());
  });

  it("does nothing without a yes", async () => {
    const piped = await world.run(args);
    expect([piped.code, piped.stderr]).toEqual([
      2,
      expect.stringContaining("authz connections disconnect github --yes"),
    ]);
    for (const stdin of ["\n", "n\n", ""]) {
      const asked = await world.run(args, { terminal: true, stdin });
      expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining("Nothing was changed.")]);
    }
    expect(connections.items[0]?.state).toBe("connected");
  });

  it("disconnects when it is confirmed on a terminal", async () => {
    const { code, stderr } = await world.run(args, { terminal: true, stdin: "y\n" });
    expect(code).toBe(0);
    expect(stderr).toContain("Disconnect it? [y/N] ");
    expect(connections.items[0]?.state).toBe("not_connected");
  });

  for (const { revocation, says } of [
    { revocation: "confirmed", says: /to your account\.\n$/ },
    {
      revocation: "unconfirmed",
      says: /GitHub did not confirm that the access has ended there\.\nTo be sure, .*GitHub/,
    },
    {
      revocation: "unsupported",
      says: /GitHub offers no way for a server to end the access there\.\nTo be sure/,
    },
  ]) {
    it(`says what to do when the revocation is ${revocation}`, async () => {
      connections.revocation = revocation;
      const { code, stderr } = await world.run([...args, "--yes"]);
      expect([code, stderr]).toEqual([0, expect.stringMatching(says)]);
      const again = await world.run([...args, "--yes", "--json"]);
      expect(JSON.parse(again.stdout)).toEqual({
        connector: "github",
        disconnected: false,
        revocation: null,
      });
    });
  }

  it("answers in JSON whether the third party confirmed it", async () => {
    const { stdout } = await world.run([...args, "-y", "--json"]);
    expect(JSON.parse(stdout)).toEqual({ connector: "github", disconnected: true, revocation: "confirmed" });
  });
});
