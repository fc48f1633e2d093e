import { z } from "zod";

/** One thing that a probe looked at, in the words of whoever asked. */
export const checkSchema = z
  .strictObject({
    id: z.string(),
    state: z.enum(["passed", "warning", "failed"]),
    title: z.string(),
    detail: z.string().describe("What was found"),
    remedy: z.string().optional().describe("What to change, and where"),
  })
  .meta({ id: "Check" });
export type Check = z.infer<typeof checkSchema>;

/** Whether nothing is in the way, as far as it was looked at. */
export function isReady(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state !== "failed");
}
