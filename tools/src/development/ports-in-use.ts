import { isPortFree } from "../network/ports.js";
import { ReadableError } from "../readable-error.js";
import { mcpTitle, serviceTitles } from "./programs.js";
import type { Settings } from "./settings.js";

/**
 * Fails before anything is started when a port that will be needed is taken.
 *
 * @throws {ReadableError} Names every such port, what needs it, and the way out.
 */
export async function assertPortsAreFree({ ports }: Settings): Promise<void> {
  const uses = [
    { port: ports.server, use: "the authorization server" },
    { port: ports.idp, use: "the development identity provider" },
    { port: ports.notes, use: "Notes, the third party" },
    { port: ports.express, use: serviceTitles.express },
    { port: ports.koa, use: serviceTitles.koa },
    { port: ports.fastify, use: serviceTitles.fastify },
    { port: ports.mcp, use: mcpTitle },
    { port: ports.postgres, use: "PostgreSQL" },
  ];
  const taken: typeof uses = [];
  for (const use of uses) {
    if (!(await isPortFree(use.port))) {
      taken.push(use);
    }
  }
  const [first] = taken;
  if (first !== undefined) {
    throw new ReadableError(
      [
        ...taken.map(({ port, use }) => `Port ${port} on 127.0.0.1 is taken; ${use} needs it.`),
        "Another program listens there, perhaps a system started from another folder.",
        `Find it with: lsof -nP -iTCP:${first.port} -sTCP:LISTEN`,
        "Or move all ports, for example by 1000: AUTHZ_DEV_PORT_OFFSET=1000 npm start",
      ].join("\n"),
    );
  }
}
