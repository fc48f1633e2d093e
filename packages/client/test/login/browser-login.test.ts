import { describe, expect, it } from "vitest";
import { memoryStore, type SignInAddress } from "../../src/index.js";
import { expectFailure } from "../support/expect-error.js";
import { forEachTest } from "../support/for-each-test.js";
import {
  callback,
  denial,
  fault,
  itRefuses,
  metadata,
  type Refusal,
  tokenAnswer,
} from "../support/login-refusals.js";
import { readPayload } from "../support/test-authorization-server.js";
import { startTestWorld, visit } from "../support/test-world.js";

const world = forEachTest(startTestWorld);

describe("a sign-in", () => {
  it("ends with a stored session and says who signed in", async () => {
    const store = memoryStore();
    const session = await world.client({ store }).login({ openBrowser: visit });
    expect(session).toMatchObject({ subject: "user-ada", email: "ada@acme.example", name: "Ada Lovelace" });
    expect(await world.client({ store }).session()).toEqual(session);
    expect(JSON.stringify(session)).not.toContain(world.server.grants[0]?.refreshToken);
  });

  it("binds the code to a new device key and asks for the scopes of the client", async () => {
    const client = world.client();
    await client.login({ openBrowser: visit });
    const first = world.server.seen.find(({ path }) => path === "/api/oauth/authorize")?.url.searchParams;
    await client.login({ openBrowser: visit });
    const second = world.server.seen.findLast(({ path }) => path === "/api/oauth/authorize")?.url
      .searchParams;
    expect(first?.get("dpop_jkt")).toBe(world.server.grants[0]?.jkt);
    expect(second?.get("dpop_jkt")).not.toBe(first?.get("dpop_jkt"));
    expect(first?.get("scope")).toBe("openid profile email offline_access authz:login");
    expect(first?.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
  });

  it("says what the device is called, or nothing when that is not wanted", async () => {
    const names = () =>
      world.server.seen
        .filter(({ path }) => path === "/api/oauth/token")
        .map(({ form }) => form.get("device_name"));
    await world.client().login({ openBrowser: visit });
    await world.client().login({ openBrowser: visit, deviceName: "build-7" });
    await world.client().login({ openBrowser: visit, deviceName: "" });
    expect(names()).toEqual([expect.stringMatching(/\S+ \(.+\)$/), "build-7", null]);
  });

  it("shows the address and the device code before the browser opens", async () => {
    const order: string[] = [];
    let shown: SignInAddress | undefined;
    await world.client().login({
      onAddress: (address) => {
        shown = address;
        order.push("address");
      },
      openBrowser: async (url) => {
        order.push("browser");
        await visit(url);
      },
    });
    const jkt = world.server.grants[0]?.jkt ?? "";
    expect(shown?.deviceCode).toBe(`${jkt.slice(0, 4)}-${jkt.slice(4, 8)}`);
    expect(order).toEqual(["address", "browser"]);
  });

  it("goes on when the browser cannot be opened but the address was shown", async () => {
    const session = await world.client().login({
      onAddress: ({ url }) => {
        void visit(url);
      },
      openBrowser: async () => {
        throw new Error("no browser here");
      },
    });
    expect(session.subject).toBe("user-ada");
  });

  it("revokes the session that was there before", async () => {
    const client = await world.signedIn();
    await client.login({ openBrowser: visit });
    expect(world.server.grants.map(({ revoked }) => revoked)).toEqual([true, false]);
  });

  it("works with a server that wants a nonce in every proof", async () => {
    world.server.nonce = "server-nonce-1";
    expect((await (await world.signedIn()).me()).subject).toBe("user-ada");
  });

  it("tells the person in the browser how it ended, in their language, without scripts", async () => {
    const pages: Promise<Response>[] = [];
    const openBrowser = async (url: string): Promise<void> => {
      pages.push(fetch(url, { headers: { "accept-language": "de-AT,de;q=0.9" } }));
    };
    world.server.person.name = '<img src="x">';
    await world.client().login({ openBrowser });
    const good = await pages[0];
    expect(good?.status).toBe(200);
    expect(good?.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(good?.headers.get("cache-control")).toBe("no-store");
    const html = (await good?.text()) ?? "";
    expect(html).toContain("Sie sind angemeldet.");
    expect(html).toContain("&lt;img src=&quot;x&quot;&gt;");
    expect(html).not.toMatch(/<script|<img/);

    world.server.denyNext = { error: "access_denied" };
    await expectFailure(world.client().login({ openBrowser }), "sign_in_denied");
    const bad = await pages[1];
    expect(bad?.status).toBe(400);
    expect(await bad?.text()).toContain("Die Anmeldung wurde nicht zugelassen.");
  });

  it("says in the browser why it failed, with the server's words as words", async () => {
    const pages: Promise<Response>[] = [];
    const openBrowser = async (url: string): Promise<void> => {
      pages.push(fetch(url, { headers: { "accept-language": "en" } }));
    };
    world.server.denyNext = { error: "access_denied", error_description: "Ask <b>Aisha</b>." };
    await expectFailure(world.client().login({ openBrowser }), "sign_in_denied");
    const declined = (await (await pages[0])?.text()) ?? "";
    expect(declined).toContain("<h1>Signing in was not allowed.</h1>");
    expect(declined).toContain("Ask &lt;b&gt;Aisha&lt;/b&gt;.");

    world.server.denyNext = { error: "invalid_scope" };
    await expectFailure(world.client().login({ openBrowser }), "sign_in_failed");
    const failed = (await (await pages[1])?.text()) ?? "";
    expect(failed).toContain("<h1>Signing in did not work.</h1>");
    expect(failed).toContain("The server answered: &quot;invalid_scope&quot;");
  });
});

describe("the loopback listener", () => {
  it("ignores visits that do not carry the state, other paths, methods and host names", async () => {
    const statuses: number[] = [];
    const openBrowser = async (url: string): Promise<void> => {
      const redirectUri = new URL(url).searchParams.get("redirect_uri") ?? "";
      const strangers = [
        fetch(`${redirectUri}?code=x&state=wrong`),
        fetch(`${redirectUri}?error=access_denied`),
        fetch(redirectUri.replace("/callback", "/other")),
        fetch(redirectUri, { method: "POST" }),
        fetch(redirectUri.replace("127.0.0.1", "localhost")).catch(() => new Response(null, { status: 404 })),
      ];
      for (const stranger of await Promise.all(strangers)) statuses.push(stranger.status);
      await visit(url);
    };
    expect((await world.client().login({ openBrowser })).subject).toBe("user-ada");
    expect(statuses).toEqual([400, 400, 404, 404, 404]);
  });

  it("stops waiting on Ctrl-C and stores nothing", async () => {
    const stop = new AbortController();
    const client = world.client();
    const login = client.login({ onAddress: () => stop.abort(), signal: stop.signal });
    await expectFailure(login, "sign_in_cancelled");
    expect(await client.session()).toBeUndefined();
  });

  it("stops waiting after the given time", async () => {
    const login = world.client().login({ onAddress: () => undefined, timeoutSeconds: 0.01 });
    const error = await expectFailure(login, "sign_in_timed_out");
    expect(error.message).toContain("within 0.01 seconds");
  });
});

const metadataPath = "/.well-known/oauth-authorization-server";
const page = { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" };

const forAnotherClient = (body: Record<string, unknown>): void => {
  const [header = "", , signature = ""] = String(body.id_token).split(".");
  const claims = { ...readPayload(String(body.id_token)), aud: "another-client" };
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  body.id_token = `${header}.${payload}.${signature}`;
};

const evil = "https://evil.example";
const elsewhere = "http://authz.example/api/oauth/token";
const refusals: readonly Refusal[] = [
  [
    "an answer of another issuer (mix-up)",
    "sign_in_failed",
    "not from this server",
    callback((p) => p.set("iss", evil)),
  ],
  ["an answer without iss", "sign_in_failed", "not from this server", callback((p) => p.delete("iss"))],
  [
    "an answer with two issuers",
    "sign_in_failed",
    "not from this server",
    callback((p) => p.append("iss", evil)),
  ],
  ["an answer without a code", "sign_in_failed", "has no code", callback((p) => p.delete("code"))],
  [
    "a code the server does not know",
    "sign_in_failed",
    "invalid_grant",
    callback((p) => p.set("code", "other")),
  ],
  [
    "a person who declines",
    "sign_in_denied",
    "Ask Aisha.",
    denial({ error: "access_denied", error_description: "Ask Aisha." }),
  ],
  [
    "a request the server does not understand",
    "sign_in_failed",
    "invalid_scope",
    denial({ error: "invalid_scope" }),
  ],
  [
    "a Bearer token in place of a bound one",
    "invalid_answer",
    "token_type",
    tokenAnswer((body) => (body.token_type = "Bearer")),
  ],
  [
    "a token answer without an ID token",
    "sign_in_failed",
    "OpenID Connect",
    tokenAnswer((body) => delete body.id_token),
  ],
  [
    "a token answer without a refresh token",
    "invalid_answer",
    "refresh_token",
    tokenAnswer((body) => delete body.refresh_token),
  ],
  ["an ID token for another client", "sign_in_failed", "OpenID Connect", tokenAnswer(forAnotherClient)],
  [
    "metadata of another issuer",
    "invalid_answer",
    "evil.example",
    metadata((document) => (document.issuer = evil)),
  ],
  [
    "a token endpoint in plain http elsewhere",
    "invalid_answer",
    "token_endpoint",
    metadata((document) => (document.token_endpoint = elsewhere)),
  ],
  [
    "metadata without an authorization endpoint",
    "invalid_answer",
    "authorization_endpoint",
    metadata((document) => delete document.authorization_endpoint),
  ],
  ["metadata that is a web page", "invalid_answer", "not JSON", fault(metadataPath, page)],
  ["a server that is down for maintenance", "unreachable", "503", fault(metadataPath, { status: 503 })],
  ["a token endpoint that breaks off", "unreachable", "closed", fault("/api/oauth/token", "drop")],
];

describe("a sign-in is refused", () => {
  itRefuses(refusals, world, (client) => client.login({ openBrowser: visit }));

  it("when the issuer is not https and not on this computer", () => {
    for (const issuer of [
      "http://authz.example",
      "ftp://x.example",
      "https://a:b@x.example",
      "authz.example",
      "https://x.example/?q",
    ])
      expect(() => world.client({ issuer })).toThrow("is not the address of an authorization server");
  });

  it("when the address is neither opened nor shown", async () => {
    await expect(world.client().login({})).rejects.toThrow(TypeError);
  });
});
