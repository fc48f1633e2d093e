import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { openStore, type OpenStore } from "../../src/store/store.js";
import { createTestDatabase, type TestDatabase } from "./database.js";
import { stampEvent } from "./stamp.js";

export interface TestStore {
  readonly database: TestDatabase;
  readonly store: OpenStore;
}

/**
 * Opens a store on a database of its own, for all tests of a file or for each.
 *
 * @param clock - where the clock of the database stands still; it goes as usual when absent
 */
export function withStore(
  scope: "all" | "each",
  begin: (opened: TestStore) => void | Promise<void>,
  clock?: Date,
): void {
  const [before, after] = scope === "all" ? [beforeAll, afterAll] : [beforeEach, afterEach];
  let opened: TestStore | undefined;
  before(async () => {
    const database = await createTestDatabase(clock);
    opened = { database, store: openStore({ postgresUrl: database.url, stampEvent }) };
    await begin(opened);
  });
  after(async () => {
    await opened?.store.close();
    await opened?.database.drop();
  });
}
