import { expect } from "vitest";
import type { ConnectionsStage } from "./connections-stage.js";
import {
  areLive,
  connectionId,
  connectorId,
  expectEvents,
  expectConnectable,
  expectUsable,
  expireAccessToken,
  inBackground,
  issued,
} from "./connections-step.js";
import type { CutMoment } from "./tcp-proxy.js";

/** A connection to the database that is lost around a commit, while the process lives on. */
export interface Cut {
  readonly key: string;
  readonly work: "connecting" | "connecting again" | "refreshing" | "disconnecting";
  readonly moment: CutMoment;
}

const works = {
  connect: "connecting",
  reconnect: "connecting again",
  refresh: "refreshing",
  disconnect: "disconnecting",
} as const;

export const cuts: readonly Cut[] = Object.entries(works).flatMap(([name, work]) =>
  (["before", "during", "after"] as const).map((moment) => ({ key: `cut-${name}-${moment}`, work, moment })),
);

/** Lets a process do its work, and cuts its connection where it commits. */
export async function cutCommit(stage: ConnectionsStage, { key, work, moment }: Cut): Promise<void> {
  const { person, proxy } = stage;
  if (work !== "connecting") await person.connect(key);
  const id = work.startsWith("connecting") ? await connectorId(stage, key) : await connectionId(stage, key);
  const cut = proxy.cutNext("COMMIT", moment, statements[work], id);
  const doing = doIt(stage, { key, work, moment });
  await Promise.all([doing, cut]);
}

const statements = {
  connecting: `insert into "connections"`,
  "connecting again": `insert into "connections"`,
  refreshing: `"refreshed_at" =`,
  disconnecting: `delete from "connections"`,
} as const;

async function doIt(stage: ConnectionsStage, { key, work }: Cut): Promise<void> {
  const { person } = stage;
  if (work === "refreshing") {
    await expireAccessToken(stage, key);
    // Whether the database has the new tokens or not: they are stored in the end, and used.
    expect(await person.use(key)).toMatchObject({ status: 200, isForeign: true });
  } else if (work === "disconnecting") {
    await person.disconnect(key);
  } else {
    const attempt = await person.beginConnecting(key);
    await attempt.finish();
  }
}

/** Everything is as if the work was done, or as if it had never begun. */
export async function expectSettled(stage: ConnectionsStage, { key, work }: Cut): Promise<void> {
  const { person } = stage;
  switch (work) {
    case "connecting":
      if ((await person.show(key)).state === "connected") return await expectUsable(stage, key);
      // Tokens that are not kept are not left lying about.
      expect(await areLive(stage, issued(stage, key, 0))).toEqual([false, false]);
      return await expectConnectable(stage, key);
    case "connecting again":
      return await expectUsable(stage, key);
    case "refreshing":
      await expectEvents(stage, key, ["created", "refreshed", "used"]);
      return await expectUsable(stage, key);
    case "disconnecting":
    default:
      await expect.poll(() => person.show(key), inBackground).toMatchObject({ state: "not_connected" });
      expect(await areLive(stage, issued(stage, key, 0))).toEqual([false, false]);
      await expectEvents(stage, key, ["created", "removed"]);
  }
}
