import { beforeEach, describe, expect, it } from "vitest";
import type { AuthzClient } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import { startTestWorld } from "../support/test-world.js";

const wish = { resource: "contracts", scopes: ["contracts:write"], reason: "To file it" };

const world = forEachTest(startTestWorld);
let client: AuthzClient;
beforeEach(async () => {
  client = await world.signedIn();
});

describe("a request for access", () => {
  it("reaches the administrators with its reason, and is pending", async () => {
    expect(await client.askForAccess(wish)).toEqual({
      id: "request-1",
      state: "pending",
      scopes: ["contracts:write"],
      grantedScopes: [],
      until: undefined,
      note: undefined,
    });
    expect(world.server.accessRequests).toEqual([wish]);
  });

  it("without scopes is for everything that is missing", async () => {
    await client.askForAccess({ resource: "contracts", reason: "To file it" });
    expect(world.server.accessRequests).toEqual([{ ...wish, scopes: [] }]);
  });

  it.each([
    {
      status: 409,
      body: { error: "nothing_missing", error_description: "You have it." },
      code: "refused" as const,
    },
    {
      status: 404,
      body: { error: "not_found", error_description: "No such service." },
      code: "refused" as const,
    },
    { status: 503, body: { error: "temporarily_unavailable" }, code: "unreachable" as const },
    { status: 201, body: { id: "request-1", state: "perhaps", scopes: [] }, code: "invalid_answer" as const },
  ])("is refused or not understood: $status $body.error", async ({ code, ...answer }) => {
    world.server.decision = answer;
    await expectFailure(client.askForAccess(wish), code);
    expect(world.server.accessRequests).toEqual([wish]);
  });
});
