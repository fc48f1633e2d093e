import { describe, expect, it } from "vitest";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import { startConnectedWorld } from "../support/test-world.js";

const requests = "/api/me/connections/github/requests";
const url = "https://api.github.example/repos/acme/contracts";

const world = forEachTest(startConnectedWorld);

describe("a refusal of the server", () => {
  const refusals: [
    status: number,
    error: string,
    code: Parameters<typeof expectFailure>[1],
    sent: "no" | "maybe",
    more?: object,
  ][] = [
    [400, "invalid_target", "invalid_request", "no"],
    [403, "target_not_allowed", "target_not_allowed", "no"],
    [405, "method_not_allowed", "method_not_allowed", "no"],
    [403, "insufficient_scope", "scope_not_granted", "no", { scope: "github:use" }],
    [404, "not_found", "not_found", "no"],
    [409, "not_connected", "not_connected", "no"],
    [409, "reconnect_required", "reconnect_required", "no"],
    [409, "disconnecting", "disconnecting", "no"],
    [409, "connector_disabled", "connector_disabled", "no"],
    [403, "transaction_authorization_required", "transaction_authorization_required", "no"],
    [403, "access_denied", "access_denied", "no"],
    [413, "request_too_large", "request_too_large", "no"],
    [502, "response_too_large", "response_too_large", "maybe", { sent: "maybe" }],
    [502, "provider_unreachable", "unreachable", "no"],
    [504, "provider_timeout", "unreachable", "maybe", { sent: "maybe" }],
    [503, "refresh_unavailable", "unreachable", "no"],
    [503, "temporarily_unavailable", "unreachable", "no"],
    [503, "connector_key_unavailable", "refused", "no"],
    // An unknown value of `sent` is no promise that nothing was sent.
    [502, "provider_unreachable", "unreachable", "maybe", { sent: 1 }],
    [418, "something_new", "invalid_answer", "no"],
  ];
  it.each(refusals)("is a failure: %i %s, %s (sent: %s)", async (status, name, code, sent, more = {}) => {
    world.connections.refuseNext = { status, error: name, ...more };
    const error = await expectFailure(world.ada.connections.fetch("github", url), code);
    expect(error.facts.sent).toBe(sent);
    expect(error.message).toContain(
      sent === "no" ? "Nothing was sent." : "The request may have reached GitHub",
    );
    expect(world.connections.forwarded).toEqual([]);
  });

  it("does not say twice what the server has said", async () => {
    const words = "GitHub broke off. It may have been carried out there; check before you send it again.";
    const more = { error_description: words, sent: "maybe" };
    world.connections.refuseNext = { status: 502, error: "provider_unreachable", ...more };
    const error = await expectFailure(world.ada.connections.fetch("github", url), "unreachable");
    expect(error.why).toBe(words);
  });

  it("has the address where a person approves the request", async () => {
    const uri = "https://authz.acme.example/approve/1";
    const words = `A rule of GitHub demands a person's approval for this call. Nothing was sent. Ask the person to open ${uri}.`;
    const more = { authorization_uri: uri, expires_in: 599, error_description: words };
    const refusal = { status: 403, error: "transaction_authorization_required" };
    world.connections.refuseNext = { ...refusal, ...more };
    const error = await expectFailure(world.ada.connections.fetch("github", url), refusal.error as never);
    expect(error.facts).toMatchObject({ authorizationUri: uri, expiresInSeconds: 599, sent: "no" });
    expect(error.why).toBe(words);
  });

  it.each(["javascript:alert(1)", "approve/1", 7])("takes %s for no address", async (uri) => {
    const refusal = { status: 403, error: "transaction_authorization_required" };
    world.connections.refuseNext = { ...refusal, authorization_uri: uri, expires_in: -1 };
    const error = await expectFailure(world.ada.connections.fetch("github", url), refusal.error as never);
    expect([error.facts.authorizationUri, error.facts.expiresInSeconds]).toEqual([undefined, undefined]);
  });

  it("says how long to wait", async () => {
    const headers = { "retry-after": "7" };
    world.connections.refuseNext = { status: 429, error: "rate_limited", headers };
    const error = await expectFailure(world.ada.connections.fetch("github", url), "rate_limited");
    expect(error.facts.retryAfterSeconds).toBe(7);
  });

  it("ends the session where the server no longer accepts it", async () => {
    world.server.fail(requests, { status: 401, body: { error: "invalid_token" } });
    const ended = await expectFailure(world.ada.connections.fetch("github", url), "session_ended");
    expect(ended.reason).toBe("session_ended");
    const login = { status: 403, body: { error: "insufficient_scope", scope: "authz:login" } };
    const headers = { "www-authenticate": 'DPoP error="insufficient_scope", scope="authz:login"' };
    world.server.fail(requests, { ...login, headers });
    await expectFailure(world.ada.connections.fetch("github", url), "sign_in_denied");
  });

  it("explains itself for HEAD, whose answers have no body", async () => {
    await world.ada.connections.fetch("github", url);
    const [item] = world.connections.items;
    if (item !== undefined) item.state = "reconnect_required";
    world.connections.refuseNext = { status: 409, error: "reconnect_required" };
    const request = world.ada.connections.fetch("github", url, { method: "HEAD" });
    const error = await expectFailure(request, "reconnect_required");
    expect(error.facts.connection).toBe("github");
  });

  const unclear: {
    name: string;
    answer: { status: number; body?: unknown; headers?: Record<string, string> };
  }[] = [
    { name: "a page of something in between", answer: { status: 502, body: "<h1>Bad gateway</h1>" } },
    { name: "a success without a mark of the server", answer: { status: 200, body: { fake: true } } },
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
      world.server.fail(requests, answer);
      const code = answer.status === 502 ? "unreachable" : "invalid_answer";
      const error = await expectFailure(world.ada.connections.fetch("github", url), code);
      expect(error.facts.sent).toBe("maybe");
    });
  }

  it("is not assumed because another proxy spoke, too", async () => {
    world.server.fail(requests, {
      status: 200,
      headers: { "proxy-status": 'cdn; details="x,\\"y", authz; received-status=200, edge' },
    });
    expect((await world.ada.connections.fetch("github", url)).status).toBe(200);
  });
});
