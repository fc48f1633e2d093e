import { type KeyObject, randomUUID } from "node:crypto";
import type { PublicJwk } from "@authz/dpop";
import { importPublicJwk, parseCompactJws, signCompactJws, verifyEs256 } from "@authz/dpop/jws";
import type { TestAuthorizationServer } from "./test-authorization-server.js";
import { oauthError, type TestAnswer } from "./test-http.js";

/** A machine client as it is registered, and what it may do. */
export interface TestMachine {
  clientId: string;
  kid: string;
  publicJwk: PublicJwk;
  scopes: string[];
}

/** `client_credentials` with `private_key_jwt`: strict about the assertion, which passes once. */
export function createTestMachineGrant(
  server: TestAuthorizationServer,
  { signingKey, clock }: { signingKey: KeyObject; clock: () => number },
): (form: URLSearchParams, jkt: string) => TestAnswer {
  const used = new Set<string>();

  function machineOf(form: URLSearchParams): TestMachine | undefined {
    const machine = server.machines.find(({ clientId }) => clientId === form.get("client_id"));
    if (machine === undefined || !form.get("client_assertion_type")?.endsWith(":jwt-bearer"))
      return undefined;
    const jws = parseCompactJws(form.get("client_assertion") ?? "", { maxBytes: 8192 });
    const { iss, sub, aud, exp, jti } = jws.payload as Record<string, unknown>;
    const now = Math.floor(clock() / 1000);
    const isValid =
      verifyEs256(jws.signingInput, jws.signature, importPublicJwk(machine.publicJwk)) &&
      jws.header.kid === machine.kid &&
      iss === machine.clientId &&
      sub === machine.clientId &&
      aud === server.origin &&
      Number(exp) > now &&
      Number(exp) <= now + 65 &&
      !used.has(String(jti));
    used.add(String(jti));
    return isValid ? machine : undefined;
  }

  return (form, jkt) => {
    const machine = machineOf(form);
    if (machine === undefined) return oauthError(401, "invalid_client", "The client assertion is not valid.");
    const service = server.services.find(({ resource }) => resource === form.get("resource"));
    if (service === undefined) return oauthError(400, "invalid_target");
    const held = machine.scopes.filter((scope) => service.supportedScopes.includes(scope));
    const scopes = form.get("scope")?.split(" ") ?? held;
    if (scopes.length === 0 || !scopes.every((scope) => held.includes(scope)))
      return oauthError(400, "invalid_scope", "Not among this machine's permissions.");
    const exp = Math.floor(clock() / 1000) + server.accessTokenSeconds;
    const { clientId } = machine;
    const accessToken = signCompactJws(
      { typ: "at+jwt", kid: "as" },
      {
        iss: server.origin,
        sub: clientId,
        client_id: clientId,
        aud: service.resource,
        scope: scopes.join(" "),
        cnf: { jkt },
        jti: randomUUID(),
        exp,
      },
      signingKey,
    );
    const body: Record<string, unknown> = {
      access_token: accessToken,
      token_type: "DPoP",
      expires_in: server.accessTokenSeconds,
      scope: scopes.join(" "),
    };
    server.rewriteTokenAnswer?.(body);
    return { status: 200, body };
  };
}
