import { afterAll, beforeAll, expect, test } from "vitest";
import { readForm } from "../support/browser.js";
import { createTestDatabase, type TestDatabase } from "../support/database.js";
import { createBrowser, signIn } from "../support/device.js";
import { createCommands, type ServerCommands } from "../support/processes.js";
import { type Answer, RawDevice } from "../support/raw-device.js";
import { extent, isLong, timeLimit } from "./extent.js";
import { createInstallation, type Installation } from "./installation.js";
import { seedCodes } from "./seed.js";
import { findViolations } from "./violations.js";

const rounds = extent({ short: 4, long: 100 });
let commands: ServerCommands;
let database: TestDatabase;
let installation: Installation;
let device: RawDevice;
let origins: readonly string[];
beforeAll(async () => {
  commands = createCommands();
  database = await createTestDatabase();
  installation = await createInstallation(commands, { database });
  const servers = await Promise.all([
    installation.start("issuer"),
    installation.start(),
    installation.start(),
  ]);
  origins = servers.map(({ origin }) => origin);
  device = await RawDevice.create(installation.issuer);
});
afterAll(async () => {
  await installation.close();
  await database.drop();
  commands.kill();
});

/** The same request three times at each of three processes, at once. Returns how often each answer came. */
async function race(send: (origin: string) => Promise<Answer>): Promise<Record<string, number>> {
  const answers = await Promise.all([...origins, ...origins, ...origins].map(send));
  const counts: Record<string, number> = {};
  for (const { status, body } of answers) {
    const outcome = status === 200 ? "success" : (body["error"] ?? String(status));
    counts[outcome] = (counts[outcome] ?? 0) + 1;
  }
  return counts;
}

async function obtainToken(): Promise<string> {
  const [code = ""] = await seedCodes(database, device, 1);
  const { body } = await device.token(device.codeParameters(code));
  return body["refresh_token"] ?? "";
}

const repeated = Array.from({ length: rounds }, (_, round) => round + 1);

test("of nine redemptions of one code at three processes one succeeds", { timeout: timeLimit }, async () => {
  for (const code of await seedCodes(database, device, rounds)) {
    const outcome = await race((origin) => device.token(device.codeParameters(code), { origin }));
    expect(outcome).toEqual({ success: 1, invalid_grant: 8 });
  }
});

test("nine refreshes with one token at three processes get one next token, and the grant lives on", {
  timeout: timeLimit,
}, async () => {
  for (const _ of repeated) {
    const token = await obtainToken();
    const next = new Set<string>();
    const outcome = await race(async (origin) => {
      const answer = await device.refresh(token, { origin });
      next.add(answer.body["refresh_token"] ?? "");
      return answer;
    });
    expect(outcome).toEqual({ success: 9 });
    expect(next.size).toBe(1);
    expect((await device.refresh([...next][0] ?? "")).status).toBe(200);
  }
});

test("of nine presentations of a token whose successor was used none succeeds, and one ends the grant", {
  timeout: timeLimit,
}, async () => {
  for (const _ of repeated) {
    const token = await obtainToken();
    const { body } = await device.refresh(token);
    await device.refresh(body["refresh_token"] ?? "");
    expect(await race((origin) => device.refresh(token, { origin }))).toEqual({ invalid_grant: 9 });
  }
});

test("of nine refreshes with one proof at three processes one succeeds, and the grant lives on", {
  timeout: timeLimit,
}, async () => {
  for (const _ of repeated) {
    const token = await obtainToken();
    const proofs = [device.proof()];
    let next = "";
    const outcome = await race(async (origin) => {
      const answer = await device.refresh(token, { origin, proofs });
      if (answer.status === 200) next = answer.body["refresh_token"] ?? "";
      return answer;
    });
    expect(outcome).toEqual({ success: 1, invalid_dpop_proof: 8 });
    expect((await device.refresh(next)).status).toBe(200);
  }
});

test("of nine answers to one consent at three processes one issues a code", {
  timeout: timeLimit,
}, async () => {
  const browser = createBrowser((url) => url.pathname === "/callback");
  for (const _ of repeated) {
    const form = readForm(await signIn(browser, device.authorizeUrl(), "ada"));
    const locations = await Promise.all(
      [...origins, ...origins, ...origins].map(async (origin) => {
        const action = new URL(form.action.pathname, origin);
        return (await browser.submit({ ...form, action }, { decision: "allow" })).url;
      }),
    );
    const codes = locations.flatMap((url) => url.searchParams.getAll("code"));
    expect(codes).toHaveLength(1);
    const { status } = await device.token(device.codeParameters(codes[0] ?? ""));
    expect(status).toBe(200);
  }
});

test("after all of that nothing is doubled or half-done", async () => {
  expect(await findViolations(database, undefined, { proofs: !isLong })).toEqual([]);
});
