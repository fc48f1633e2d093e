import { type KeyObject, randomUUID, sign } from "node:crypto";
import { type Installation, makeDue, type Member } from "./installation.js";
import { clientOfServer, type Provider, stream } from "./providers.js";

/** What says that a person's access is over, by the names of the rows. */
export const signalNames = [
  "Presence: the provider answers `invalid_grant`",
  "SCIM `PATCH`, `active: false`",
  "SCIM `DELETE`",
  "Back-channel logout, with `logoutEndsApps`",
  "CAEP `session-revoked`, with `logoutEndsApps`",
  "CAEP `credential-change`, `revoke`",
  "RISC `account-disabled`",
  "RISC `account-purged`",
  "*Disable* over the admin API",
  "The person signs out all apps",
  "*Stop* of a person's apps",
] as const;
type SignalName = (typeof signalNames)[number];

/** The signal about people whose provider is asked about them. */
export const presenceSignal: SignalName = "Presence: the provider answers `invalid_grant`";

/** Prepares the signal about a person. The returned function sends it, to the process at the issuer. */
type Signal = (member: Member) => Promise<() => Promise<void>>;

const caep = "https://schemas.openid.net/secevent/caep/event-type/";
const risc = "https://schemas.openid.net/secevent/risc/event-type/";
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

export async function createSignals(
  installation: Installation,
): Promise<Readonly<Record<SignalName, Signal>>> {
  const { issuer, postgresUrl } = installation;
  const administer = await createAdministration(installation);
  const provision = await createProvisioning(issuer, administer);
  const event =
    (type: string, details: object = {}): Signal =>
    async ({ provider, subject }) => {
      return async () => await push(issuer, { provider, subject, type, details });
    };
  return {
    "Presence: the provider answers `invalid_grant`": async (member) => {
      member.provider.idp.removePerson(member.subject);
      return async () => await makeDue(postgresUrl, member);
    },
    "SCIM `PATCH`, `active: false`": async (member) => {
      const path = await provision.create(member);
      const operation = { op: "replace", path: "active", value: false };
      const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
      return async () => void (await provision.send("PATCH", path, { schemas, Operations: [operation] }));
    },
    "SCIM `DELETE`": async (member) => {
      const path = await provision.create(member);
      return async () => void (await provision.send("DELETE", path));
    },
    "Back-channel logout, with `logoutEndsApps`":
      async ({ provider, subject }) =>
      async () =>
        await logOut(issuer, provider, subject),
    "CAEP `session-revoked`, with `logoutEndsApps`": event(`${caep}session-revoked`),
    "CAEP `credential-change`, `revoke`": event(`${caep}credential-change`, {
      credential_type: "fido2-roaming",
      change_type: "revoke",
    }),
    "RISC `account-disabled`": event(`${risc}account-disabled`),
    "RISC `account-purged`": event(`${risc}account-purged`),
    "*Disable* over the admin API": async ({ userId }) => {
      const { etag } = await administer("GET", `/users/${userId}`);
      return async () => void (await administer("PATCH", `/users/${userId}`, { enabled: false }, etag));
    },
    "The person signs out all apps": async ({ browser }) => {
      const page = await browser.open(`${issuer}/devices/sign-out-all`);
      const form = page.forms.find(({ action }) => action.pathname === "/devices/sign-out-all");
      if (form === undefined) throw new Error(`A person has no apps to sign out: ${page.html}`);
      return async () => requireSuccess("Signing out", (await browser.submit(form)).status);
    },
    "*Stop* of a person's apps":
      async ({ userId }) =>
      async () =>
        void (await administer("POST", "/stops", { kind: "user", user: userId })),
  };
}

function requireSuccess(what: string, status: number, text = ""): void {
  if (status < 200 || status > 299) throw new Error(`${what} was answered with ${status}: ${text}`);
}

type Administer = (
  method: string,
  path: string,
  body?: object,
  etag?: string,
) => Promise<{ readonly etag: string; readonly body: Readonly<Record<string, unknown>> }>;

/** Requests as the console sends them. */
async function createAdministration({ issuer, administrator }: Installation): Promise<Administer> {
  let csrfToken = "";
  const administer: Administer = async (method, path, body, etag) => {
    const { status, headers, html } = await administrator.open(`${issuer}/api/admin/v1${path}`, {
      method,
      headers: {
        accept: "application/json",
        origin: issuer,
        "sec-fetch-site": "same-origin",
        "x-authz-csrf": csrfToken,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(etag !== undefined && { "if-match": etag }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    requireSuccess(`${method} ${path}`, status, html);
    return { etag: headers.get("etag") ?? "", body: JSON.parse(html) as Record<string, unknown> };
  };
  csrfToken = String((await administer("GET", "/session")).body["csrfToken"]);
  return administer;
}

/** Requests as the first provider sends them by SCIM. */
async function createProvisioning(issuer: string, administer: Administer) {
  const created = await administer("POST", "/identity-providers/acme/provisioning/credentials");
  const send = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await fetch(`${issuer}/scim/v2${path}`, {
      method,
      headers: {
        authorization: `Bearer ${String(created.body["secret"])}`,
        "content-type": "application/scim+json",
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    requireSuccess(`${method} ${path}`, answer.status, text);
    return text;
  };
  return {
    send,
    /** Returns the path of the person, who is known by their account. */
    async create({ subject, email }: Member): Promise<string> {
      const text = await send("POST", "/Users", {
        schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
        userName: email,
        externalId: subject,
        emails: [{ value: email, type: "work", primary: true }],
        active: true,
      });
      return `/Users/${(JSON.parse(text) as { id: string }).id}`;
    },
  };
}

/** OpenID Connect Back-Channel Logout 1.0 §2.5. */
async function logOut(issuer: string, provider: Provider, subject: string): Promise<void> {
  const token = signToken(provider, "logout+jwt", {
    aud: clientOfServer,
    sub: subject,
    exp: Math.floor(Date.now() / 1000) + 120,
    events: { [logoutEvent]: {} },
  });
  const answer = await fetch(`${issuer}/sign-in/back-channel-logout/${provider.key}`, {
    method: "POST",
    body: new URLSearchParams({ logout_token: token }),
  });
  requireSuccess("A logout token", answer.status, await answer.text());
}

/** RFC 8935 §2. */
async function push(
  issuer: string,
  {
    provider,
    subject,
    type,
    details,
  }: {
    readonly provider: Provider;
    readonly subject: string;
    readonly type: string;
    readonly details: object;
  },
): Promise<void> {
  const token = signToken(provider, "secevent+jwt", {
    aud: stream.audience,
    sub_id: { format: "iss_sub", iss: provider.idp.issuer, sub: subject },
    events: { [type]: details },
  });
  const answer = await fetch(`${issuer}/signals/${stream.key}`, {
    method: "POST",
    headers: {
      "content-type": "application/secevent+jwt",
      authorization: `Bearer ${stream.credential}`,
    },
    body: token,
  });
  requireSuccess("A security event", answer.status, await answer.text());
}

function signToken({ idp, signingKey }: Provider, typ: string, claims: object): string {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: idp.issuer, iat: now, jti: randomUUID(), ...claims };
  const input = [{ alg: "RS256", typ }, all]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${input}.${signRs256(input, signingKey)}`;
}

function signRs256(input: string, key: KeyObject): string {
  return sign("sha256", Buffer.from(input), key).toString("base64url");
}
