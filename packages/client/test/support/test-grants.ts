import { createHash, type KeyObject, randomBytes, randomUUID } from "node:crypto";
import { parseCompactJws, signCompactJws } from "@authz/dpop/jws";
import type { TestAuthorizationServer } from "./test-authorization-server.js";
import { deviceCodeGrant, type TestDeviceGrants } from "./test-device-grants.js";
import { oauthError, type TestAnswer } from "./test-http.js";
import { createTestMachineGrant } from "./test-machine-grant.js";

/** One sign-in: all tokens that descend from it. */
export interface Grant {
  id: string;
  jkt: string;
  refreshToken: string;
  /** The rotated ones, the newest last. */
  rotated: Set<string>;
  accessTokens: Map<string, number>;
  revoked: boolean;
}

/** An authorization code and what it is bound to. */
export interface Code {
  challenge: string;
  redirectUri: string;
  jkt: string;
  used: boolean;
}

/** The grants of the token endpoint, behind the check of the proof. */
export interface TestGrants {
  token(form: URLSearchParams, jkt: string): TestAnswer;
  liveGrant(accessToken: string, jkt: string): Grant | undefined;
}

export function createTestGrants(
  server: TestAuthorizationServer,
  {
    codes,
    deviceGrants,
    signingKey,
    clock,
  }: {
    codes: Map<string, Code>;
    deviceGrants: TestDeviceGrants;
    signingKey: KeyObject;
    clock: () => number;
  },
): TestGrants {
  const issuer = server.origin;

  const machineGrant = createTestMachineGrant(server, { signingKey, clock });

  function token(form: URLSearchParams, jkt: string): TestAnswer {
    if (form.get("grant_type") === "client_credentials") return machineGrant(form, jkt);
    if (form.get("client_id") !== "authz-cli") return oauthError(400, "invalid_client");
    switch (form.get("grant_type") ?? "") {
      case "authorization_code":
        return redeemCode(form, jkt);
      case "refresh_token":
        return refresh(form.get("refresh_token") ?? "", jkt);
      case deviceCodeGrant: {
        const polled = deviceGrants.poll(form.get("device_code"), jkt);
        return "status" in polled ? polled : beginGrant(jkt);
      }
      case "urn:ietf:params:oauth:grant-type:token-exchange":
        return exchange(form, jkt);
      case "urn:ietf:params:oauth:grant-type:jwt-bearer":
        return redeemOwn(form, jkt);
      default:
        return oauthError(400, "unsupported_grant_type");
    }
  }

  function redeemCode(form: URLSearchParams, jkt: string): TestAnswer {
    const code = codes.get(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (code === undefined || code.used || code.jkt !== jkt || code.challenge !== challenge)
      return oauthError(400, "invalid_grant");
    if (code.redirectUri !== form.get("redirect_uri")) return oauthError(400, "invalid_grant");
    code.used = true;
    return beginGrant(jkt);
  }

  function beginGrant(jkt: string): TestAnswer {
    const grant: Grant = {
      id: randomUUID(),
      jkt,
      refreshToken: randomBytes(32).toString("base64url"),
      rotated: new Set(),
      accessTokens: new Map(),
      revoked: false,
    };
    server.grants.push(grant);
    return tokens(grant);
  }

  function refresh(value: string, jkt: string): TestAnswer {
    const grant = server.grants.find((g) => g.refreshToken === value || g.rotated.has(value));
    if (grant === undefined || grant.revoked || grant.jkt !== jkt) return oauthError(400, "invalid_grant");
    if (value === [...grant.rotated].at(-1)) return tokens(grant);
    if (grant.rotated.has(value)) {
      grant.revoked = true;
      return oauthError(400, "invalid_grant");
    }
    grant.rotated.add(value);
    return tokens(grant, randomBytes(32).toString("base64url"));
  }

  /** Tokens of a sign-in; with the same refresh token as before unless a new one is given. */
  function tokens(grant: Grant, refreshToken = grant.refreshToken): TestAnswer {
    grant.refreshToken = refreshToken;
    const now = Math.floor(clock() / 1000);
    const expiresAt = now + server.accessTokenSeconds;
    const { subject, email, name } = server.person;
    const accessToken = signCompactJws(
      { typ: "at+jwt", kid: "as" },
      { iss: issuer, sub: subject, aud: `${issuer}/api`, sid: grant.id, jti: randomUUID(), exp: expiresAt },
      signingKey,
    );
    const idToken = signCompactJws(
      { typ: "JWT", kid: "as" },
      { iss: issuer, sub: subject, aud: "authz-cli", email, name, sid: grant.id, iat: now, exp: now + 300 },
      signingKey,
    );
    grant.accessTokens.set(accessToken, expiresAt);
    const body: Record<string, unknown> = {
      access_token: accessToken,
      id_token: idToken,
      refresh_token: grant.refreshToken,
      token_type: "DPoP",
      expires_in: server.accessTokenSeconds,
      scope: "openid profile email offline_access authz:login",
    };
    server.rewriteTokenAnswer?.(body);
    return { status: 200, body };
  }

  function liveGrant(accessToken: string, jkt: string): Grant | undefined {
    return server.grants.find(
      (grant) =>
        !grant.revoked &&
        grant.jkt === jkt &&
        (grant.accessTokens.get(accessToken) ?? 0) > Math.floor(clock() / 1000),
    );
  }

  function exchange(form: URLSearchParams, jkt: string): TestAnswer {
    const type = form.get("subject_token_type") ?? "";
    if (!type.endsWith(":access_token")) return oauthError(400, "invalid_request");
    if (liveGrant(form.get("subject_token") ?? "", jkt) === undefined)
      return oauthError(400, "invalid_grant");
    const service = server.services.find(
      (s) => s.authorizationServer === form.get("audience") && s.resource === form.get("resource"),
    );
    if (service === undefined) return oauthError(400, "invalid_target");
    const scopes = (form.get("scope") ?? service.grantedScopes.join(" ")).split(" ");
    if (!scopes.every((scope) => service.grantedScopes.includes(scope)))
      return oauthError(400, "invalid_scope");
    const now = Math.floor(clock() / 1000);
    const assertion = signCompactJws(
      { typ: "oauth-id-jag+jwt", kid: "as" },
      {
        iss: issuer,
        sub: server.person.subject,
        aud: service.authorizationServer,
        client_id: service.authorizationServer === issuer ? form.get("client_id") : service.clientId,
        resource: service.resource,
        scope: scopes.join(" "),
        email: server.person.email,
        cnf: { jkt },
        jti: randomUUID(),
        iat: now,
        exp: now + 300,
      },
      signingKey,
    );
    return {
      status: 200,
      body: {
        access_token: assertion,
        issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
        token_type: "N_A",
        expires_in: 300,
        scope: scopes.join(" "),
      },
    };
  }

  /** An assertion of this server for itself: the token is for the service that it names. */
  function redeemOwn(form: URLSearchParams, jkt: string): TestAnswer {
    const { payload } = parseCompactJws(form.get("assertion") ?? "", { maxBytes: 16_384 });
    if (payload["aud"] !== issuer || payload["client_id"] !== form.get("client_id"))
      return oauthError(400, "invalid_grant");
    const { resource, scope, sub } = payload;
    const claims = {
      iss: issuer,
      aud: resource,
      sub,
      client_id: form.get("client_id"),
      scope,
      cnf: { jkt },
      exp: payload["exp"],
    };
    const accessToken = signCompactJws({ typ: "at+jwt", kid: "as" }, claims, signingKey);
    return { status: 200, body: { access_token: accessToken, token_type: "DPoP", expires_in: 300, scope } };
  }

  return { token, liveGrant };
}
