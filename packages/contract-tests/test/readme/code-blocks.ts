/** One TypeScript block of a Markdown file. */
export interface CodeBlock {
  /** From a first line such as `// server.ts`, with the ending `.mts` for `// server.mjs`; otherwise numbered. */
  readonly fileName: string;
  /** Marked as a piece of a file (`ts fragment`): compiled behind what `fragmentContexts` says, and not run. */
  readonly isFragment: boolean;
  readonly code: string;
}

/** Finds the TypeScript blocks of a Markdown document. */
export function findCodeBlocks(markdown: string): CodeBlock[] {
  const blocks = [...markdown.matchAll(/^```ts( fragment)?\n(.*?)^```$/gms)];
  return blocks.map(([, fragment, code = ""], index) => ({
    fileName:
      /^\/\/ (\S+\.(?:ts|mjs))\n/.exec(code)?.[1]?.replace(/\.mjs$/, ".mts") ?? `block-${index + 1}.ts`,
    isFragment: fragment !== undefined,
    code,
  }));
}

const expressApp = `
import type { ExpressAuthz } from "@authz/express";
import express from "express";
declare const authz: ExpressAuthz;
const app = express();
`;

/** What a fragment in a document may take for granted: it is compiled behind these lines. */
export const fragmentContexts: Readonly<Record<string, string>> = {
  "packages/express/README.md": expressApp,
  "docs/reference/service.md": expressApp,
  "docs/guides/recipes/uploads.md": expressApp,
  "docs/guides/recipes/websockets.md": `${expressApp}
interface Connection {
  close(code: number, reason: string): void;
  on(event: "close", listener: () => void): void;
  send(text: string): void;
}
declare const WebSocketServer: new (options: { noServer: true }) => {
  handleUpgrade(request: unknown, socket: unknown, head: Buffer, accept: (connection: Connection) => void): void;
};
`,
  "packages/koa/README.md": `
import type { KoaAuthz } from "@authz/koa";
import { Router } from "@koa/router";
import Koa from "koa";
declare const authz: KoaAuthz;
const app = new Koa();
const router = new Router();
`,
  "packages/fastify/README.md": `
import type { AuthzOptions, FastifyAuthz } from "@authz/fastify";
import Fastify from "fastify";
declare const authz: FastifyAuthz;
declare const issuer: string;
declare const options: AuthzOptions;
const app = Fastify();
`,
  "packages/hono/README.md": `
import type { AuthEnv, HonoAuthz } from "@authz/hono";
import { Hono } from "hono";
declare const authz: HonoAuthz;
const app = new Hono();
`,
  "packages/next/README.md": `
import { type HandlerContext, type AuthContext, type AuthzOptions, initAuthz, type NextAuthz } from "@authz/next";
declare const authz: NextAuthz;
declare const issuer: string;
declare const options: AuthzOptions;
`,
  "packages/agent-tools/README.md": `
import type { AgentCalls } from "@authz/agent-tools";
declare const calls: AgentCalls;
`,
  "packages/client/README.md": `
import type { AuthzClient } from "@authz/client";
declare const client: AuthzClient;
`,
  "packages/dev-idp/README.md": `
import type { DevIdp } from "@authz/dev-idp";
declare const idp: DevIdp;
declare const agentClientSecret: string;
declare const idToken: string;
`,
  "docs/tutorials/protect-an-api.md": `
import { type AuthzOptions, initAuthz } from "@authz/express";
declare const issuer: string;
declare const options: AuthzOptions;
`,
  "docs/tutorials/let-an-agent-work.md": `
import { type AuthzOptions, initAuthz, type SkillsOptions } from "@authz/express";
declare const issuer: string;
declare const options: AuthzOptions;
`,
  "docs/guides/publish-skills.md": `
import type { AuthzOptions } from "@authz/express";
declare const options: AuthzOptions;
`,
  "docs/guides/recipes/deno.md": `
import type { Hono } from "hono";
declare const app: Hono;
declare const Deno: { serve(options: { port: number; hostname: string }, handler: typeof app.fetch): void };
`,
  "docs/guides/recipes/bun.md": `
import type { Hono } from "hono";
declare const app: Hono;
`,
  "docs/operate/proxy.md": `
import { type AuthzOptions, initAuthz } from "@authz/express";
declare const options: AuthzOptions;
`,
  "docs/guides/migrate-from-express-oauth2-jwt-bearer.md": `
import { type AuthzOptions, initAuthz } from "@authz/express";
declare const issuer: string;
declare const options: AuthzOptions;
`,
};
