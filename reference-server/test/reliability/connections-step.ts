import { expect } from "vitest";
import type { ConnectionsStage } from "./connections-stage.js";
import type { IssuedTokens } from "./third-party-gate.js";

/** A moment at which a process can be killed, and what has to be true afterwards. Each has a connector of its own. */
export interface Step {
  /** The connector's key. */
  readonly key: string;
  /** When the process is killed. */
  readonly moment: string;
  /** What is left. */
  readonly outcome: string;
  /** What was there long before; a connected account when `true`. */
  readonly isConnected: boolean;
  /** Brings the process to that moment, and resolves once it is held there. */
  reach(stage: ConnectionsStage): Promise<void>;
  /** Looks at what another process makes of it, right after the process was killed. */
  readonly atOnce?: (stage: ConnectionsStage) => Promise<void>;
  /** Looks again when some minutes have passed. */
  afterwards(stage: ConnectionsStage): Promise<void>;
}

/** Lets something begin that never gets its answer. */
export function begin(work: Promise<unknown>): void {
  void work.catch(() => undefined);
}

/** The row's id; there is one person. */
export async function connectionId({ database }: ConnectionsStage, key: string): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `SELECT c.id FROM connections c JOIN connectors k ON k.id = c.connector_id WHERE k.key = $1`,
    [key],
  );
  if (row === undefined) throw new Error(`There is no connection at ${key}.`);
  return row.id;
}

export async function connectorId({ database }: ConnectionsStage, key: string): Promise<string> {
  const [row] = await database.query<{ id: string }>("SELECT id FROM connectors WHERE key = $1", [key]);
  if (row === undefined) throw new Error(`There is no connector ${key}.`);
  return row.id;
}

/** These events are there about a connector, and in the end no others. That of a request may come after its answer, and others before. */
export async function expectEvents(
  stage: ConnectionsStage,
  key: string,
  types: readonly string[],
): Promise<void> {
  await expect.poll(() => eventsOf(stage, key), inBackground).toEqual(types.toSorted());
}

/** For what a process does in the background. */
export const inBackground = { timeout: 60_000, interval: 50 };

/** The types of the events about a connector's connections, without requests that were refused. */
async function eventsOf({ database }: ConnectionsStage, key: string): Promise<readonly string[]> {
  const rows = await database.query<{ type: string }>(
    `SELECT type FROM audit_events WHERE data->>'connector' = $1 AND type LIKE 'connection.%'
       AND type <> 'connection.denied' ORDER BY type COLLATE "C"`,
    [key],
  );
  return rows.map(({ type }) => type.slice("connection.".length));
}

export async function expireAccessToken({ database }: ConnectionsStage, key: string): Promise<void> {
  await database.query(
    `UPDATE connections SET access_expires_at = now() - interval '1 minute'
     WHERE connector_id = (SELECT id FROM connectors WHERE key = $1)`,
    [key],
  );
}

/** A request goes through, with the tokens that were issued last, and nobody asks for others. */
export async function expectUsable(stage: ConnectionsStage, key: string): Promise<void> {
  const asked = stage.gate.asked(key).length;
  const used = stage.gate.used(key);
  expect(await stage.person.use(key)).toEqual({ status: 200, isForeign: true, body: { ok: true } });
  expect(stage.gate.used(key)).toBe(used + 1);
  expect(stage.gate.asked(key).length).toBe(asked);
  expect(await stage.person.show(key)).toMatchObject({ state: "connected" });
}

/** The connection says that it must be connected again, asks the third party nothing more, and can be connected. */
export async function expectReconnect(stage: ConnectionsStage, key: string, reason: string): Promise<void> {
  const { person, gate } = stage;
  expect(await person.show(key)).toMatchObject({ state: "reconnect_required", reason });
  const asked = gate.asked(key).length;
  const used = gate.used(key);
  const answers = [await person.use(key), await person.use(key)];
  expect(answers).toMatchObject([reconnectRequired, reconnectRequired]);
  expect({ asked: gate.asked(key).length, used: gate.used(key) }).toEqual({ asked, used });
  await person.connect(key);
  await expectUsable(stage, key);
}

const reconnectRequired = { status: 409, body: { error: "reconnect_required" } };

/** Nothing is connected, and an account can be. */
export async function expectConnectable(stage: ConnectionsStage, key: string): Promise<void> {
  expect(await stage.person.show(key)).toMatchObject({ state: "not_connected" });
  await stage.person.connect(key);
  await expectUsable(stage, key);
}

export async function areLive(
  { thirdParty }: ConnectionsStage,
  { accessToken, refreshToken }: IssuedTokens,
): Promise<readonly boolean[]> {
  return await Promise.all([thirdParty.isLive(accessToken), thirdParty.isLive(refreshToken)]);
}

/** The tokens of one answer of the third party. */
export function issued({ gate }: ConnectionsStage, key: string, index: number): IssuedTokens {
  const tokens = gate.issued(key).at(index);
  if (tokens === undefined) throw new Error(`The third party has not issued so much to ${key}.`);
  return tokens;
}
