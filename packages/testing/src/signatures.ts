import { randomUUID } from "node:crypto";
import type { Clock, Es256KeyPair } from "@authz/dpop";
import { importPrivateJwk, signCompactJws } from "@authz/dpop/jws";
import type { Service } from "./service-description.js";
import type { AssertionRequest } from "./types.js";

/** Everything the issuer signs. */
export interface IssuerSignatures {
  assertion(request: AssertionRequest): string;
  catalogAssertion(): string;
  machineToken(clientId: string, scopes: readonly string[], thumbprint: string): string;
}

/** The issuer's key at work: identity assertions, catalog assertions and access tokens for machines. */
export function createIssuerSignatures(
  issuer: { url: string; kid: string; keyPair: Es256KeyPair; clock: Clock },
  service: Service,
): IssuerSignatures {
  const key = importPrivateJwk(issuer.keyPair.privateJwk);

  function sign(typ: string, lifetimeSeconds: number, claims: Readonly<Record<string, unknown>>): string {
    const iat = Math.floor(issuer.clock() / 1000);
    const regular = { iss: issuer.url, jti: randomUUID(), iat, exp: iat + lifetimeSeconds };
    return signCompactJws({ typ, kid: issuer.kid }, { ...regular, ...claims }, key);
  }

  return {
    assertion(request) {
      const subject = request.subject ?? "test-subject";
      return sign("oauth-id-jag+jwt", 300, {
        sub: subject,
        aud: service.publicOrigin,
        client_id: service.clientId,
        resource: service.resource,
        scope: (request.scopes ?? service.supportedScopes).join(" "),
        email: request.email ?? `${subject}@example.com`,
        auth_time: Math.floor(issuer.clock() / 1000),
        ...(request.name === undefined ? {} : { name: request.name }),
        ...(request.thumbprint === undefined ? {} : { cnf: { jkt: request.thumbprint } }),
        ...request.claims,
      });
    },
    catalogAssertion() {
      return sign("authz-skills+jwt", 60, { sub: issuer.url, aud: service.publicOrigin });
    },
    machineToken(clientId, scopes, thumbprint) {
      return sign("at+jwt", 300, {
        sub: clientId,
        client_id: clientId,
        aud: service.resource,
        scope: scopes.join(" "),
        cnf: { jkt: thumbprint },
      });
    },
  };
}
