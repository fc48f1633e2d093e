import { expect, it } from "vitest";
import type { AuthzClient, AuthzClientErrorCode } from "../../src/index.js";
import { expectFailure } from "./expect-error.js";
import type { Fault } from "./test-http.js";
import type { TestWorld } from "./test-world.js";

export type Refusal = readonly [name: string, code: AuthzClientErrorCode, why: string, change: Change];

export type Change = (world: TestWorld) => void;

export const callback = (change: (parameters: URLSearchParams) => void): Change => {
  return ({ server }) => void (server.rewriteCallback = change);
};
export const tokenAnswer = (change: (body: Record<string, unknown>) => void): Change => {
  return ({ server }) => void (server.rewriteTokenAnswer = change);
};
export const metadata = (change: (document: Record<string, unknown>) => void): Change => {
  return ({ server }) => void (server.rewriteMetadata = change);
};
export const denial = (denyNext: TestWorld["server"]["denyNext"]): Change => {
  return ({ server }) => void (server.denyNext = denyNext);
};
export const fault = (path: string, answer: Fault): Change => {
  return ({ server }) => server.fail(path, answer);
};
export const deviceAnswer = (change: (body: Record<string, unknown>) => void): Change => {
  return ({ server }) => void (server.rewriteDeviceAnswer = change);
};

/** Each sign-in fails in its way after its change, and stores nothing. */
export function itRefuses(
  refusals: readonly Refusal[],
  world: TestWorld,
  login: (client: AuthzClient) => Promise<unknown>,
): void {
  it.each(refusals)("for %s", async (_name, code, why, change) => {
    change(world);
    const client = world.client();
    const error = await expectFailure(login(client), code);
    expect(error.message).toContain(why);
    expect(await client.session()).toBeUndefined();
  });
}
