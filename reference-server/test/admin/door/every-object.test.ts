import { afterAll, describe, expect, test } from "vitest";
import { connectorSecret, createConnectorAdmin, notesConnector } from "../../support/admin-connectors.js";
import { describeRoutes } from "../../support/admin-routes.js";
import { receiver } from "../../support/signals.js";
import { startTransmitter, transmitterToken } from "../../support/transmitter.js";

const { server } = await createConnectorAdmin();
const { routes, schemas } = await describeRoutes(server);
const transmitter = await startTransmitter();
afterAll(async () => {
  await server.close();
  await transmitter.close();
});

type Values = Readonly<Record<string, unknown>>;

/** An object of one kind: how it is created and changed, and what its answers and its events say. */
interface Example {
  readonly body: Values;
  /** What answers have beside the body. */
  readonly shown?: Values;
  /** What of the body no answer has. */
  readonly hidden?: readonly string[];
  readonly change: Values;
  readonly events?: readonly (readonly [type: string, data: Values])[];
}

const scopes = ["notes:use"];
const examples: Readonly<Record<string, Example>> = {
  "/scopes": {
    body: { key: "reports:read", description: "Read reports" },
    shown: { system: false, resources: [], assignments: 0, decidable: true },
    change: { description: "Look at reports" },
    events: eventsOf("scope", { key: "reports:read" }, ["description"]),
  },
  "/resources": {
    body: {
      key: "reports",
      name: "Reports",
      resource: "https://reports.example/api",
      authorizationServer: "https://reports.example",
      clientId: "authz-cli",
      requestPrefixes: ["https://reports.example/api"],
      supportedScopes: scopes,
    },
    shown: {
      requestHeaders: [],
      enabled: true,
      skillDiscovery: false,
      allowsBearer: false,
      agentCalls: true,
      rules: [],
      owners: [],
      authorizationDetailsTypes: [],
      builtIn: false,
    },
    change: { name: "All reports" },
    events: eventsOf("resource", { key: "reports", resource: "https://reports.example/api" }, ["name"]),
  },
  "/clients": {
    body: { type: "public", id: "portal", name: "Portal", redirectUris: ["http://127.0.0.1/callback"] },
    shown: {
      source: "registered",
      host: null,
      trusted: true,
      keys: [],
      grantTypes: expect.arrayContaining(["refresh_token"]) as unknown,
      dpopBound: true,
      scopes: [],
      ceiling: null,
      builtIn: false,
      enabled: true,
      grants: 0,
    },
    change: { name: "Our portal" },
    events: eventsOf("client", { id: "portal", type: "public" }, ["name"]),
  },
  "/app-hosts": {
    body: { host: "claude.ai", name: "Claude" },
    shown: { allowed: true, clients: 0, askedBy: 0 },
    change: { allowed: false },
    events: [
      ["app_host.changed", { host: "claude.ai", allowed: { from: null, to: true } }],
      ["app_host.changed", { host: "claude.ai", allowed: { from: true, to: false } }],
      ["app_host.changed", { host: "claude.ai", allowed: { from: false, to: null } }],
    ],
  },
  "/group-providers": {
    body: { type: "claim", key: "acme-groups", name: "Acme groups", provider: "acme" },
    shown: { url: null, hasSecret: false, enabled: true, assignments: 0, roleScopes: [] },
    change: { name: "Groups of Acme" },
    events: [
      ["group_provider.created", { key: "acme-groups", source: "claim" }],
      ["group_provider.changed", { key: "acme-groups", fields: ["name"] }],
      ["group_provider.removed", { key: "acme-groups" }],
    ],
  },
  "/identity-providers": {
    body: {
      key: "okta",
      name: "Okta",
      issuer: "https://acme.okta.example",
      clientId: "authz",
      tokenEndpointAuthMethod: "none",
      scopes: ["openid", "email"],
    },
    shown: {
      buttonLabel: null,
      discoveryUrl: null,
      hasClientSecret: false,
      allowedEmailDomains: [],
      allowsAssertions: false,
      provisioningAttribute: "externalId",
      provisioningClaim: "sub",
      logoutEndsApps: false,
      presence: "off",
      presenceIntervalSeconds: 28_800,
      presenceState: { alarm: null, confirmed: 0, inGrace: 0, paused: 0, withoutToken: 0 },
      graceSeconds: 86_400,
      signInEveryDays: null,
      enabled: false,
      test: { state: "none", testedAt: null },
      people: 0,
      callbackUrl: "http://127.0.0.1:3000/sign-in/callback/okta",
      backchannelLogoutUri: "http://127.0.0.1:3000/sign-in/back-channel-logout/okta",
      groupProvider: null,
    },
    change: { name: "Okta of Acme" },
    events: eventsOf("provider", { key: "okta", issuer: "https://acme.okta.example" }, ["name"]),
  },
  "/signal-streams": {
    body: {
      key: "signals",
      name: "Acme signals",
      provider: "acme",
      transmitter: transmitter.issuer,
      token: transmitterToken,
    },
    hidden: ["token"],
    shown: {
      delivery: "push",
      streamId: "stream-1",
      audience: receiver,
      opaqueSubjects: "ignored",
      maxAgeSeconds: 604_800,
      enabled: true,
      hasToken: true,
      hasCredential: true,
      pushUrl: "http://127.0.0.1:3000/signals/signals",
      health: "waiting",
      failure: null,
      failingSince: null,
      transmitterStatus: "enabled",
      lastReceivedAt: null,
      lastLagSeconds: null,
      lastRefusedAt: null,
      lastRefusal: null,
      verificationRequestedAt: null,
      verifiedAt: null,
      counts: {
        acted: 0,
        withoutEffect: 0,
        unknownSubject: 0,
        unknownEvent: 0,
        stale: 0,
        repeated: 0,
        refused: 0,
      },
    },
    change: { name: "Signals of Acme" },
  },
  "/connectors": {
    body: notesConnector,
    hidden: ["clientSecret", "scopes"],
    shown: {
      issuer: null,
      revocationEndpoint: null,
      accountEndpoint: null,
      tokenEndpointAuthMethod: "client_secret_basic",
      authorizationParameters: {},
      owners: [],
      hasClientSecret: true,
      keyReadable: true,
      scopes: [
        { scope: "notes:read", description: null, required: true, byDefault: true },
        { scope: "notes:write", description: null, required: false, byDefault: false },
      ],
      methods: ["GET", "HEAD"],
      requestHeaders: [],
      limits: {
        requestBytes: 10_485_760,
        responseBytes: 10_485_760,
        timeoutSeconds: 30,
        requestsPerMinute: 600,
      },
      rules: [],
      enabled: true,
      connections: { connected: 0, reconnectRequired: 0, disconnecting: 0 },
      test: null,
      callbackUrl: "http://127.0.0.1:3000/connections/callback/notes",
    },
    change: { name: "All notes" },
    events: eventsOf("connector", { key: "notes", kind: "oauth2" }, ["name"]),
  },
  "/skills": {
    body: { id: "onboarding", title: "First day", requiredScopes: scopes, content: "# First day" },
    shown: {
      publishedId: "installation.onboarding",
      description: null,
      tags: [],
      visibility: "DEFAULT",
      published: true,
    },
    change: { title: "The first day" },
    events: eventsOf("skill", { id: "onboarding" }, ["title"]),
  },
};

function eventsOf(object: string, named: Values, fields: readonly string[]): NonNullable<Example["events"]> {
  const [[member, id] = []] = Object.entries(named);
  return [
    [`${object}.created`, named],
    [`${object}.changed`, { [String(member)]: id, fields }],
    [`${object}.removed`, named],
  ];
}

interface JsonSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, { readonly type?: string; readonly pattern?: string }>>;
  readonly required?: readonly string[];
}

/** An object with nothing but texts, by the schema of its body, for an area that is new. */
function invent(json: unknown): Example {
  const { $ref, properties = {}, required = [] } = json as JsonSchema;
  if ($ref !== undefined) return invent(schemas[$ref.split("/").at(-1) ?? ""]);
  const texts = required.map((name) => [name, properties[name]?.pattern === undefined ? "Some text" : "one"]);
  return { body: Object.fromEntries(texts), change: { [required.at(-1) ?? ""]: "Another text" } };
}

/** Every kind of object that can be created, changed and removed by its id. */
const kinds = routes.flatMap(({ method, path, ifMatch }) => {
  const [, list = "", id = ""] = /^(\/[a-z-]+)\/\{(\w+)\}$/.exec(path) ?? [];
  const create = routes.find((route) => route.method === "POST" && route.path === list);
  const change = routes.find((route) => route.method === "PATCH" && route.path === path);
  if (method !== "DELETE" || !ifMatch || create === undefined || change === undefined) return [];
  const example = examples[list] ?? invent(create.json);
  const object = `${list}/${encodeURIComponent(String(example.body[id]))}`;
  return [{ list, id, object, previews: create.parameters.includes("preview"), ...example }];
});

test("every example is of a kind of object", () => {
  const lists = kinds.map(({ list }) => list);
  expect(Object.keys(examples).filter((list) => !lists.includes(list))).toEqual([]);
});

describe.each(kinds)("an object of $list", (kind) => {
  const { list, id, object, previews, body, shown, hidden = [], change, events } = kind;
  const create = (query = "") => server.request("POST", `${list}${query}`, { body });
  const patch = (version: number) => server.request("PATCH", object, { body: change, version });
  const remove = (version: number) => server.request("DELETE", object, { version });
  const told = Object.fromEntries(Object.entries(body).filter(([name]) => !hidden.includes(name)));

  test.each(["GET", "PATCH", "DELETE"])("that is not there is not found by %s", async (method) => {
    const options = method === "PATCH" ? { body: change, version: 1 } : { version: 1 };
    const answer = await server.request(method, object, options);
    expect([answer.status, answer.body["error"]]).toEqual([404, "not_found"]);
  });

  test.runIf(previews)("is not created by a preview", async () => {
    const recorded = (await server.audit()).length;
    const preview = await create("?preview=true");
    expect([preview.status, Object.keys(preview.body)]).toEqual([200, ["impact"]]);
    expect((await server.request("GET", object)).status).toBe(404);
    expect(await server.audit()).toHaveLength(recorded);
  });

  test("is created, shown, listed, changed and removed, and each change is audited", async () => {
    const recorded = (await server.audit()).length;
    const created = await create();
    expect([created.status, created.headers["etag"]]).toEqual([201, '"1"']);
    const at = "2026-11-20T12:00:00.000Z";
    const whole = { ...told, ...shown, createdAt: at, updatedAt: at, version: 1 };
    expect(created.body).toEqual(whole);
    expect(created.text).not.toContain(connectorSecret);
    expect((await server.request("GET", object)).body).toEqual(created.body);
    const found = await server.request("GET", `${list}?q=${encodeURIComponent(String(body[id]))}`);
    expect(found.body).toMatchObject({ items: [{ [id]: body[id] }], nextCursor: null });

    const twice = await create();
    expect([twice.status, twice.body["error"]]).toEqual([409, "already_exists"]);
    expect(twice.body["fields"]).toMatchObject([{ path: id }]);

    const changed = await patch(1);
    expect(changed.body).toEqual({ ...whole, ...change, version: 2 });
    expect((await patch(2)).body).toMatchObject({ version: 2 });
    for (const late of [await patch(1), await remove(1)]) {
      expect([late.status, late.body["error"]]).toEqual([412, "version_conflict"]);
      expect(late.body["current"]).toEqual(changed.body);
    }
    expect((await server.request("PATCH", object, { body: { [id]: "moved" }, version: 2 })).status).toBe(400);

    const removed = await remove(2);
    expect([removed.status, removed.text]).toEqual([204, ""]);
    expect((await server.request("GET", object)).status).toBe(404);

    const trail = (await server.audit()).slice(recorded);
    const [name] = trail[0]?.type.split(".") ?? [];
    const usual = eventsOf(String(name), { [id]: body[id] }, Object.keys(change));
    expect(trail.map(({ type, data }) => [type, data])).toEqual(events ?? usual);
    expect(trail.map(({ actor_id: actor }) => actor)).toEqual(trail.map(() => server.ada.user.id));
    expect(trail.every(({ request_id: request }) => request !== null)).toBe(true);
  });
});
