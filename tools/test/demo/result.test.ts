import { describe, expect, test } from "vitest";
import {
  type AgentHostResult,
  type AgentsResult,
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
  mcp: {
    unauthenticated: 401,
    tools: ["list_contracts"],
    answer: good.body,
    written: false,
    may_write: false,
  },
  agents: {
    unauthenticated: 401,
    found: true,
    read: true,
    answer: good.body,
    denied: true,
    may_write: false,
    why: "Ask an administrator of Acme: bruno@acme.example.",
  },
};

describe("findProblems", () => {
  test.each<{ name: string; change: Partial<AgentHostResult>; problem: string }>([
    {
      name: "an open door",
      change: { unauthenticated: 200 },
      problem: "mcp: unauthenticated is 200, expected 401.",
    },
    {
      name: "a missing check",
      change: { written: true },
      problem: "mcp: a contract was created, which Ada may not do.",
    },
    {
      name: "no answer",
      change: { answer: undefined },
      problem: "mcp: the body has no requested_by or no contracts.",
    },
  ])("names $name at the MCP server", ({ change, problem }) => {
    expect(findProblems({ ...result, mcp: { ...result.mcp, ...change } })).toEqual([problem]);
  });

  test.each<{ name: string; change: Partial<AgentsResult>; problem: string }>([
    {
      name: "an open door",
      change: { unauthenticated: 200 },
      problem: "agents: unauthenticated is 200, expected 401.",
    },
    { name: "a lost skill", change: { found: false }, problem: "agents: the skill was not found." },
    { name: "an unread skill", change: { read: false }, problem: "agents: the skill was not read." },
    {
      name: "a missing check",
      change: { denied: false },
      problem: "agents: a contract was created, which Ada may not do.",
    },
    { name: "silence", change: { why: "No." }, problem: "agents: nobody says whom to ask." },
    {
      name: "no answer",
      change: { answer: undefined },
      problem: "agents: the body has no requested_by or no contracts.",
    },
  ])("names $name at the address for agents", ({ change, problem }) => {
    expect(findProblems({ ...result, agents: { ...result.agents, ...change } })).toEqual([problem]);
  });

  test("has nothing to say when everything is as expected", () => {
    expect(findProblems(result)).toEqual([]);
  });

  test("expects no denial once Ada has the permission, and a denial until then", () => {
    const given = {
      ...result,
      mcp: { ...result.mcp, written: true, may_write: true },
      agents: { ...result.agents, denied: false, may_write: true, why: "contracts:write is yours." },
    };
    expect(findProblems(given)).toEqual([]);
    const mcp = { ...given.mcp, written: false };
    const agents = { ...given.agents, denied: true };
    expect(findProblems({ ...given, mcp, agents })).toEqual([
      "mcp: no contract was created, although Ada may.",
      "agents: no contract was created, although Ada may.",
    ]);
  });

  test.each<{ name: string; change: Partial<ServiceResult>; problem: string }>([
    {
      name: "an open door",
      change: { unauthenticated: 200 },
      problem: "koa: unauthenticated is 200, expected 401.",
    },
    { name: "a refusal", change: { authorized: 403 }, problem: "koa: authorized is 403, expected 200." },
    {
      name: "an accepted replay",
      change: { replayed: 200 },
      problem: "koa: replayed is 200, expected 401.",
    },
    {
      name: "a missing check",
      change: { missing_scope: 201 },
      problem: "koa: missing_scope is 201, expected 403.",
    },
    {
      name: "no body",
      change: { body: null },
      problem: "koa: the body has no requested_by or no contracts.",
    },
    {
      name: "another person",
      change: {
        body: { requested_by: "eve", contracts: [{ id: "C-1", customer: "Contoso", status: "active" }] },
      },
      problem: "koa: requested_by is eve, expected ada.",
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
