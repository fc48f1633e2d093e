import { createNonceSource } from "@authz/dpop";
import express from "express";
import { Hono } from "hono";
import Koa from "koa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startExpress } from "../../express/test/contract-service.js";
import { startFastify } from "../../fastify/test/contract-service.js";
import { startHono } from "../../hono/test/contract-service.js";
import { startKoa } from "../../koa/test/contract-service.js";
import { startNext } from "../../next/test/contract-service.js";
import type { StartAdapter } from "../src/adapter/contract-app.js";
import { type Fixture, publicOrigin, startFixture, type Variation } from "../src/adapter/fixture.js";
import { type RefusalRow, refusalRows } from "../src/adapter/protected-requests.js";
import type { RawRequest, RawResponse } from "../src/adapter/raw-request.js";
import { startFetch } from "./without-framework/fetch-service.js";
import { startNode } from "./without-framework/node-service.js";

const services: Record<string, StartAdapter> = {
  express: (contract) => startExpress(express, contract),
  koa: (contract) => startKoa(Koa, contract),
  fastify: (contract) => startFastify("onRequest", contract),
  hono: (contract) => startHono(Hono, contract),
  next: startNext,
  "node:http": startNode,
  Fetch: startFetch,
};

/** What the frameworks and Node add by themselves. */
const ownHeaders = new Set(["date", "connection", "keep-alive", "x-powered-by"]);

const nonces = createNonceSource({ secret: "0123456789abcdef0123456789abcdef", clock: () => 0 });
const form: [string, string] = ["Content-Type", "application/x-www-form-urlencoded"];

const variations: readonly { name: string; variation: Variation }[] = [
  { name: "", variation: {} },
  { name: ", with Bearer tokens allowed", variation: { options: { dpop: "allowed" } } },
  { name: ", as another resource", variation: { resource: `${publicOrigin}/mcp` } },
  { name: ", with server nonces", variation: { options: { nonces } } },
  {
    name: ", with the replay store away",
    variation: { options: { replayStore: { consume: () => Promise.reject(new Error("away")) } } },
  },
];

const published: readonly RawRequest[] = [
  { target: "/.well-known/oauth-protected-resource" },
  { target: "/.well-known/oauth-protected-resource?x=1" },
  { target: "/.well-known/oauth-authorization-server" },
  { target: "/.well-known/skills" },
  { target: `/.well-known/skills/files/${"0".repeat(64)}` },
  { target: "/.well-known/agent-skills/nothing/SKILL.md" },
  { target: "/.well-known/agent-skills/nothing/skill.tar.gz" },
  { target: "/oauth/authorize" },
  { method: "POST", target: "/oauth/token" },
  { method: "POST", target: "/oauth/token", headers: [form], body: "" },
  { method: "POST", target: "/oauth/token", body: "x" },
  { method: "POST", target: "/oauth/token", headers: [["Content-Type", "application/json"]], body: "{}" },
  { method: "POST", target: "/oauth/token", headers: [form], body: "grant_type=password" },
  { method: "POST", target: "/oauth/token", headers: [form], body: "assertion=a&assertion=b" },
  { method: "POST", target: "/oauth/token", headers: [form], body: "grant_type=%FF" },
  { method: "POST", target: "/oauth/token", headers: [form], body: `x=${"y".repeat(65_536)}` },
  {
    method: "POST",
    target: "/oauth/token",
    headers: [form, ["DPoP", "abc"]],
    body: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=abc",
  },
];

describe.each(variations)(
  "The five adapters, plain node:http and Fetch answer byte for byte the same$name to",
  ({ variation }) => {
    const fixtures: Fixture[] = [];

    beforeAll(async () => {
      const skills = { load: () => [], agentSkillsIndex: true };
      const options = { skills, ...variation.options };
      for (const start of Object.values(services)) {
        fixtures.push(await startFixture(start, { ...variation, options }));
      }
    });
    afterAll(() => Promise.all(fixtures.map((fixture) => fixture.close())));

    async function answersTo(change: RefusalRow["change"]): Promise<string[]> {
      return Promise.all(
        fixtures.map(async (fixture) => comparable(await fixture.send(await change(fixture)))),
      );
    }

    it.each(refusalRows)("$name", async ({ change }) => {
      const answers = await answersTo(change);
      expect(answers).toEqual(answers.map(() => answers[0]));
    });

    it("GET the metadata below the path of the resource", async () => {
      const { pathname } = new URL(variation.resource ?? `${publicOrigin}/api`);
      const answers = await answersTo(() => ({ target: `/.well-known/oauth-protected-resource${pathname}` }));
      expect(answers).toEqual(answers.map(() => answers[0]));
      expect(answers[0]).toMatch(/^200\n/);
    });

    it.each(published.map((request) => ({ title: titleOf(request), request })))(
      "$title",
      async ({ request }) => {
        const answers = await answersTo(() => request);
        expect(answers).toEqual(answers.map(() => answers[0]));
      },
    );
  },
);

function titleOf({ method = "GET", target, body = "" }: RawRequest): string {
  return `${method} ${target} ${body.slice(0, 40)}`.trim();
}

function comparable({ status, headers, body }: RawResponse): string {
  const lines = [...headers]
    .filter(([name]) => !ownHeaders.has(name))
    .map(([name, values]) => `${name}: ${values.join(" | ")}`)
    .sort();
  return [status, ...lines, "", body].join("\n");
}
