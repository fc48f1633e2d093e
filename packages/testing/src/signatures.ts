import { randomUUID } from "node:crypto";
import type { Clock, Es256KeyPair } from "@authz/dpop";
import type { AuthorizationDetail } from "@authz/dpop/approval";
import { importPrivateJwk, type JsonObject, signCompactJws } from "@authz/dpop/jws";
import type { Service } from "./service-description.js";
import type { TestStatusList } from "./status-list.js";
import type { AssertionRequest, UserTokenRequest } from "./types.js";

/** The JWTs of the issuer. */
export interface IssuerSignatures {
  assertion(request: AssertionRequest): string;
  catalogAssertion(): string;
  userToken(request: UserTokenRequest): string;
  /** The token for the call of a challenge. */
  transactionToken(call: {
    readonly challenge: JsonObject;
    readonly detail: AuthorizationDetail;
    readonly thumbprint: string | undefined;
  }): string;
  machineToken(clientId: string, scopes: readonly string[], thumbprint: string): string;
  statusList(claims: Readonly<Record<string, unknown>>): string;
  /** Signs an access token with changed claims. */
  changedToken(claims: Readonly<Record<string, unknown>>): string;
}

const someApp = "https://agent.test/client.json";

/** Signs identity assertions, catalog assertions and access tokens with the issuer's key. */
export function createIssuerSignatures(
  issuer: {
    url: string;
    kid: string;
    keyPair: Es256KeyPair;
    clock: Clock;
    statusList: Pick<TestStatusList, "claimOf">;
  },
  service: Service,
): IssuerSignatures {
  const key = importPrivateJwk(issuer.keyPair.privateJwk);

  const sessions = new Map<string, string>();

  /** One for each employee and app, as an app keeps its sign-in. */
  function sessionOf(subject: string, app: string): string {
    const holder = JSON.stringify([subject, app]);
    const known = sessions.get(holder) ?? randomUUID();
    sessions.set(holder, known);
    return known;
  }

  function sign(typ: string, lifetimeSeconds: number, claims: Readonly<Record<string, unknown>>): string {
    const iat = Math.floor(issuer.clock() / 1000);
    const regular = { iss: issuer.url, jti: randomUUID(), iat, exp: iat + lifetimeSeconds };
    return signCompactJws({ typ, kid: issuer.kid }, { ...regular, ...claims }, key);
  }

  /** The claims of assertions and access tokens about the employee and the app. */
  function employeeClaims(request: UserTokenRequest, app: string): Readonly<Record<string, unknown>> {
    const subject = request.subject ?? "test-subject";
    return {
      sub: subject,
      scope: (request.scopes ?? service.supportedScopes).join(" "),
      email: request.email ?? `${subject}@example.com`,
      auth_time: Math.floor(issuer.clock() / 1000),
      act: { sub: app },
      sid: sessionOf(subject, app),
      status: issuer.statusList.claimOf({ subject, app }),
      ...(request.name !== undefined && { name: request.name }),
      ...(request.thumbprint !== undefined && { cnf: { jkt: request.thumbprint } }),
    };
  }

  return {
    assertion(request) {
      return sign("oauth-id-jag+jwt", 300, {
        ...employeeClaims(request, request.app ?? service.clientId),
        aud: service.publicOrigin,
        client_id: service.clientId,
        resource: service.resource,
        ...request.claims,
      });
    },
    userToken(request) {
      const app = request.app ?? someApp;
      return sign("at+jwt", 300, {
        ...employeeClaims(request, app),
        aud: service.resource,
        client_id: app,
        ...request.claims,
      });
    },
    transactionToken({ challenge, detail, thumbprint }) {
      const subject = String(challenge["sub"]);
      const { sub: app } = challenge["act"] as { readonly sub: string };
      return sign("at+jwt", 120, {
        ...employeeClaims({ subject, ...(thumbprint !== undefined && { thumbprint }) }, app),
        aud: service.resource,
        client_id: app,
        sid: challenge["sid"],
        txn: challenge["txn"],
        authorization_details: [detail],
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
        status: issuer.statusList.claimOf({ machine: clientId }),
      });
    },
    statusList: (claims) => signCompactJws({ typ: "statuslist+jwt", kid: issuer.kid }, claims, key),
    changedToken: (claims) => sign("at+jwt", 300, claims),
  };
}
