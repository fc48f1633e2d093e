import { createServer, type RequestListener } from "node:http";
import { listen } from "@authz/contract-tests";
import { getAuth, initAuthz } from "@authz/express";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import express from "express";
import express4 from "express-4";
import { beforeAll, describe, expect, it } from "vitest";

const frameworks = [
  ["Express 5", express],
  ["Express 4.19", express4],
] as const;

/** What a handler finds, without the types that promise it. */
const show: express.RequestHandler = (req, res) => {
  const { auth } = req as { auth?: { identity?: { subject: string }; name?: string } };
  res.json({ auth: auth?.identity?.subject ?? auth?.name ?? null });
};
/** Another package that writes to the same property. */
const writeOther: express.RequestHandler = (req, _res, next) => {
  (req as { auth?: unknown }).auth = { name: "another package's" };
  next();
};
const showOurs: express.RequestHandler = (req, res) => void res.json({ auth: getAuth(req).identity.subject });

describe.each(frameworks)("req.auth on %s", (_name, framework) => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  });

  const subject = "user-1";

  async function ask(app: RequestListener, path: string): Promise<unknown> {
    const { origin, close } = await listen(createServer(app));
    const headers = await issuer.signRequest({ url: path, subject });
    try {
      const answer = await fetch(`${origin}${path}`, { headers: { ...headers } });
      return answer.status === 200 ? ((await answer.json()) as { auth: unknown }).auth : answer.status;
    } finally {
      await close();
    }
  }

  it("is the caller behind requireAuth, and nothing on a route without", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const app = framework();
    authz.registerRoutes(app);
    app.get("/closed", authz.requireAuth(), show);
    app.get("/open", show);
    expect(await ask(app, "/closed")).toBe(subject);
    expect(await ask(app, "/open")).toBe(null);
  });

  it("is what was written last", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const app = framework();
    authz.registerRoutes(app);
    app.get("/before", writeOther, authz.requireAuth(), show);
    app.get("/after", authz.requireAuth(), writeOther, show);
    app.get("/after/ours", authz.requireAuth(), writeOther, showOurs);
    app.get("/theirs", writeOther, show);
    expect(await ask(app, "/before")).toBe(subject);
    expect(await ask(app, "/after")).toBe("another package's");
    expect(await ask(app, "/after/ours")).toBe(subject);
    expect(await ask(app, "/theirs")).toBe("another package's");
  });

  it("stays when a mounted application hands the request back", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const inner = framework();
    authz.registerRoutes(inner);
    inner.use(authz.requireAuth());
    const outer = framework();
    outer.use(inner);
    outer.get("/outer", show);
    expect(await ask(outer, "/outer")).toBe(subject);
  });

  it("is there where only a router has the routes", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const router = framework.Router();
    authz.registerRoutes(router);
    router.get("/routed", authz.requireAuth(), show);
    expect(await ask(framework().use(router), "/routed")).toBe(subject);
  });

  it("is one property of the prototype, however often the routes are registered", async () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const app = framework();
    authz.registerRoutes(app);
    authz.registerRoutes(app);
    const own: express.RequestHandler = (req, res) => void res.json({ auth: Object.hasOwn(req, "auth") });
    app.get("/own", authz.requireAuth(), own);
    expect(await ask(app, "/own")).toBe(false);
  });
});

it("is a property of the request where Express has not made it its own", async () => {
  const issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  const authenticate = initAuthz(issuer.url, issuer.options).requireAuth();
  const server = createServer((req, res) => {
    authenticate(Object.assign(req, { originalUrl: req.url ?? "" }), res, () => {
      res.end(String(Object.hasOwn(req, "auth")));
    });
  });
  const { origin, close } = await listen(server);
  const headers = await issuer.signRequest({ url: "/plain" });
  expect(await (await fetch(`${origin}/plain`, { headers: { ...headers } })).text()).toBe("true");
  await close();
});
