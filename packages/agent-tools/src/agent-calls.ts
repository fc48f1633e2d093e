import type { AgentConnection } from "./agent-connection.js";
import type { AskedAccess } from "./permission-words.js";
import type { Skill, SkillList } from "./skill-list.js";

/** A request that an agent asks for. */
export interface AgentRequest {
  url: string;
  /** The name of a connection: the request goes to a third party. */
  connection: string | undefined;
  method: string | undefined;
  scopes: readonly string[] | undefined;
  headers: readonly (readonly [name: string, value: string])[];
  body: string | undefined;
}

/** The answer to such a request. */
export interface AgentAnswer {
  status: number;
  /** By lower-case name; repeated ones are joined with a comma. */
  headers: Readonly<Record<string, string | undefined>>;
  /** Names of headers of the request that were not sent on. */
  leftOut: readonly string[];
  /** What an unsuccessful answer means, and what to do about it. */
  problem: object | undefined;
  /** Where the service or connection that answered is: absolute addresses. */
  requestPrefixes: () => Promise<readonly string[]>;
  /** Hands over the body piece by piece, to its end or until `take` returns false. Rejects when the body breaks off. */
  read: (take: (piece: Uint8Array) => boolean) => Promise<void>;
}

/** What the tools need from their server, with the session of the person for whom the agent acts. */
export interface AgentCalls {
  /** The authorization server, where skills come from. */
  readonly issuer: string;
  skills(): Promise<SkillList>;
  skill(id: string): Promise<Skill>;
  /** The bytes of a skill's file, checked against the size and digest that the skill states. */
  skillFile(id: string, path: string): Promise<Uint8Array>;
  /** The model reads a skill whose service it will call next: what that needs can be fetched meanwhile. */
  getReady?(skill: Skill): void;
  connections(): Promise<readonly AgentConnection[]>;
  /** How the person connects an account, in words that they can follow. */
  howToConnect(connection: AgentConnection): string;
  request(request: AgentRequest, signal: AbortSignal): Promise<AgentAnswer>;
  /** Whether a request is allowed, and why. */
  explain(question: Pick<AgentRequest, "url" | "connection" | "scopes">): Promise<object>;
  /** Asks an administrator for what the person lacks there, or to use a connection; everything that is missing without scopes. */
  ask(wish: Pick<AgentRequest, "url" | "connection" | "scopes"> & { reason: string }): Promise<AskedAccess>;
}
