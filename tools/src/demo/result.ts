import { type ServiceKey, serviceKeys } from "../development/settings.js";

/** What came back from one service, as HTTP status codes, and the body of the authorized answer. */
export interface ServiceResult {
  readonly unauthenticated: number;
  readonly authorized: number;
  readonly replayed: number;
  readonly missing_scope: number;
  readonly body: unknown;
}

/** What came back from the MCP server, through an agent host. */
export interface AgentHostResult {
  /** As an HTTP status code. */
  readonly unauthenticated: number;
  readonly tools: readonly string[];
  /** The JSON that listing the contracts answered. */
  readonly answer: unknown;
  /** Whether a contract could be created. */
  readonly written: boolean;
  /** Whether the server says that Ada may; she may not, until she gets the permission. */
  readonly may_write: boolean;
}

/** What came back from the one address for every agent, through an agent host. */
export interface AgentsResult {
  /** As an HTTP status code. */
  readonly unauthenticated: number;
  /** Whether a skill of a service was found, and its text read. */
  readonly found: boolean;
  readonly read: boolean;
  /** The JSON that listing the contracts answered, by way of the server. */
  readonly answer: unknown;
  /** Whether creating a contract was refused. */
  readonly denied: boolean;
  /** Whether the server says that Ada may; she may not, until she gets the permission. */
  readonly may_write: boolean;
  /** Why she may or may not, and whom to ask. */
  readonly why: string;
}

/** What `npm run demo -- --json` prints. */
export interface DemoResult {
  readonly subject: string;
  readonly skills: readonly string[];
  readonly services: Readonly<Record<ServiceKey, ServiceResult>>;
  readonly mcp: AgentHostResult;
  readonly agents: AgentsResult;
}

export const expectedStatus = {
  unauthenticated: 401,
  authorized: 200,
  replayed: 401,
  missing_scope: 403,
} as const;

/** Everything in a result that is not as expected, in words. Empty when all is well. */
export function findProblems(result: DemoResult): readonly string[] {
  const problems: string[] = [];
  if (result.subject === "") {
    problems.push("The sign-in gave no subject.");
  }
  for (const key of serviceKeys) {
    const skill = `contracts-${key}.list-contracts`;
    if (!result.skills.includes(skill)) {
      problems.push(`The skill ${skill} is missing.`);
    }
    const service = result.services[key];
    for (const [name, expected] of Object.entries(expectedStatus)) {
      const actual = service[name as keyof typeof expectedStatus];
      if (actual !== expected) {
        problems.push(`${key}: ${name} is ${actual}, expected ${expected}.`);
      }
    }
    problems.push(...findBodyProblems(service.body, result.subject).map((problem) => `${key}: ${problem}`));
  }
  const { unauthenticated, answer, written, may_write: mayWrite } = result.mcp;
  if (unauthenticated !== expectedStatus.unauthenticated) {
    problems.push(`mcp: unauthenticated is ${unauthenticated}, expected ${expectedStatus.unauthenticated}.`);
  }
  problems.push(...findWriteProblems(written, mayWrite).map((problem) => `mcp: ${problem}`));
  problems.push(...findBodyProblems(answer, result.subject).map((problem) => `mcp: ${problem}`));
  problems.push(...findAgentsProblems(result).map((problem) => `agents: ${problem}`));
  return problems;
}

function findAgentsProblems({ agents, subject }: DemoResult): string[] {
  const { unauthenticated, found, read, answer, denied, may_write: mayWrite, why } = agents;
  const expected = expectedStatus.unauthenticated;
  return [
    ...(unauthenticated === expected ? [] : [`unauthenticated is ${unauthenticated}, expected ${expected}.`]),
    ...(found ? [] : ["the skill was not found."]),
    ...(read ? [] : ["the skill was not read."]),
    ...findWriteProblems(!denied, mayWrite),
    ...(mayWrite || why.includes("bruno@acme.example") ? [] : ["nobody says whom to ask."]),
    ...findBodyProblems(answer, subject),
  ];
}

function findWriteProblems(written: boolean, mayWrite: boolean): string[] {
  if (written === mayWrite) return [];
  return [
    written ? "a contract was created, which Ada may not do." : "no contract was created, although Ada may.",
  ];
}

function findBodyProblems(body: unknown, subject: string): string[] {
  if (typeof body !== "object" || body === null || !("requested_by" in body) || !("contracts" in body)) {
    return ["the body has no requested_by or no contracts."];
  }
  const problems: string[] = [];
  if (body.requested_by !== subject) {
    problems.push(`requested_by is ${String(body.requested_by)}, expected ${subject}.`);
  }
  const { contracts } = body;
  if (!Array.isArray(contracts) || contracts.length === 0 || !contracts.every(isContract)) {
    problems.push("contracts is not a list of { id, customer, status }.");
  }
  return problems;
}

function isContract(item: unknown): boolean {
  return (
    typeof item === "object" &&
    item !== null &&
    ["id", "customer", "status"].every((name) => typeof Reflect.get(item, name) === "string")
  );
}
