import { beforeEach, describe, expect, it } from "vitest";
import { forEachTest } from "../../../client/test/support/for-each-test.js";
import { startCliWorld } from "../support/cli-world.js";

const world = forEachTest(startCliWorld);
beforeEach(() => {
  world.server.skills.push(
    {
      id: "contracts.list",
      title: "List contracts",
      tags: [],
      requiredScopes: ["contracts:read"],
      allowed: true,
      resource: "contracts",
      content: "# List contracts\n\nRun this.\n",
    },
    {
      id: "contracts.sign",
      title: "Sign \u202econtracts\u001b[31m",
      tags: [],
      requiredScopes: ["contracts:write"],
      allowed: false,
      resource: "contracts",
      content: "# Sign\u001b]0;title\u0007\u200b\n",
    },
  );
});

/** Untrusted text, between two lines with one number. */
function inFrame(text: string): unknown {
  const number = /^--- ([\da-f]{16}): what "contracts" published, /;
  return expect.toSatisfy((shown: string) => {
    const [begin = "", ...rest] = shown.split("\n");
    return rest.join("\n") === `${text}--- ${number.exec(begin)?.[1] ?? ""}: end ---\n`;
  });
}

describe("authz whoami", () => {
  it("shows the person as the server knows them", async () => {
    await world.login();
    const text = await world.run(["whoami"]);
    expect(text.stdout).toContain("Ada Lovelace");
    expect(text.stdout).toContain(`Acme (${world.server.origin})`);
    const json = await world.run(["whoami", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      subject: "user-ada",
      email: "ada@acme.example",
      name: "Ada Lovelace",
      installation: { name: "Acme" },
      issuer: world.server.origin,
      profile: "default",
    });
  });

  it("is not taken for another command by the name of a profile before it", async () => {
    const { code, stdout } = await world.run(["--profile", "skills", "status"]);
    expect([code, stdout]).toEqual([3, expect.stringContaining("Profile  skills")]);
  });

  it("says that a sign-in is needed, before and after", async () => {
    const before = await world.run(["whoami", "--json"]);
    expect([before.code, before.stdout]).toEqual([3, ""]);
    expect(JSON.parse(before.stderr)).toMatchObject({ code: "not_signed_in" });
    await world.login();
    for (const grant of world.server.grants) grant.revoked = true;
    const after = await world.run(["whoami"]);
    expect([after.code, after.stderr.trimEnd().split("\n").length]).toEqual([3, 3]);
    expect(after.stderr).toContain("Your session has ended.");
  });
});

describe("authz skills", () => {
  it("lists the skills as tab-separated lines, a table, or JSON", async () => {
    await world.login();
    const lines = await world.run(["skills"]);
    expect(lines.stdout).toBe(
      'contracts.list\tyes\t"List contracts"\ncontracts.sign\tno\t"Sign \\u{202e}contracts\\u{1b}[31m"\n',
    );
    const table = await world.run(["skills", "list"], { terminal: true });
    expect(table.stdout.split("\n").slice(0, 2)).toEqual([
      "ID              ALLOWED  TITLE",
      'contracts.list  yes      "List contracts"',
    ]);
    const json = await world.run(["skills", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      items: [
        { id: "contracts.list", allowed: true },
        { id: "contracts.sign", allowed: false, title: "Sign \u202econtracts\u001b[31m" },
      ],
    });
    // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
    expect(json.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });

  it("prints the instructions of one, cleaned, and warns when a permission is missing", async () => {
    await world.login();
    const list = await world.run(["skills", "show", "contracts.list"]);
    expect([list.stdout, list.stderr]).toEqual([inFrame("# List contracts\n\nRun this.\n"), ""]);
    const sign = await world.run(["skills", "show", "contracts.sign"]);
    expect(sign.stdout).toEqual(inFrame("# Sign\\u{1b}]0;title\\u{7}\\u{200b}\n"));
    expect(sign.stderr).toContain("contracts:write");
    const json = await world.run(["skills", "show", "contracts.list", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      id: "contracts.list",
      content: "# List contracts\n\nRun this.\n",
    });
  });

  it("offers no command that a service or an address wrote", async () => {
    await world.login();
    const skill = world.server.skills[1];
    if (skill === undefined) throw new Error("There is no second skill.");
    world.service.registration.requestPrefixes.unshift(`${world.service.origin}/api/$(id);id`);
    const offered = await world.run(["skills", "show", "contracts.sign"]);
    expect(offered.stderr).toContain(
      `authz why --scope contracts:write '${world.service.origin}/api/$(id);id'\n`,
    );
    skill.requiredScopes = ["contracts:write", "x:$(id)"];
    for (const args of [
      ["skills"],
      ["skills", "show", "contracts.sign"],
      ["skills", "pull", "contracts.sign"],
    ]) {
      const refused = await world.run(args);
      expect([args.join(" "), refused.code, refused.stdout]).toEqual([args.join(" "), 1, ""]);
      expect(refused.stderr).toContain('"requiredScopes" must be a list of "namespace:permission"');
      expect(refused.stderr).not.toContain("$(id)");
    }
  });

  it("says when there is none", async () => {
    await world.login();
    world.server.skills.length = 0;
    const none = await world.run(["skills"]);
    expect([none.code, none.stdout]).toEqual([0, ""]);
    expect(none.stderr).toContain("No service has published a skill for you yet.");
    const unknown = await world.run(["skills", "show", "nothing"]);
    expect([unknown.code, unknown.stderr.split("\n")[0]]).toEqual([1, 'There is no skill "nothing".']);
  });
});

describe("authz logout", () => {
  it("ends the session on the server and here", async () => {
    await world.login();
    expect(JSON.parse((await world.run(["logout", "--json"])).stdout)).toEqual({
      signedOut: true,
      revoked: true,
    });
    expect(world.server.grants[0]?.revoked).toBe(true);
    const again = await world.run(["logout"]);
    expect([again.code, again.stderr]).toEqual([0, "You were not signed in.\n"]);
    expect((await world.run(["whoami"])).stderr).toContain("Sign in: authz login");
  });

  it("says when the server could not be told", async () => {
    await world.login();
    world.server.fail("/api/oauth/revoke", { status: 503 });
    const result = await world.run(["logout"]);
    expect([result.code, result.stderr.split("\n")[0]]).toEqual([0, "Signed out on this computer."]);
  });

  for (const { name, args, env } of [
    { name: "in an option", args: ["logout", "--profile", "nope"], env: {} },
    { name: "in the environment", args: ["logout"], env: { AUTHZ_PROFILE: "nope" } },
  ]) {
    it(`names the profiles when one is named that is not there, ${name}, and ends nothing`, async () => {
      await world.login();
      const result = await world.run(args, { env });
      expect([result.code, result.stderr]).toEqual([
        2,
        'There is no profile "nope".\nAvailable: default.\nSee the profiles: authz config\n',
      ]);
      expect(world.server.grants[0]?.revoked).toBe(false);
    });
  }

  it("has nothing to do before a sign-in", async () => {
    expect(await world.run(["logout"])).toEqual({ code: 0, stdout: "", stderr: "You were not signed in.\n" });
  });
});
