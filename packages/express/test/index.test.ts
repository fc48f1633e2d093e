import { type Auth, initAuthz } from "@authz/express";
import { createServer } from "node:http";
import { listen } from "@authz/contract-tests";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import express from "express";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";

describe("@authz/express", () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  });

  it("hands an error that is no refusal to the error middleware as it is", async () => {
    const broken = new Error("The clock is broken.");
    const authz = initAuthz(issuer.url, {
      ...issuer.options,
      clock: () => {
        throw broken;
      },
    });
    const seen: unknown[] = [];
    const app = express();
    authz.registerRoutes(app);
    app.get("/api/contracts", authz.requireAuth(), (_req, res) => void res.send("entered"));
    const onError: express.ErrorRequestHandler = (error, _req, res, _next) => {
      seen.push(error);
      res.status(500).send("handled");
    };
    app.use(onError);
    const { origin, close } = await listen(createServer(app));

    const headers = await issuer.signRequest({ url: "/api/contracts" });
    const answer = await fetch(`${origin}/api/contracts`, { headers: { ...headers } });
    expect(await answer.text()).toBe("handled");
    expect(seen).toEqual([broken]);
    await close();
  });

  it("types the request without a cast, on applications and routers", () => {
    const authz = initAuthz(issuer.url, issuer.options);
    const handler: express.RequestHandler = (req) => expectTypeOf(req.auth).toEqualTypeOf<Auth>();
    express().get("/a/:id", authz.requireAuth(), handler);
    express().get("/b/:id", authz.requireAuth(), (req) => {
      expectTypeOf(req.auth.identity.subject).toBeString();
      expectTypeOf(req.params.id).toBeString();
    });
    express
      .Router()
      .use(authz.requireAuth())
      .get("/", (req) => expectTypeOf(req.auth.identity.type).toEqualTypeOf<"user" | "machine">());
    expect(handler).toBeTypeOf("function");
  });

  it("leaves the body's type to Express, wherever the guard stands", () => {
    const guard = initAuthz(issuer.url, issuer.options).requireAuth();
    const app = express();
    app.post("/a/:id", guard, (req, res) => {
      expectTypeOf(req.body).toBeAny();
      expectTypeOf(req.params.id).toBeString();
      res.json({ title: req.body.title });
    });
    app.use("/c", guard, (req) => expectTypeOf(req.body).toBeAny());
    app.route("/d").post(guard, (req) => expectTypeOf(req.body).toBeAny());
    express.Router().post("/e", guard, (req) => expectTypeOf(req.body).toBeAny());
    app.post("/f", guard, (req: express.Request<object, object, { title: string }>) => {
      expectTypeOf(req.body.title).toBeString();
    });
    app.post<"/g", object, unknown, { title: string }>("/g", guard, (req) => {
      expectTypeOf(req.body.title).toBeString();
    });
    expect(guard).toHaveLength(3);
  });
});
