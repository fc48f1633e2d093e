/** A kind of event in the trail that is seeded. */
export interface Kind {
  /** Of a thousand events. */
  readonly share: number;
  readonly type: string;
  readonly outcome: "success" | "denied" | "failed";
  readonly actor: "user" | "client" | "system";
  readonly about?: "resource";
  /** The event's data as canonical JSON; what is in braces is replaced. */
  readonly data: string;
}

const ids = `"grantId":"{grant}"`;
const scopes = `"scopes":["area-2:read","area-4:read"]`;
/** The kinds that share all but one in a hundred thousand events. */
export const kinds: readonly Kind[] = [
  {
    share: 550,
    type: "token.issued",
    outcome: "success",
    actor: "user",
    data: `{${ids},"grantType":"refresh_token","jkt":"{jkt}","scopes":["authz:login"],"tokenId":"{token}"}`,
  },
  {
    share: 280,
    type: "assertion.issued",
    outcome: "success",
    actor: "user",
    about: "resource",
    data: `{${ids},"jkt":"{jkt}","resource":"{resource}",${scopes},"tokenId":"{token}"}`,
  },
  {
    share: 60,
    type: "machine_token.issued",
    outcome: "success",
    actor: "client",
    about: "resource",
    data: `{"jkt":"{jkt}","resource":"{resource}",${scopes},"tokenId":"{token}"}`,
  },
  {
    share: 50,
    type: "sign_in.completed",
    outcome: "success",
    actor: "user",
    data: `{"amr":["pwd"],"provider":"p1","sessionId":"{token}"}`,
  },
  {
    share: 40,
    type: "token.refused",
    outcome: "denied",
    actor: "user",
    data: `{"error":"invalid_grant",${ids},"grantType":"refresh_token","reason":"refresh_token_used"}`,
  },
  {
    share: 10,
    type: "sign_in.refused",
    outcome: "denied",
    actor: "system",
    data: `{"provider":"p2","reason":"email_domain_not_allowed"}`,
  },
  {
    share: 9,
    type: "consent.given",
    outcome: "success",
    actor: "user",
    data: `{"jkt":"{jkt}","scopes":["authz:login"]}`,
  },
  {
    share: 1,
    type: "authorization.refused",
    outcome: "failed",
    actor: "user",
    data: `{"error":"server_error","reason":"directory_unavailable"}`,
  },
];

/** Only in the oldest fifth, and there it takes the place of `sign_in.completed`. */
export const oldKind: Kind = {
  share: 0,
  type: "sign_in.completed",
  outcome: "success",
  actor: "user",
  data: `{"amr":["pwd"],"provider":"legacy","sessionId":"{token}"}`,
};

/** One event in a hundred thousand. */
export const rareKind: Kind = {
  share: 0,
  type: "sign_in.refused",
  outcome: "failed",
  actor: "system",
  data: `{"provider":"p3","reason":"provider_certificate_expired"}`,
};

/** The place in this list is a kind's number. */
export const allKinds: readonly Kind[] = [...kinds, oldKind, rareKind];
