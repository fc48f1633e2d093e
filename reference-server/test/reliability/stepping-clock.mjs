/** Loaded into a server process by `clock-steps.system.test.ts`: SIGCONT moves its clock to the next offset. */
import process from "node:process";

const offsets = (process.env.CLOCK_OFFSETS ?? "").split(",").map(Number);
const systemNow = Date.now;
const SystemDate = Date;
let offset = Number(process.env.CLOCK_START ?? 0) * 1000;
let steps = 0;

globalThis.Date = class extends SystemDate {
  constructor(...values) {
    super(...(values.length === 0 ? [systemNow() + offset] : values));
  }

  static now() {
    return systemNow() + offset;
  }
};

process.on("SIGCONT", () => {
  offset = (offsets[steps] ?? 0) * 1000;
  steps += 1;
  process.stdout.write(`clock step ${steps} \n`);
});
