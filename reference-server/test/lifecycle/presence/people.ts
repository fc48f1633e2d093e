import type { DevIdp } from "@authz/dev-idp";
import { createBrowser, signIn } from "../../support/device.js";
import { type OauthServer, startOauthServer } from "../../support/oauth-server.js";
import { type Answer, RawDevice } from "../../support/raw-device.js";

/** A person with an app that acts for them. */
export interface Member {
  readonly id: string;
  readonly name: string;
  /** Exchanges the app's refresh token. */
  refresh(origin?: string): Promise<Answer>;
  signIn(): Promise<void>;
}

/** An installation whose provider is asked about its people. */
export interface Company extends OauthServer {
  /** Somebody of the company signs in, with an app. */
  join(name: string): Promise<Member>;
  /** Many people of the company sign in, without an app. Returns their ids, in order. */
  gather(names: readonly string[]): Promise<readonly string[]>;
  /** Makes a confirmation of these people old, so that the next issuance asks. */
  age(members: readonly Pick<Member, "id">[]): Promise<void>;
  /** Lets the time of grace of these people end. */
  endGrace(members: readonly Pick<Member, "id">[]): Promise<void>;
  presenceOf(member: Pick<Member, "id">): Promise<PresenceRow>;
  /** How many requests the provider's token endpoint received meanwhile. */
  exchangesDuring(work: () => Promise<unknown>): Promise<number>;
}

interface PresenceRow {
  readonly paused: string | null;
  readonly reason: string | null;
  readonly hasToken: boolean;
  readonly leased: boolean;
  readonly due: boolean;
}

export async function startCompany(
  settings: string = "presence = 'on'",
  limits: Parameters<typeof startOauthServer>[2] = {},
): Promise<Company> {
  const system = await startOauthServer({ AUTHZ_RATE_LIMITS: "off" }, () => [], limits);
  const { idp, database } = system;
  await database.query(`UPDATE identity_providers SET ${settings}`);
  const idsOf = (members: readonly Pick<Member, "id">[]) => [members.map(({ id }) => id)];
  return {
    ...system,
    join: async (name) => await join(name, system),
    gather: async (names) => await gather(names, system),
    async age(members) {
      await database.query(
        "UPDATE presences SET due_at = now() - interval '1 minute', confirmed_at = now() - interval '9 hours' WHERE user_id = ANY ($1)",
        idsOf(members),
      );
    },
    async endGrace(members) {
      await database.query(
        "UPDATE presences SET due_at = now() - interval '1 minute', away_since = now() - interval '2 days' WHERE user_id = ANY ($1)",
        idsOf(members),
      );
    },
    async presenceOf({ id }) {
      const [row] = await database.query<PresenceRow>(
        `SELECT u.pause_reason AS paused, p.reason, p.refresh_token IS NOT NULL AND NOT p.ending AS "hasToken",
          p.lease IS NOT NULL AS leased, coalesce(p.due_at <= now(), false) AS due
        FROM users u JOIN presences p ON p.user_id = u.id WHERE u.id = $1`,
        [id],
      );
      if (row === undefined) throw new Error("The person has never signed in.");
      return row;
    },
    async exchangesDuring(work) {
      const before = idp.tokenRequests();
      await work();
      return idp.tokenRequests() - before;
    },
  };
}

async function join(name: string, { issuer, idp, database }: OauthServer): Promise<Member> {
  const email = `${name}@acme.example`;
  addPerson(idp, name);
  await database.query(
    `INSERT INTO assignments (id, email, scope_key, created_at) VALUES (gen_random_uuid(), $1, 'authz:login', now())
     ON CONFLICT DO NOTHING`,
    [email],
  );
  const device = await RawDevice.create(issuer);
  const browser = createBrowser();
  const tokens = await device.signIn({}, browser, name);
  let refreshToken = tokens["refresh_token"] ?? "";
  const [row] = await database.query<{ id: string }>("SELECT id FROM users WHERE email = $1", [email]);
  if (row === undefined) throw new Error(`${name} did not sign in.`);
  return {
    id: row.id,
    name,
    async refresh(origin) {
      const answer = await device.refresh(refreshToken, origin === undefined ? {} : { origin });
      refreshToken = answer.body["refresh_token"] ?? refreshToken;
      return answer;
    },
    async signIn() {
      const visit = await signIn(createBrowser(), `${issuer}/sign-in`, name);
      if (visit.status !== 200) throw new Error(`${name} could not sign in.`);
    },
  };
}

/** Sign-ins at once: more only wait for each other. */
const signInsAtOnce = 8;

async function gather(
  names: readonly string[],
  { issuer, idp, database }: OauthServer,
): Promise<readonly string[]> {
  const waiting = [...names];
  await Promise.all(
    Array.from({ length: signInsAtOnce }, async () => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        addPerson(idp, name);
        await signIn(createBrowser(), `${issuer}/sign-in`, name);
      }
    }),
  );
  const rows = await database.query<{ id: string; subject: string }>(
    "SELECT user_id AS id, subject FROM presences WHERE subject = ANY ($1)",
    [names],
  );
  const ids = new Map(rows.map(({ id, subject }) => [subject, id]));
  return names.map((name) => ids.get(name) ?? "");
}

export function addPerson(idp: DevIdp, name: string, groups: readonly string[] = []): void {
  idp.setPerson({ id: name, name: `${name} of Acme`, email: `${name}@acme.example`, groups });
}
