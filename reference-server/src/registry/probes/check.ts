import { z } from "zod";

/** One finding of a probe, in the caller's language. */
export const checkSchema = z
  .strictObject({
    id: z.string(),
    state: z
      .enum(["passed", "warning", "failed", "unreached"])
      .describe("`unreached`: what it needs failed before it could be looked at"),
    title: z.string(),
    detail: z.string().describe("What was found"),
    remedy: z.string().optional().describe("What to change, and where"),
  })
  .meta({ id: "Check" });
export type Check = z.infer<typeof checkSchema>;

/** Whether everything was looked at, and nothing is in the way. */
export function isReady(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state === "passed" || state === "warning");
}
