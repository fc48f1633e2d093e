import { describe, expect, test } from "vitest";
import {
  type AgentHostResult,
  type DemoResult,
  findProblems,
  type ServiceResult,
} from "../../src/demo/result.js";

const good: ServiceResult = {
  unauthenticated: 401,
  authorized: 200,
  replayed: 401,
  missing_scope: 403,
  body: { requested_by: "ada", contracts: [{ id: "C-1", customer: "Contoso", status: "active" }] },
};

const result: DemoResult = {
  subject: "ada",
  skills: [
    "contracts-express.list-contracts",
    "contracts-koa.list-contracts",
    "contracts-fastify.list-contracts",
  ],
  services: { express: good, koa: good, fastify: good },
  mcp: { unauthenticated: 401, tools: ["list_contracts"], answer: good.body, written: false },
};

describe("findProblems", () => {
  test.each<{ name: string; change: Partial<AgentHostResult>; problem: string }>([
    {
      name: "an open door",
      change: { unauthenticated: 200 },
      problem: "mcp: unauthenticated is 200, and must be 401.",
    },
    {
      name: "a missing check",
      change: { written: true },
      problem: "mcp: a contract was created, which Ada may not.",
    },
    {
      name: "no answer",
      change: { answer: undefined },
      problem: "mcp: the body has no requested_by or no contracts.",
    },
  ])("names $name at the MCP server", ({ change, problem }) => {
    expect(findProblems({ ...result, mcp: { ...result.mcp, ...change } })).toEqual([problem]);
  });

  test("has nothing to say when everything is as it must be", () => {
    expect(findProblems(result)).toEqual([]);
  });

  test.each<{ name: string; change: Partial<ServiceResult>; problem: string }>([
    {
      name: "an open door",
      change: { unauthenticated: 200 },
      problem: "koa: unauthenticated is 200, and must be 401.",
    },
    { name: "a refusal", change: { authorized: 403 }, problem: "koa: authorized is 403, and must be 200." },
    {
      name: "an accepted replay",
      change: { replayed: 200 },
      problem: "koa: replayed is 200, and must be 401.",
    },
    {
      name: "a missing check",
      change: { missing_scope: 201 },
      problem: "koa: missing_scope is 201, and must be 403.",
    },
    {
      name: "no body",
      change: { body: null },
      problem: "koa: the body has no requested_by or no contracts.",
    },
    {
      name: "somebody else",
      change: {
        body: { requested_by: "eve", contracts: [{ id: "C-1", customer: "Contoso", status: "active" }] },
      },
      problem: "koa: requested_by is eve, and must be ada.",
    },
    {
      name: "no contracts",
      change: { body: { requested_by: "ada", contracts: [] } },
      problem: "koa: contracts is not a list of { id, customer, status }.",
    },
    {
      name: "half a contract",
      change: { body: { requested_by: "ada", contracts: [{ id: "C-1" }] } },
      problem: "koa: contracts is not a list of { id, customer, status }.",
    },
  ])("names $name", ({ change, problem }) => {
    const services = { ...result.services, koa: { ...good, ...change } };
    expect(findProblems({ ...result, services })).toEqual([problem]);
  });

  test("names a missing subject and a missing skill", () => {
    const skills = result.skills.slice(1);
    expect(findProblems({ ...result, skills })).toEqual([
      "The skill contracts-express.list-contracts is missing.",
    ]);
    expect(findProblems({ ...result, subject: "" })).toContain("The sign-in gave no subject.");
  });
});
