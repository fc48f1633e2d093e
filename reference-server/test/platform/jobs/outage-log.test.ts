import { expect, test } from "vitest";
import { createOutageLog, type Failure } from "../../../src/platform/jobs/outage-log.js";
import { createLog } from "../../../src/platform/http/log.js";
import { createTestClock } from "../../support/server.js";

const failure: Failure = { code: "DATABASE_AWAY", message: "Answered with 503.", err: new Error("away") };

function create() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>);
  const log = createLog("info", { write });
  const clock = createTestClock();
  const outages = createOutageLog({ log, clock });
  const report = (times: number, changes: Partial<Failure> = {}) => {
    for (let time = 0; time < times; time += 1) {
      outages.report({ ...failure, ...changes }, log.child({ reqId: `request ${time}` }));
    }
  };
  const later = (seconds: number) => {
    clock.advance(seconds);
    outages.write();
  };
  return { lines, outages, report, later };
}

test("an outage is one line at once, one a minute with the number of failures, and one when it is over", () => {
  const { lines, report, later } = create();
  report(1_480);
  expect(lines).toMatchObject([
    { level: 50, code: "DATABASE_AWAY", reqId: "request 0", err: { message: "away" } },
  ]);
  later(59);
  expect(lines).toHaveLength(1);
  report(1);
  later(1);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatchObject({
    level: 50,
    code: "DATABASE_AWAY",
    count: 1_480,
    err: { message: "away" },
  });
  later(57);
  expect(lines).toHaveLength(2);
  later(1);
  expect(lines).toHaveLength(2);
  later(1);
  expect(lines[2]).toMatchObject({ level: 30, code: "DATABASE_AWAY", count: 1_481, seconds: 59 });
  report(1);
  expect(lines[3]).toMatchObject({ level: 50, reqId: "request 0" });
});

test("one outage does not hide another", () => {
  const { lines, report } = create();
  report(2);
  report(2, { code: "OVERLOADED" });
  report(2, { message: "Not ready: the database does not answer." });
  expect(lines.map(({ code, msg }) => [code, msg])).toEqual([
    ["DATABASE_AWAY", "Answered with 503."],
    ["OVERLOADED", "Answered with 503."],
    ["DATABASE_AWAY", "Not ready: the database does not answer."],
  ]);
});

test("what was not told yet is told when the process stops", async () => {
  const { lines, outages, report } = create();
  report(3);
  await outages.stop();
  expect(lines[1]).toMatchObject({ count: 2 });
});
