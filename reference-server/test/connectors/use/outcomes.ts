import { Readable } from "node:stream";
import { expect } from "vitest";
import type { AuditRow } from "../../support/oauth-server.js";
import type { ForwardedAnswer, Forwarding } from "./forwarding.js";

/** How many requests the audit trail has so far. */
export async function countUses({ system }: Forwarding): Promise<number> {
  const underWay = async () =>
    (await system.database.query("SELECT id FROM forwarded_calls WHERE ends_before > now()")).length;
  await expect.poll(underWay, { timeout: 10_000 }).toBe(0);
  return (await system.audit("connection.used")).length;
}

/** The event of the last request, once there are that many. */
export async function lastUse({ system }: Forwarding, number: number): Promise<AuditRow> {
  await expect.poll(async () => (await system.audit("connection.used")).length).toBe(number);
  const event = (await system.audit("connection.used")).at(-1);
  if (event === undefined) throw new Error("Nothing was recorded.");
  return event;
}

/** What a refusal says in body and headers. */
export function refusalIn({ status, headers, body }: Awaited<ReturnType<Forwarding["send"]>>) {
  const { error, sent } = JSON.parse(body) as { error: string; sent: string };
  return { status, error, sent, proxy: headers["proxy-status"]?.toString().replace("authz; error=", "") };
}

/** What came of a body, and whether it ended as it should. */
export async function read({ body }: ForwardedAnswer): Promise<{ bytes: number; complete: boolean }> {
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) bytes += chunk.length;
    return { bytes, complete: body.complete };
  } catch {
    return { bytes, complete: false };
  }
}

/** A body of so many bytes, made while it is read; of `Infinity` bytes without an end. */
export function pieces(bytes: number): Readable {
  return Readable.from(
    (function* () {
      for (let left = bytes; left > 0; left -= 10_000) yield Buffer.alloc(Math.min(left, 10_000), "a");
    })(),
  );
}
