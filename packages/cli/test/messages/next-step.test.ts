import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { forEachTest } from "../../../client/test/support/for-each-test.js";
import { githubConnection } from "../../../client/test/support/test-connections.js";
import { type Invocation, offer } from "../../src/messages/next-step.js";
import { programName, updateCommand } from "../../src/runtime.js";
import { type CommandResult, startCliWorld, visitAddress } from "../support/cli-world.js";

const invokedAs = "npx @authz/cli";
const example = "https://authz.example.com";

const world = forEachTest(startCliWorld);

/** What a hint offers, taken apart by a shell: variables and words after the program, or options to add. */
function offered(stderr: string): { variables: Record<string, string>; words: string[]; adds: boolean } {
  const line = stderr.trimEnd().split("\n").at(-1) ?? "";
  const text = /: ((?:[A-Z_]+=\S+ )*npx @authz\/cli .*|--.*)$/.exec(line)?.[1] ?? "null";
  const shell = 'printf "%s\\0" "$@"';
  const adds = text.startsWith("--");
  const command = adds ? text : text.replace(/^((?:[A-Z_]+=\S+ )*)npx @authz\/cli /, "$1run ");
  // A function of the shell prints the words it is given, with the variables that were set for it.
  const script = adds
    ? `set -- ${command}; ${shell}`
    : `run() { printenv -0; printf "\\0"; ${shell}; }; ${command}`;
  const output = execFileSync("sh", ["-c", script], { encoding: "utf8", env: { PATH: process.env["PATH"] } });
  if (adds) return { variables: {}, words: output.split("\0").slice(0, -1), adds };
  const [environment = "", words = ""] = output.split("\0\0");
  const variables = environment.split("\0").map((entry) => entry.split("="));
  return {
    variables: Object.fromEntries(variables.filter(([name]) => name?.startsWith("AUTHZ_"))) as Record<
      string,
      string
    >,
    words: words.split("\0").slice(0, -1),
    adds,
  };
}

interface Row {
  name: string;
  /** `API` stands for the address of the service's route. */
  args: string[];
  prepare?: () => unknown;
  /** The words that are offered. */
  words: string[];
  /** A person has to do something in a browser then: only whether the command is understood is looked at. */
  inBrowser?: boolean;
  /** What running them prints, and its exit code: 0 unless given. */
  says?: string;
  code?: number;
}

const inWork = ["--profile", "work"];
const read = ["--scope", "contracts:read"];

const refuse = (challenge: string): void => {
  world.service.handle = async () => ({
    status: 403,
    headers: { "www-authenticate": challenge },
    body: { error: "insufficient_scope" },
  });
};

/** Gives a permission, which the kept list then knows. */
const giveWrite = async (): Promise<void> => {
  world.service.registration.grantedScopes.push("contracts:write");
  await world.run(["scopes", ...inWork]);
};

const answers = (status: number, headers: Record<string, string> = {}): void => {
  world.service.handle = async () => ({ status, headers });
};
/** A service that wants a permission, which it takes from the token. */
const wantWrite = async (): Promise<void> => {
  await giveWrite();
  world.service.handle = async ({ headers }) => {
    const token = (headers.authorization ?? "").replace("DPoP ", "");
    return world.service.tokens.get(token)?.scope.includes("contracts:write") === true
      ? { status: 200 }
      : { status: 403, headers: { "www-authenticate": 'DPoP scope="contracts:write"' } };
  };
};
const busyTwice = (): void => {
  const busy = { status: 429, headers: { "retry-after": "7" } };
  world.service.fail("/api/contracts", busy, busy);
};
const connected = (change: object = {}): void => {
  world.server.connections.items.push({ ...githubConnection(), ...change });
};
const endSession = (): void => {
  for (const grant of world.server.grants) grant.revoked = true;
};

const why = (...scope: string[]): string[] => ["why", ...scope, "API", ...inWork];
const write = ["--scope", "contracts:write"];
const isMissing = { code: 4, says: "contracts:write is missing." };
const isGranted = { says: "You may do this: you have contracts:read." };
const repos = "https://api.github.example/user/repos";
const needsBoth = 'DPoP error="insufficient_scope", scope="contracts:read contracts:write"';
const invalidToken = { "www-authenticate": 'DPoP error="invalid_token"' };
const odd = "API/it's;$(id)&";

const requests: Row[] = [
  { name: "a permission that one lacks", args: [...write, "API"], words: why(...write), ...isMissing },
  {
    name: "a permission that the service says is missing",
    args: [...read, "API"],
    prepare: () => refuse(needsBoth),
    words: why(...write),
    ...isMissing,
  },
  {
    name: "a refusal that names no permission, and asks about the one that was used",
    args: [...read, "API"],
    prepare: () => refuse('DPoP error="insufficient_scope"'),
    words: why(...read),
    ...isGranted,
  },
  {
    name: "a refusal of a request that used the only permission there",
    args: ["API"],
    prepare: () => refuse("DPoP"),
    words: why(...read),
    ...isGranted,
  },
  {
    name: "an address that means something to a shell",
    args: [...read, odd],
    prepare: () => refuse("DPoP"),
    words: ["why", ...read, odd, ...inWork],
  },
  {
    name: "a permission that the request did not ask for",
    args: [...read, "API"],
    prepare: wantWrite,
    words: write,
  },
  { name: "no permission named where there are several", args: ["API"], prepare: giveWrite, words: read },
  { name: "a service that is busy", args: [...read, "API"], prepare: busyTwice, words: ["--retry", "3"] },
  {
    name: "an address that is not there",
    args: [...read, "API"],
    prepare: () => answers(404),
    words: ["skills", ...inWork],
  },
  {
    name: "a token that is not taken",
    args: [...read, "API"],
    prepare: () => answers(401, invalidToken),
    words: ["doctor", ...inWork],
    says: "Signed in as",
  },
  {
    name: "a third party without its connection",
    args: [repos],
    prepare: connected,
    words: ["--connection", "github"],
  },
  {
    name: "a connection to be connected again",
    args: ["--connection", "github", repos],
    prepare: () => connected({ state: "reconnect_required" }),
    words: ["connections", "connect", "github", ...inWork],
    inBrowser: true,
    says: "Connect your account, or connect it again",
  },
];
const disconnect = ["connections", "disconnect", "github"];
const others: Row[] = [
  { name: "a skill that is not there", args: ["skills", "show", "nothing"], words: ["skills", ...inWork] },
  {
    name: "a connection that is not there",
    args: ["connections", "show", "nothing"],
    words: ["connections", ...inWork],
  },
  {
    name: "a question that was not asked",
    args: disconnect,
    prepare: connected,
    words: [...disconnect, "--yes", ...inWork],
    says: "Disconnected from GitHub.",
  },
  {
    name: "a session that has ended",
    args: ["whoami"],
    prepare: endSession,
    words: ["login", ...inWork],
    inBrowser: true,
    says: "Sign in with a browser",
  },
  {
    name: "a profile that is signed in",
    args: ["config", "remove", "work"],
    words: ["logout", ...inWork],
    says: "Signed out.",
  },
  {
    name: "a word that is no command",
    args: ["skills", "shwo"],
    words: ["skills", "--help"],
    says: "List and read the instructions",
  },
];

describe("what is offered to be typed", () => {
  const rows = [...requests.map((row) => ({ ...row, args: ["request", ...row.args] })), ...others];
  it.each(rows)("after $name", async ({ args, prepare, words, inBrowser = false, says = "", code = 0 }) => {
    await world.login(...inWork);
    await world.run(["request", ...read, world.api, ...inWork]);
    await prepare?.();
    const put = (list: readonly string[]): string[] => list.map((word) => word.replace("API", world.api));
    const given = [...put(args), ...inWork];
    const failed = await world.run(given, { program: invokedAs });
    expect(failed.code).not.toBe(0);
    const next = offered(failed.stderr);
    expect(next.words).toEqual(put(words));
    const line = next.adds ? [...given, ...next.words] : [...next.words, ...(inBrowser ? ["--help"] : [])];
    const result: CommandResult = await world.run(line, { onPause: () => undefined });
    expect([result.code, result.stdout + result.stderr]).toEqual([code, expect.stringContaining(says)]);
  });

  it("after a sign-in without a keyring: the same sign-in, and it works", async () => {
    const server = world.server.origin;
    const args = ["login", "--no-browser", "--issuer", server, "--profile", "new"];
    const failed = await world.run(args, { program: invokedAs });
    const { variables, words } = offered(failed.stderr);
    expect([variables, words]).toEqual([{ AUTHZ_TOKEN_STORE: "file" }, args]);
    const login = await world.run(words, { env: variables, onStderr: visitAddress() });
    expect([login.code, (await world.run(["whoami", "--profile", "new"])).code]).toEqual([0, 0]);
  });

  it("before the first sign-in: a sign-in with the address of a server", async () => {
    const { stderr } = await world.run(["whoami"], { program: invokedAs, env: { AUTHZ_PROFILE: "fresh" } });
    expect(offered(stderr).words).toEqual(["login", "--issuer", example, "--profile", "fresh"]);
    const unknown = await world.run(["config", "use", "other"], { program: invokedAs });
    expect(offered(unknown.stderr).words).toEqual(["login", "--issuer", example, "--profile", "other"]);
  });

  it("to a model: the tool, and the command only where a person has to act", async () => {
    await world.login(...inWork);
    const ask = async (name: string, args: object): Promise<string> => {
      const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const { stdout } = await world.run(["mcp", ...inWork], {
        program: invokedAs,
        stdin: JSON.stringify(message),
      });
      return (JSON.parse(stdout) as { result: { content: [{ text: string }] } }).result.content[0].text;
    };
    const denied = await ask("request", { url: world.api, scopes: ["contracts:write"] });
    const scopes = /call explain with this url and scopes (".*")\.$/.exec(denied)?.[1] ?? "null";
    expect(
      JSON.parse(await ask("explain", { url: world.api, scopes: JSON.parse(scopes) as string })),
    ).toMatchObject({
      verdict: expect.stringMatching(/^contracts:write is missing\./),
    });
    refuse('DPoP error="insufficient_scope", error_description="Only on weekdays", scope="contracts:write"');
    expect(JSON.parse(await ask("request", { url: world.api, scopes: ["contracts:read"] }))).toMatchObject({
      problem: {
        hint: `See what is missing, and whom to ask: call explain with this url and scopes "contracts:write".`,
        quote: { by: new URL(world.api).host, text: "Only on weekdays" },
      },
    });
    expect(await ask("read_skill", { id: "nothing" })).toMatch(/call find_skills\.$/);
    endSession();
    expect(await ask("find_skills", {})).toMatch(
      /A person has to run this in a terminal: npx @authz\/cli login --profile work$/,
    );
  });
});

describe("a command that is offered", () => {
  const invocation: Invocation = {
    program: "authz",
    platform: "win32",
    profile: undefined,
    login: { words: [], variables: {} },
  };

  it("is quoted for PowerShell on Windows", () => {
    expect(offer({ do: "explain", url: "https://a.example/it's;x", scopes: ["a:b"] }, invocation)).toBe(
      "authz why --scope a:b 'https://a.example/it''s;x'",
    );
    expect(offer({ do: "connect", connection: "a\u2019; calc; \u2018" }, invocation)).toBe(
      "authz connections connect 'a\u2019\u2019; calc; \u2018\u2018'",
    );
    expect(offer({ do: "sign_in", inFile: true }, invocation)).toBe(
      "$env:AUTHZ_TOKEN_STORE='file'; authz login",
    );
  });

  for (const [script, program, update] of [
    ["/usr/bin/authz", "authz", "npm install --global @authz/cli"],
    ["C:\\npm\\node_modules\\@authz\\cli\\bin\\authz.js", "authz", "npm install --global @authz/cli"],
    ["/home/a/.npm/_npx/1f2e/node_modules/.bin/authz", "npx @authz/cli", "npx @authz/cli@latest"],
    [
      "C:\\a\\_npx\\1f2e\\node_modules\\@authz\\cli\\bin\\authz.js",
      "npx @authz/cli",
      "npx @authz/cli@latest",
    ],
    ["/tmp/pnpm/dlx-12/node_modules/.bin/authz", "pnpm dlx @authz/cli", "pnpm dlx @authz/cli@latest"],
    ["/tmp/bunx-0-@authz/cli@latest/node_modules/.bin/authz", "bunx @authz/cli", "bunx @authz/cli@latest"],
    ["/srv/project/node_modules/.bin/authz", "npx @authz/cli", "npx @authz/cli@latest"],
  ] as const) {
    it(`begins with ${program} where Node was started with ${script}`, () => {
      expect([programName(script), updateCommand(programName(script))]).toEqual([program, update]);
    });
  }
});
