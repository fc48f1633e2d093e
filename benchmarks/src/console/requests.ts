/** One kind of request that is measured. */
export interface MeasuredRequest {
  /** What it stands for; those of one list follow each other. */
  readonly name: string;
  /** Below `/api/admin/v1`. */
  readonly path: string;
  readonly body?: unknown;
  /** How many pages by cursor come before the measured one. */
  readonly pages?: number;
}

const person = "10000000-0000-4000-8000-000000000007";
/** `sorts | words that are searched for | filters` of each list. */
const lists: Readonly<Record<string, string>> = {
  "/scopes": "key, createdAt | area, area 77 | system=true",
  "/resources": "name, key, createdAt | service, contracts 8 | enabled=false, scope=area-8:read",
  "/assignments":
    "assignee, scope, createdAt | acme, person77, team | email=person7@acme.example, scope=authz:login, scope=area-8:read, group=g2, group=g2:team-1",
  "/users":
    "email, name, lastSignedInAt, createdAt | acme, ada, person777 acme, nobody | enabled=false, enabled=true",
  "/group-providers": "key, name | g1 | type=claim",
  "/groups": "key | team, team 77 | provider=g2",
  "/clients": "name, id | nightly, client 7 | type=machine, enabled=false",
  "/identity-providers": "key, name | p1 | enabled=true",
  "/sessions": `signedInAt | acme, ada, person777, nobody | user=${person}, provider=p2`,
  "/grants": `createdAt | acme, ada, person777, nobody | user=${person}, client=authz-cli, client=client-1, state=live, state=ended`,
  "/skills": "title, id, updatedAt | way, 77",
  "/skills/skill-1/audience": "email | ada, person777",
  "/skills/skill-3/audience": "email",
  "/catalogs": "key, attemptedAt | service, 77 | state=stale, state=failed, state=fresh",
};

const auditSearches: readonly (readonly [name: string, query: string])[] = [
  ["newest", ""],
  ["one type", "type=sign_in.refused"],
  ["three types", "type=sign_in.refused&type=consent.given&type=token.refused"],
  ["denied", "outcome=denied"],
  ["failed", "outcome=failed"],
  ["a person as actor, by address", "actor=person7@acme.example"],
  ["a person, by id", `subject=${person}`],
  ["a client", "client=client-7"],
  ["a day long ago", "from={300d}&to={299d}"],
  ["a type and an outcome that never meet", "type=consent.given&outcome=denied"],
  ["a client and an outcome that never meet", "client=client-7&outcome=failed"],
  ["a person and a type", `subject=${person}&type=sign_in.completed`],
  ["a word of nearly all", "q=authz"],
  ["a word of a third", "q=assertion"],
  ["a word of none", "q=zanzibar"],
  ["a word of fifty", "q=provider_unreachable"],
  ["a word of old events only", "q=legacy"],
  ["a person's address", "q=person777@acme.example"],
  ["a first name, a tenth", "q=grace"],
  ["a service's key", "q=service-777"],
  ["two frequent words", "q=authz refused"],
  ["a frequent and a rare word", "q=authz provider_unreachable"],
  ["two words that never meet", "q=legacy assertion"],
  ["a prefix of many words", "q=perso"],
  ["a short prefix", "q=a"],
  ["a word and a type", "q=grace&type=sign_in.refused"],
  ["a word, a type and an outcome", "q=family7&type=token.refused&outcome=denied"],
  ["a frequent word, a day long ago", "q=authz&from={300d}&to={299d}"],
  ["an old word, recent days", "q=legacy&from={30d}"],
];

/** Every list, the audit search, and the pages of the console that compute something. */
export function measuredRequests(now: Date): readonly MeasuredRequest[] {
  return [...Object.entries(lists).flatMap(requestsOfList), ...requestsOfAudit(now), ...others];
}

function requestsOfList([path, text]: readonly [path: string, text: string]): readonly MeasuredRequest[] {
  const [sorts = [], words = [], filters = []] = text.split(" | ").map((part) => part.split(", "));
  const last = sorts.at(-1);
  return [
    { name: `${path}, first page`, path },
    { name: `${path}, first page of 200`, path: `${path}?limit=200` },
    { name: `${path}, ninth page of 200`, path: `${path}?limit=200`, pages: 8 },
    ...sorts
      .flatMap((sort) => [sort, `-${sort}`])
      .map((sort) => ({ name: `${path}, by ${sort}`, path: `${path}?sort=${sort}` })),
    ...words.map((word) => ({ name: `${path}, "${word}"`, path: `${path}?q=${encodeURIComponent(word)}` })),
    ...words.slice(0, 1).map((word) => ({
      name: `${path}, "${word}", 200 by ${last}`,
      path: `${path}?q=${encodeURIComponent(word)}&limit=200&sort=${last}`,
    })),
    ...filters.map((filter) => ({ name: `${path}, ${filter}`, path: `${path}?limit=200&${filter}` })),
  ];
}

function requestsOfAudit(now: Date): readonly MeasuredRequest[] {
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString();
  return [
    ...auditSearches.map(([name, query]) => {
      const given = query.replaceAll(/\{(\d+)d\}/g, (_, days: string) => daysAgo(Number(days)));
      return { name: `/audit-events, ${name}`, path: `/audit-events?${given}` };
    }),
    { name: "/audit-events, newest, ninth page of 200", path: "/audit-events?limit=200", pages: 8 },
    { name: "/audit-events, frequent word, ninth page", path: "/audit-events?q=authz&limit=200", pages: 8 },
    { name: "/audit-events, rare word and page", path: "/audit-events?q=grace refused", pages: 8 },
    { name: "/audit-events/{id}", path: "/audit-events/4242" },
  ];
}

const others: readonly MeasuredRequest[] = [
  { name: "/overview", path: "/overview" },
  { name: "/session", path: "/session" },
  { name: "/settings", path: "/settings" },
  { name: "/signing-keys", path: "/signing-keys" },
  { name: "/users/{id}", path: `/users/${person}` },
  { name: "/resources/{key}", path: "/resources/service-7" },
  { name: "/scopes/{key}", path: "/scopes/area-8:read" },
  { name: "/explain, a resource", path: "/explain?email=person7@acme.example&resource=service-7" },
  { name: "/explain, this server", path: "/explain?email=person7@acme.example&scope=authz:login" },
  {
    name: "preview: one assignment",
    path: "/assignments?preview=true",
    body: { email: "new@acme.example", scope: "area-8:read" },
  },
  {
    name: "preview: a scope for a group",
    path: "/assignments?preview=true",
    body: { group: { provider: "g2", key: "everybody" }, scope: "area-8:read" },
  },
  {
    name: "preview: 500 assignments of a scope of all",
    path: "/assignments/bulk?preview=true",
    body: {
      create: Array.from({ length: 500 }, (_, n) => ({
        email: `new${n}@acme.example`,
        scope: "authz:login",
      })),
      remove: [],
    },
  },
];

/** The administrator's browser, as the API sees it. */
export interface Administrator {
  /** @throws {Error} The answer is not what was expected: the installation is not right. */
  send(
    request: MeasuredRequest,
  ): Promise<{ readonly milliseconds: number; readonly items: number | undefined }>;
  /** Makes the server check the beginning of the trail, so that what was seeded is what it would have stored. */
  checkTrail(): Promise<void>;
  /** The address of the page that is measured, behind those that come before it. */
  toPage(request: MeasuredRequest): Promise<string>;
}

/** The members of answers that are looked at. */
interface Answer {
  readonly csrfToken: string;
  readonly items?: readonly unknown[];
  readonly intact: boolean;
  readonly faults: readonly unknown[];
  readonly nextCursor: string | null;
}

export async function connectAdministrator(origin: string, cookie: string): Promise<Administrator> {
  const { csrfToken } = (await send("/session")).body;

  async function send(path: string, sent?: unknown) {
    const started = performance.now();
    const answer = await fetch(`${origin}/api/admin/v1${path}`, {
      headers: {
        cookie,
        ...(sent !== undefined && { origin, "content-type": "application/json", "x-authz-csrf": csrfToken }),
      },
      ...(sent !== undefined && { method: "POST", body: JSON.stringify(sent) }),
    });
    const text = await answer.text();
    const milliseconds = performance.now() - started;
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
    return { milliseconds, body: JSON.parse(text) as Answer };
  }

  return {
    async send({ path, body: sent }) {
      const { milliseconds, body } = await send(path, sent);
      return { milliseconds, items: body.items?.length };
    },
    async checkTrail() {
      const { body } = await send("/audit-events/verification");
      if (!body.intact)
        throw new Error(
          `The trail is not what the server would have stored: ${JSON.stringify(body.faults[0])}`,
        );
    },
    async toPage({ path, pages = 0 }) {
      let at = path;
      for (let page = 0; page < pages; page += 1) {
        const { nextCursor } = (await send(at)).body;
        if (nextCursor === null) break;
        at = `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(nextCursor)}`;
      }
      return at;
    },
  };
}
