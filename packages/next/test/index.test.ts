import { type Auth, type AuthContext, type HandlerContext, initAuthz } from "@authz/next";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { afterEach, beforeAll, describe, expect, expectTypeOf, it, vi } from "vitest";

const inside = "http://inside.example";
const context = { params: Promise.resolve({}) };

describe("@authz/next", () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  });

  /** A request as Next.js hands it on: only its path is what the client asked for. */
  async function signed(path: string, sentTo = path): Promise<Request> {
    return new Request(`${inside}${path}`, { headers: { ...(await issuer.signRequest({ url: sentTo })) } });
  }

  it("refuses a proxy with an unknown scope when it is declared", () => {
    const authz = initAuthz(issuer.url, issuer.options);
    expect(() => authz.proxy({ scopes: ["contracts:reed"] })).toThrow(/contracts:reed/);
  });

  it.each(["docs", "/docs/", "/", "https://docs.example"])("refuses the base path %s", (basePath) => {
    expect(() => initAuthz(issuer.url, { ...issuer.options, basePath })).toThrow(TypeError);
  });

  it("throws an error that is no refusal as it is, for Next.js", async () => {
    const broken = new Error("The clock is broken.");
    const authz = initAuthz(issuer.url, {
      ...issuer.options,
      clock: () => {
        throw broken;
      },
    });
    const GET = authz.requireAuth()(() => new Response("entered"));
    const request = await signed("/api/contracts");
    await expect(GET(request, context)).rejects.toBe(broken);
    await expect(authz.proxy()(request)).rejects.toBe(broken);
  });

  it("leaves the body, and what Next.js hands over, to the handler", async () => {
    const POST = initAuthz(issuer.url, issuer.options).requireAuth()(
      async (request, { auth, params }: HandlerContext<{ id: string }> & AuthContext) =>
        Response.json({ by: auth.identity.subject, id: (await params).id, body: await request.text() }),
    );
    const headers = await issuer.signRequest({ method: "POST", url: "/api/contracts/7", subject: "ada" });
    const request = new Request(`${inside}/api/contracts/7`, {
      method: "POST",
      headers: { ...headers },
      body: "signed",
    });
    const answer = await POST(request, { params: Promise.resolve({ id: "7" }) });
    expect(await answer.json()).toEqual({ by: "ada", id: "7", body: "signed" });
  });

  it("answers 404 where its own handlers have no document", async () => {
    const { GET, POST } = initAuthz(issuer.url, issuer.options).handlers;
    expect((await GET(new Request(`${inside}/.well-known/nothing`))).status).toBe(404);
    expect((await POST(new Request(`${inside}/oauth/nothing`, { method: "POST" }))).status).toBe(404);
  });

  describe("as a proxy", () => {
    it("uses no proof up, so that the handler behind it can", async () => {
      const authz = initAuthz(issuer.url, issuer.options);
      const [proxy, GET] = [authz.proxy(), authz.requireAuth()(() => new Response("entered"))];
      const request = await signed("/api/contracts");
      expect(await proxy(request)).toBeUndefined();
      expect((await GET(request, context)).status).toBe(200);
      expect(await proxy(request)).toBeUndefined();
      expect((await GET(request, context)).status).toBe(401);
    });

    it("asks for the scopes that it was given", async () => {
      const proxy = initAuthz(issuer.url, issuer.options).proxy({ scopes: ["contracts:read"] });
      expect(await proxy(await signed("/api/contracts"))).toBeUndefined();
      const { status, headers } = (await proxy(new Request(`${inside}/api/contracts`))) as Response;
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toContain('scope="contracts:read"');
    });
  });

  describe("below a base path", () => {
    it("takes a proof for the whole address, of which the handler is told a part", async () => {
      const authz = initAuthz(issuer.url, { ...issuer.options, basePath: "/docs" });
      const GET = authz.requireAuth()(() => new Response("entered"));
      expect((await GET(await signed("/api?q=1", "/docs/api?q=1"), context)).status).toBe(200);
      expect((await GET(await signed("/", "/docs"), context)).status).toBe(200);
      expect((await GET(await signed("/api"), context)).status).toBe(401);
    });

    it("sees the whole address as a proxy, and leaves its own routes open", async () => {
      const proxy = initAuthz(issuer.url, { ...issuer.options, basePath: "/docs" }).proxy();
      expect(await proxy(await signed("/docs/api"))).toBeUndefined();
      expect(await proxy(new Request(`${inside}/docs/.well-known/jwks.json`))).toBeUndefined();
      expect((await proxy(new Request(`${inside}/docsearch`)))?.status).toBe(401);
    });
  });

  describe("fetches the issuer's keys", () => {
    afterEach(() => vi.restoreAllMocks());

    it("past the cache in which Next.js keeps what a route fetches", async () => {
      const { fetch: _ofTheTest, ...options } = issuer.options;
      const asked = vi.spyOn(globalThis, "fetch").mockImplementation(issuer.options.fetch ?? fetch);
      await initAuthz(issuer.url, options).ready();
      expect(asked.mock.calls.length).toBeGreaterThan(0);
      expect(asked.mock.calls.map(([, init]) => init)).toEqual(
        asked.mock.calls.map(() => expect.objectContaining({ cache: "no-store" })),
      );
    });
  });

  it("types the caller without a cast, and only behind requireAuth", () => {
    class NextRequest extends Request {
      readonly nextUrl: URL = new URL(this.url);
    }
    const authz = initAuthz(issuer.url, issuer.options);
    const GET = authz.requireAuth()((request, { auth, params }) => {
      expectTypeOf(auth).toEqualTypeOf<Auth>();
      expectTypeOf(request).toEqualTypeOf<Request>();
      expectTypeOf(params).toEqualTypeOf<HandlerContext["params"]>();
      return new Response();
    });
    // What Next.js asks of the export of a route without parameters.
    expectTypeOf(GET).toExtend<(request: NextRequest, context: { params: Promise<{}> }) => unknown>();
    const withParameters = authz.requireAuth()(
      async (request: NextRequest, { auth, params }: HandlerContext<{ id: string }> & AuthContext) =>
        new Response(`${request.nextUrl.pathname} ${auth.identity.subject} ${(await params).id}`),
    );
    expectTypeOf(withParameters).toEqualTypeOf<
      (request: NextRequest, context: HandlerContext<{ id: string }>) => Promise<Response>
    >();
    // @ts-expect-error No caller is verified here.
    const unguarded = (_request: Request, { auth }: HandlerContext) => new Response(String(auth));
    expect(unguarded).toBeInstanceOf(Function);
  });
});
