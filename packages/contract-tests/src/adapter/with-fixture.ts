import { afterAll, beforeAll } from "vitest";
import type { StartAdapter } from "./contract-app.js";
import { type Fixture, startFixture, type Variation } from "./fixture.js";

/** Runs one application for all tests of the enclosing `describe`. */
export function withFixture(start: StartAdapter, variation?: Variation): () => Fixture {
  let fixture: Fixture | undefined;
  beforeAll(async () => {
    fixture = await startFixture(start, variation);
  });
  afterAll(async () => {
    await fixture?.close();
  });
  return () => {
    if (fixture === undefined) throw new Error("The application runs only while tests do.");
    return fixture;
  };
}
