import { createServer } from "node:http";
import { listen } from "@authz/contract-tests";
import { initAuthz } from "@authz/express";
import { createTestIssuer } from "@authz/testing";
import express, { type RequestHandler } from "express";
import { describe, expect, it } from "vitest";

const url = "/api/payments";

/** Calls a route that needs approval behind these middlewares; returns what is answered, and whether the handler was entered. */
async function pay(
  parsers: readonly RequestHandler[],
  { body, type = "application/json" }: { readonly body?: string; readonly type?: string },
): Promise<{ status: number; error: unknown; failure: string | undefined; isEntered: boolean }> {
  const issuer = await createTestIssuer({ supportedScopes: ["payments:write"] });
  const authz = initAuthz(issuer.url, issuer.options);
  const app = express();
  let isEntered = false;
  let failure: string | undefined;
  const need = authz.requireApproval(() => ({ type: "payment", reason: "Payments cannot be undone." }));
  app.post(url, authz.requireAuth(), ...parsers, need, (_req, res) => {
    isEntered = true;
    res.end();
  });
  const fail: express.ErrorRequestHandler = (error: Error, _req, res, _next) => {
    failure = error.message;
    res.status(500).json({});
  };
  app.use(fail);
  const { origin, close } = await listen(createServer(app));
  const headers = { ...(await issuer.signRequest({ method: "POST", url })), "content-type": type };
  try {
    const answer = await fetch(origin + url, {
      method: "POST",
      headers,
      ...(body !== undefined && { body }),
    });
    const { error } = (await answer.json()) as { error?: unknown };
    return { status: answer.status, error, failure, isEntered };
  } finally {
    await close();
  }
}

const asked = { status: 403, error: "transaction_authorization_required", isEntered: false };

describe("requireApproval on Express", () => {
  it.each([
    ["a parser that keeps no bytes", [express.json()], "application/json"],
    ["no parser", [], "application/json"],
    ["a parser of another type", [express.json()], "multipart/form-data; boundary=x"],
    ["a parser that makes text of them", [express.text()], "text/plain"],
  ])("fails behind %s, and says what to write", async (_name, parsers, type) => {
    const { status, failure, isEntered } = await pay(parsers, { body: "{}", type });
    expect({ status, isEntered }).toEqual({ status: 500, isEntered: false });
    expect(failure).toContain("Write express.json({ verify: authz.rawBody }).");
  });

  it("takes the bytes that express.raw() leaves, and a request without a body", async () => {
    const raw = express.raw({ type: () => true });
    expect(await pay([raw], { body: "{}" })).toMatchObject(asked);
    expect(await pay([], {})).toMatchObject(asked);
  });
});
