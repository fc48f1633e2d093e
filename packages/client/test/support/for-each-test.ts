import { afterEach, beforeEach } from "vitest";

/** Starts something anew for each test of a file, and closes it after the test. Between tests the object has nothing to use. */
export function forEachTest<Started extends { close(): Promise<void> }>(
  start: () => Promise<Started>,
): Started {
  const current = {} as Started;
  beforeEach(async () => void Object.assign(current, await start()));
  afterEach(async () => await current.close());
  return current;
}
