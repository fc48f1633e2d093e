import express from "express";
import Koa from "koa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startExpress } from "../../express/test/contract-service.js";
import { startFastify } from "../../fastify/test/contract-service.js";
import { startKoa } from "../../koa/test/contract-service.js";
import type { StartAdapter } from "../src/adapter/contract-app.js";
import { type Fixture, startFixture } from "../src/adapter/fixture.js";
import { refusalRows } from "../src/adapter/protected-requests.js";
import type { RawResponse } from "../src/adapter/raw-request.js";

const frameworks: Record<string, StartAdapter> = {
  express: (contract) => startExpress(express, contract),
  koa: (contract) => startKoa(Koa, contract),
  fastify: (contract) => startFastify("onRequest", contract),
};

/** What the frameworks and Node add by themselves. */
const ownHeaders = new Set(["date", "connection", "keep-alive", "x-powered-by"]);

describe("The three adapters answer byte for byte the same to", () => {
  const fixtures: Fixture[] = [];

  beforeAll(async () => {
    for (const start of Object.values(frameworks)) fixtures.push(await startFixture(start));
  });
  afterAll(() => Promise.all(fixtures.map((fixture) => fixture.close())));

  it.each(refusalRows)("$name", async ({ change }) => {
    const answers = await Promise.all(
      fixtures.map(async (fixture) => comparable(await fixture.send(await change(fixture)))),
    );
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  it.each([
    { method: "GET", target: "/.well-known/oauth-protected-resource" },
    { method: "GET", target: "/.well-known/oauth-protected-resource/api" },
    { method: "GET", target: "/.well-known/oauth-authorization-server" },
    { method: "GET", target: "/oauth/authorize" },
    { method: "POST", target: "/oauth/token" },
  ])("$method $target", async (request) => {
    const answers = await Promise.all(
      fixtures.map(async (fixture) => comparable(await fixture.send(request))),
    );
    expect(answers).toEqual(answers.map(() => answers[0]));
  });
});

function comparable({ status, headers, body }: RawResponse): string {
  const lines = [...headers]
    .filter(([name]) => !ownHeaders.has(name))
    .map(([name, values]) => `${name}: ${values.join(" | ")}`)
    .sort();
  return [status, ...lines, "", body].join("\n");
}
