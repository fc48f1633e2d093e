import { isPortFree } from "../network/ports.js";
import { ReadableError } from "../readable-error.js";
import type { SystemSettings } from "./settings.js";

/** A port of 127.0.0.1 and what needs it. */
export interface PortUse {
  readonly port: number;
  readonly use: string;
}

/** The ports that every development system needs. */
export function systemPortUses({ ports }: SystemSettings): readonly PortUse[] {
  return [
    { port: ports.server, use: "the authorization server" },
    { port: ports.idp, use: "the development identity provider" },
    { port: ports.postgres, use: "PostgreSQL" },
  ];
}

/**
 * Fails before anything is started when a port that will be needed is taken.
 *
 * @param remedy - what moves the ports
 * @throws {ReadableError} Names every such port, what needs it, and the way out.
 */
export async function assertPortsAreFree(uses: readonly PortUse[], remedy: string): Promise<void> {
  const free = await Promise.all(uses.map(({ port }) => isPortFree(port)));
  const taken = uses.filter((_, index) => free[index] === false);
  const [first] = taken;
  if (first !== undefined) {
    throw new ReadableError(
      [
        ...taken.map(({ port, use }) => `Port ${port} on 127.0.0.1 is taken; ${use} needs it.`),
        "Another program listens there, perhaps a system started from another folder.",
        `Find it with: lsof -nP -iTCP:${first.port} -sTCP:LISTEN`,
        remedy,
      ].join("\n"),
    );
  }
}
