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
  const noBody = "the body has no requested_by or no contracts.";
  test.each<[name: string, change: Partial<AgentHostResult>, problem: string]>([
    ["an open door", { unauthenticated: 200 }, "mcp: unauthenticated is 200, expected 401."],
    ["a missing check", { written: true }, "mcp: a contract was created, which Ada may not do."],
    ["no answer", { answer: undefined }, `mcp: ${noBody}`],
  ])("names %s at the MCP server", (_name, change, problem) => {
    expect(findProblems({ ...result, mcp: { ...result.mcp, ...change } })).toEqual([problem]);
  });

  test.each<[name: string, change: Partial<AgentsResult>, problem: string]>([
    ["an open door", { unauthenticated: 200 }, "agents: unauthenticated is 200, expected 401."],
    ["a lost skill", { found: false }, "agents: the skill was not found."],
    ["an unread skill", { read: false }, "agents: the skill was not read."],
    ["a missing check", { denied: false }, "agents: a contract was created, which Ada may not do."],
    ["silence", { why: "No." }, "agents: nobody says whom to ask."],
    ["no answer", { answer: undefined }, `agents: ${noBody}`],
  ])("names %s at the address for agents", (_name, change, problem) => {
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

  const contract = { id: "C-1", customer: "Contoso", status: "active" };
  const noList = "koa: contracts is not a list of { id, customer, status }.";
  test.each<[name: string, change: Partial<ServiceResult>, problem: string]>([
    ["an open door", { unauthenticated: 200 }, "koa: unauthenticated is 200, expected 401."],
    ["a refusal", { authorized: 403 }, "koa: authorized is 403, expected 200."],
    ["an accepted replay", { replayed: 200 }, "koa: replayed is 200, expected 401."],
    ["a missing check", { missing_scope: 201 }, "koa: missing_scope is 201, expected 403."],
    ["no body", { body: null }, `koa: ${noBody}`],
    [
      "another person",
      { body: { requested_by: "eve", contracts: [contract] } },
      "koa: requested_by is eve, expected ada.",
    ],
    ["no contracts", { body: { requested_by: "ada", contracts: [] } }, noList],
    ["half a contract", { body: { requested_by: "ada", contracts: [{ id: "C-1" }] } }, noList],
  ])("names %s", (_name, change, problem) => {
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
