import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AuthzClient } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import type { TestConnections } from "../support/test-connections.js";
import { startConnectedWorld, type TestWorld } from "../support/test-world.js";

const REQUESTS = "/api/me/connections/github/requests";
const url = "https://api.github.example/repos/acme/contracts";

let world: TestWorld;
let connections: TestConnections;
let client: AuthzClient;
beforeEach(async () => {
  ({ world, connections, client } = await startConnectedWorld());
});
afterEach(async () => await world.close());

describe("a refusal of the server", () => {
  const refusals: {
    status: number;
    error: string;
    more?: object;
    code: Parameters<typeof expectFailure>[1];
    sent: "no" | "maybe";
  }[] = [
    { status: 400, error: "invalid_target", code: "invalid_request", sent: "no" },
    { status: 403, error: "target_not_allowed", code: "target_not_allowed", sent: "no" },
    { status: 405, error: "method_not_allowed", code: "method_not_allowed", sent: "no" },
    {
      status: 403,
      error: "insufficient_scope",
      more: { scope: "github:use" },
      code: "scope_not_granted",
      sent: "no",
    },
    { status: 404, error: "not_found", code: "not_found", sent: "no" },
    { status: 409, error: "not_connected", code: "not_connected", sent: "no" },
    { status: 409, error: "reconnect_required", code: "reconnect_required", sent: "no" },
    { status: 409, error: "disconnecting", code: "disconnecting", sent: "no" },
    { status: 409, error: "connector_disabled", code: "connector_disabled", sent: "no" },
    { status: 413, error: "request_too_large", code: "request_too_large", sent: "no" },
    {
      status: 502,
      error: "response_too_large",
      more: { sent: "maybe" },
      code: "response_too_large",
      sent: "maybe",
    },
    { status: 502, error: "provider_unreachable", code: "unreachable", sent: "no" },
    { status: 504, error: "provider_timeout", more: { sent: "maybe" }, code: "unreachable", sent: "maybe" },
    { status: 503, error: "refresh_unavailable", code: "unreachable", sent: "no" },
    { status: 503, error: "temporarily_unavailable", code: "unreachable", sent: "no" },
    { status: 503, error: "connector_key_unavailable", code: "refused", sent: "no" },
    // Whoever does not say is not believed to have sent nothing.
    { status: 502, error: "provider_unreachable", more: { sent: 1 }, code: "unreachable", sent: "maybe" },
    { status: 418, error: "something_new", code: "invalid_answer", sent: "no" },
  ];
  for (const { status, error: name, more = {}, code, sent } of refusals) {
    it(`is a failure: ${name} (sent: ${sent})`, async () => {
      connections.refuseNext = { status, error: name, ...more };
      const error = await expectFailure(client.connections.fetch("github", url), code);
      expect(error.facts.sent).toBe(sent);
      expect(error.message).toContain(
        sent === "no" ? "Nothing was sent." : "The request may have reached GitHub",
      );
      expect(connections.forwarded).toEqual([]);
    });
  }

  it("does not say twice what the server has said", async () => {
    const words = "GitHub broke off. It may have been carried out there; check before you send it again.";
    const more = { error_description: words, sent: "maybe" };
    connections.refuseNext = { status: 502, error: "provider_unreachable", ...more };
    const error = await expectFailure(client.connections.fetch("github", url), "unreachable");
    expect(error.why).toBe(words);
  });

  it("says how long to wait", async () => {
    const headers = { "retry-after": "7" };
    connections.refuseNext = { status: 429, error: "rate_limited", headers };
    const error = await expectFailure(client.connections.fetch("github", url), "rate_limited");
    expect(error.facts.retryAfterSeconds).toBe(7);
  });

  it("ends the session where the server no longer accepts it", async () => {
    world.server.fail(REQUESTS, { status: 401, body: { error: "invalid_token" } });
    const ended = await expectFailure(client.connections.fetch("github", url), "session_ended");
    expect(ended.reason).toBe("session_ended");
    const login = { status: 403, body: { error: "insufficient_scope", scope: "authz:login" } };
    const headers = { "www-authenticate": 'DPoP error="insufficient_scope", scope="authz:login"' };
    world.server.fail(REQUESTS, { ...login, headers });
    await expectFailure(client.connections.fetch("github", url), "sign_in_denied");
  });

  it("explains itself for HEAD, whose answers have no body", async () => {
    await client.connections.fetch("github", url);
    const [item] = connections.items;
    if (item !== undefined) item.state = "reconnect_required";
    connections.refuseNext = { status: 409, error: "reconnect_required" };
    const request = client.connections.fetch("github", url, { method: "HEAD" });
    const error = await expectFailure(request, "reconnect_required");
    expect(error.facts.connection).toBe("github");
  });

  const unclear: {
    name: string;
    answer: { status: number; body?: unknown; headers?: Record<string, string> };
  }[] = [
    { name: "a page of something in between", answer: { status: 502, body: "<h1>Bad gateway</h1>" } },
    { name: "a success that nobody signed for", answer: { status: 200, body: { fake: true } } },
    {
      name: "a success of another proxy",
      answer: {
        status: 200,
        body: {},
        headers: { "proxy-status": 'cdn; details="a, authz; received-status=200"' },
      },
    },
  ];
  for (const { name, answer } of unclear) {
    it(`is assumed for ${name}`, async () => {
      world.server.fail(REQUESTS, answer);
      const code = answer.status === 502 ? "unreachable" : "invalid_answer";
      const error = await expectFailure(client.connections.fetch("github", url), code);
      expect(error.facts.sent).toBe("maybe");
    });
  }

  it("is not assumed because another proxy spoke, too", async () => {
    world.server.fail(REQUESTS, {
      status: 200,
      headers: { "proxy-status": 'cdn; details="x,\\"y", authz; received-status=200, edge' },
    });
    expect((await client.connections.fetch("github", url)).status).toBe(200);
  });
});
