import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { oauthMetadata } from "../../../src/oauth/discovery/metadata.js";
import { allScopes, createBrowser } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { RawDevice } from "../../support/raw-device.js";
import { RegisteredClient } from "../../support/registered-client.js";

let system: OauthServer;
let device: RawDevice;
let metadata: Record<string, string & readonly string[]>;
beforeAll(async () => {
  system = await startOauthServer();
  device = await RawDevice.create(system.issuer);
  const answer = await fetch(`${system.issuer}/.well-known/oauth-authorization-server`);
  metadata = (await answer.json()) as typeof metadata;
});
afterAll(() => system.close());

test("the metadata names every endpoint below the issuer", () => {
  const endpoints = Object.entries(oauthMetadata("https://auth.example")).filter(([name]) =>
    name.endsWith("_endpoint"),
  );
  expect(Object.fromEntries(endpoints)).toStrictEqual({
    authorization_endpoint: "https://auth.example/api/oauth/authorize",
    pushed_authorization_request_endpoint: "https://auth.example/api/oauth/par",
    device_authorization_endpoint: "https://auth.example/api/oauth/device_authorization",
    token_endpoint: "https://auth.example/api/oauth/token",
    revocation_endpoint: "https://auth.example/api/oauth/revoke",
    transaction_authorization_endpoint: "https://auth.example/api/oauth/transaction",
    userinfo_endpoint: "https://auth.example/api/oauth/userinfo",
    status_list_aggregation_endpoint: "https://auth.example/oauth/status/lists",
  });
});

describe("everything in the metadata works", () => {
  test("each endpoint is there", async () => {
    const urls = Object.entries(metadata).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name));
    expect(urls).toHaveLength(9);
    const statuses = await Promise.all(urls.map(async ([, url]) => (await fetch(url)).status));
    expect(statuses).not.toContain(404);
  });

  test("each grant type is known, and no other", async () => {
    const ask = async (grantType: string) => {
      const form = { grant_type: grantType, client_id: "authz-cli" };
      return (await device.token(form)).body["error"];
    };
    const errors = await Promise.all((metadata["grant_types_supported"] ?? []).map(ask));
    expect(errors).toHaveLength(6);
    const profile = "urn:ietf:params:oauth:grant-profile:id-jag";
    expect(metadata["authorization_grant_profiles_supported"]).toEqual([profile]);
    expect(errors).not.toContain("unsupported_grant_type");
    expect(await ask("password")).toBe("unsupported_grant_type");
    expect(await ask("implicit")).toBe("unsupported_grant_type");
  });

  test("each scope can be asked for, and no other", async () => {
    // Whether a client may act at other services is not for all of them to ask.
    expect([metadata["scopes_supported"], "authz:login"].flat()).toStrictEqual(allScopes.split(" "));
    const ask = async (scope: string) => {
      const visit = await createBrowser().open(device.authorizeUrl({ scope, prompt: "none" }));
      return visit.url.searchParams.get("error");
    };
    expect(await Promise.all(allScopes.split(" ").map(ask))).toStrictEqual(
      Array.from({ length: 5 }, () => "login_required"),
    );
    expect(await ask("contracts:read")).toBe("invalid_scope");
  });

  test("each prompt is understood", async () => {
    const prompts = metadata["prompt_values_supported"] ?? [];
    expect(prompts).toHaveLength(4);
    for (const prompt of prompts) {
      const visit = await createBrowser().open(device.authorizeUrl({ prompt }));
      expect(visit.url.searchParams.get("error")).not.toBe("invalid_request");
    }
  });

  test("each way of client authentication is taken where it is announced", async () => {
    const portal = await RegisteredClient.register(system);
    const methods = ["none", "private_key_jwt"];
    expect(metadata["token_endpoint_auth_methods_supported"]).toStrictEqual(methods);
    expect(metadata["revocation_endpoint_auth_methods_supported"]).toStrictEqual(methods);
    const revoke = async (credentials: Record<string, string>) =>
      (await device.post("/api/oauth/revoke", { token: "x", ...credentials }, { proofs: [] })).status;
    expect(await revoke({ client_id: "authz-cli" })).toBe(200);
    expect(await revoke(portal.credentials())).toBe(200);
  });

  test("what does not work is said so, and what needs no word has none", () => {
    expect(metadata).toMatchObject({
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      response_modes_supported: ["query"],
      dpop_signing_alg_values_supported: ["ES256"],
      authorization_response_iss_parameter_supported: true,
    });
    for (const absent of [
      // There is no redirect after signing out, so none is announced.
      "end_session_endpoint",
      "registration_endpoint",
      "introspection_endpoint",
      "require_pushed_authorization_requests",
    ])
      expect(metadata).not.toHaveProperty(absent);
  });
});
