import { describe, expect, it } from "vitest";
import { forEachTest } from "../../../client/test/support/for-each-test.js";
import { startSignedInWorld } from "../support/cli-world.js";

const world = forEachTest(startSignedInWorld);

describe("authz scopes", () => {
  it("lists every permission and whether one has it", async () => {
    const { stdout } = await world.run(["scopes"]);
    const address = `${world.service.origin}/api`;
    expect(stdout).toBe(
      `contracts\tcontracts:read\tyes\t${address}\ncontracts\tcontracts:write\tno\t${address}\n`,
    );
    const json = await world.run(["scopes", "--json"]);
    expect(JSON.parse(json.stdout)).toEqual({
      items: [
        {
          resource: "contracts",
          name: "Service contracts",
          requestPrefixes: [address],
          scopes: [
            { scope: "contracts:read", granted: true },
            { scope: "contracts:write", granted: false },
          ],
        },
      ],
    });
  });

  it("says when no service is registered", async () => {
    world.server.services.length = 0;
    expect((await world.run(["scopes"])).stderr).toContain("No service is registered yet.");
  });
});

describe("authz why", () => {
  it("names what is missing and whom to ask, and exits 4", async () => {
    const result = await world.run(["why", "--scope", "contracts:write", world.api]);
    expect(result.code).toBe(4);
    expect(result.stdout).toContain("contracts:write is missing. Ask an administrator of Acme.");
    expect(result.stdout).toContain(`${world.service.origin}/api`);
    const message = "Please give ada@acme.example the permission contracts:write for Service contracts.";
    expect(result.stdout).toContain(`Tell them  ${message}`);
    const json = await world.run(["why", "--json", "--scope", "contracts:write", world.api]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      allowed: false,
      missingScopes: ["contracts:write"],
      grantedScopes: ["contracts:read"],
      granted: [],
      missing: [{ scope: "contracts:write", reason: "not_assigned" }],
      ask: "an administrator of Acme",
      message,
    });
  });

  it("shows the rule that grants, the rules that would, and the people who can give it", async () => {
    world.server.groupsThatGrant = [{ group: "editors", provider: "HR" }];
    world.server.administrators = {
      people: [
        { email: "bruno@acme.example", name: "Bruno Keller" },
        { email: "dora@acme.example", name: null },
      ],
      groups: [{ group: "operators", provider: "HR" }],
    };
    const { stdout } = await world.run(["why", world.api]);
    expect(stdout.split("\n")).toEqual([
      'Of this service\'s permissions, contracts:write is missing. Ask an administrator of Acme: "Bruno Keller" <bruno@acme.example> or dora@acme.example or somebody in the group "operators" (HR).',
      "Service    Service contracts (contracts)",
      `Rule       ${world.service.origin}/api`,
      "You have   contracts:read, by an assignment to ada@acme.example",
      'Would get  contracts:write, by an assignment to ada@acme.example or being in the group "editors" (HR)',
      "Tell them  Please give ada@acme.example the permission contracts:write for Service contracts.",
      "",
    ]);
  });

  it("says to an administrator that no other person is needed", async () => {
    world.server.administrators.people = [{ email: "ada@acme.example", name: "Ada Lovelace" }];
    const { stdout } = await world.run(["why", "--scope", "contracts:write", world.api]);
    expect(stdout).toContain("You administer Acme, so you can give it to yourself.");
  });

  it("says that a directory is away instead of naming an administrator", async () => {
    world.server.missingReason = "directory_unavailable";
    const { code, stdout } = await world.run(["why", "--scope", "contracts:write", world.api]);
    expect(code).toBe(5);
    expect(stdout).toContain("Nobody can say at the moment whether you have contracts:write");
    expect(stdout).toContain("its directory does not answer. Try again in a few minutes.");
    expect(stdout).not.toMatch(/missing|Tell them/);
    const json = await world.run(["why", "--json", "--scope", "contracts:write", world.api]);
    expect(JSON.parse(json.stdout)).toMatchObject({
      missingScopes: [],
      undecidedScopes: ["contracts:write"],
      message: null,
    });
  });

  it("says that a request is allowed, and exits 0", async () => {
    const result = await world.run(["why", "--scope", "contracts:read", world.api]);
    expect([result.code, result.stdout.split("\n")[0]]).toEqual([
      0,
      "You may do this: you have contracts:read.",
    ]);
    expect(result.stdout).not.toContain("Tell them");
  });

  it("asks about every permission of the service when none is named", async () => {
    const result = await world.run(["why", world.api]);
    expect(result.stdout).toContain("Of this service's permissions, contracts:write is missing.");
  });

  it("sees a permission that was given a moment ago", async () => {
    await world.run(["request", world.api]);
    world.service.registration.grantedScopes = ["contracts:read", "contracts:write"];
    expect((await world.run(["why", "--scope", "contracts:write", world.api])).code).toBe(0);
  });

  it("says that a permission does not exist, or that an address belongs to no service", async () => {
    const unknown = await world.run(["why", "--scope", "contracts:eat", world.api]);
    expect(unknown.stdout).toContain(
      '"contracts:eat" is no scope of Service contracts: contracts:read, contracts:write.\n',
    );
    expect(unknown.stdout).not.toContain("Tell them");
    const nobody = await world.run(["why", "https://nobody.example/"]);
    expect([nobody.code, nobody.stderr.includes("does not belong to a service you can use")]).toEqual([
      4,
      true,
    ]);
  });

  it("sends nothing to the service", async () => {
    await world.run(["why", world.api]);
    expect(world.service.seen).toEqual([]);
  });
});

describe("authz request --dry-run", () => {
  it("shows which service, rule and permissions apply, and sends nothing", async () => {
    const allowed = await world.run(["request", "--dry-run", "-X", "DELETE", world.api]);
    expect([allowed.code, allowed.stderr]).toEqual([0, "Nothing was sent.\n"]);
    expect(allowed.stdout).toBe(
      [
        `Request  DELETE ${world.api}`,
        "Service  Service contracts (contracts)",
        `Rule     ${world.service.origin}/api`,
        "Scopes   contracts:read",
        "Allowed  yes",
        "",
      ].join("\n"),
    );
    const denied = await world.run([
      "request",
      "--dry-run",
      "--json",
      "--scope",
      "contracts:write",
      world.api,
    ]);
    expect([denied.code, JSON.parse(denied.stdout)]).toMatchObject([
      4,
      { allowed: false, missingScopes: ["contracts:write"] },
    ]);
    const told = await world.run(["request", "--dry-run", "--scope", "contracts:write", world.api]);
    expect(told.stderr).toContain(`Whom to ask: authz why --scope contracts:write ${world.api}\n`);
    expect(world.service.seen).toEqual([]);
  });
});

describe("authz ask", () => {
  it("asks for what is named, and says how to hear of the decision", async () => {
    const args = ["ask", "--scope", "contracts:write", "--reason", "To file it", world.api];
    const { code, stdout, stderr } = await world.run(args);
    expect([code, stdout]).toEqual([0, "contracts:write: asked for, and nobody has decided yet.\n"]);
    expect(stderr).toContain(`authz why --scope contracts:write ${world.api}`);
    expect(world.server.accessRequests).toEqual([
      { resource: "contracts", scopes: ["contracts:write"], reason: "To file it" },
    ]);
  });

  it("shows what an administrator says on one line", async () => {
    const note = "No.\u001b[2J\nAsk Bruno.";
    const body = {
      id: "request-1",
      state: "declined",
      scopes: ["contracts:write"],
      grantedScopes: [],
      until: null,
      note,
    };
    world.server.decision = { status: 201, body };
    const { stdout } = await world.run(["ask", "--reason", "To file it", world.api]);
    expect(stdout).toBe('contracts:write: declined. They say: "No.\\u{1b}[2J Ask Bruno."\n');
  });

  it("says why nothing was asked for", async () => {
    world.server.decision = {
      status: 409,
      body: { error: "nothing_missing", error_description: "You have it." },
    };
    const { code, stderr } = await world.run(["ask", "--reason", "To file it", "--agent", world.api]);
    expect([code, stderr]).toEqual([
      1,
      `refused: Nothing was asked for. You have it. See what you have and what is missing: authz why ${world.api}\n`,
    ]);
  });

  it("needs a reason", async () => {
    expect((await world.run(["ask", world.api])).code).toBe(2);
    for (const reason of [" ", "a".repeat(501)]) {
      const { code, stderr } = await world.run(["ask", "--reason", reason, world.api]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("must have 1 to 500 characters")]);
    }
    expect(world.server.accessRequests).toEqual([]);
  });
});
