import { type Auth, type AuthState, initAuthz } from "@authz/koa";
import { createServer } from "node:http";
import { listen } from "@authz/contract-tests";
import { createTestIssuer, type TestIssuer } from "@authz/testing";
import { Router } from "@koa/router";
import Koa from "koa";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";

describe("@authz/koa", () => {
  let issuer: TestIssuer;
  beforeAll(async () => {
    issuer = await createTestIssuer({ supportedScopes: ["contracts:read"] });
  });

  it("throws an error that is no refusal as it is, for the middleware above and the error event", async () => {
    const broken = new Error("The clock is broken.");
    const authz = initAuthz(issuer.url, {
      ...issuer.options,
      clock: () => {
        throw broken;
      },
    });
    const seen: unknown[] = [];
    const app = new Koa();
    app.on("error", (error) => seen.push(error));
    app.use(async (_ctx, next) => {
      await next().catch((error: unknown) => {
        seen.push(error);
        throw error;
      });
    });
    app.use(authz.requireAuth());
    const handle = app.callback();
    const { origin, close } = await listen(createServer((req, res) => void handle(req, res)));

    const headers = await issuer.signRequest({ url: "/api/contracts" });
    const answer = await fetch(`${origin}/api/contracts`, { headers: { ...headers } });
    expect(answer.status).toBe(500);
    expect(seen).toEqual([broken, broken]);
    await close();
  });

  it("types the state without a cast, on applications and routers, beside a state of their own", () => {
    interface OwnState {
      requestId: number;
    }
    const authz = initAuthz(issuer.url, issuer.options);
    const app = new Koa();
    app.use(authz.requireAuth());
    app.use((ctx) => expectTypeOf(ctx.state.auth).toEqualTypeOf<Auth>());
    new Koa<OwnState>().use(authz.requireAuth()).use((ctx) => {
      expectTypeOf(ctx.state).toEqualTypeOf<OwnState & AuthState>();
    });
    new Router().get("/", authz.requireAuth(), (ctx) => {
      expectTypeOf(ctx.state.auth.identity.subject).toBeString();
    });
    new Router<OwnState>().get("/", authz.requireAuth(), (ctx) => {
      expectTypeOf(ctx.state.auth.identity.type).toEqualTypeOf<"user" | "machine">();
      expectTypeOf(ctx.state.requestId).toBeNumber();
      // Body parsers declare `body` there.
      expectTypeOf(ctx.request).toExtend<Koa.Request>();
    });
    expect(app).toBeInstanceOf(Koa);
  });
});
