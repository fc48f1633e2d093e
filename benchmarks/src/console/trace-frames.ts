import type { Page } from "authz-tools/browser";

type CDPSession = Awaited<ReturnType<ReturnType<Page["context"]>["newCDPSession"]>>;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly tid: number;
  /** Microseconds: when it began, and how long its thread computed. */
  readonly ts: number;
  readonly tdur?: number;
}

const frameBegins = "ProxyMain::BeginMainFrame";

/** How long the page's thread computed for each frame while something went on, in milliseconds: without what it waited. */
export async function traceFrames(
  protocol: CDPSession,
  work: () => Promise<void>,
): Promise<readonly number[]> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { readonly value: readonly unknown[] }) =>
    void events.push(...(value as readonly TraceEvent[]));
  protocol.on("Tracing.dataCollected", collect);
  const traceConfig = {
    includedCategories: ["toplevel", "cc", "devtools.timeline", "disabled-by-default-devtools.timeline"],
  };
  await protocol.send("Tracing.start", { traceConfig, transferMode: "ReportEvents" });
  await work();
  const complete = new Promise<void>((resolve) => protocol.once("Tracing.tracingComplete", () => resolve()));
  await protocol.send("Tracing.end");
  await complete;
  protocol.off("Tracing.dataCollected", collect);

  const begins = events.filter(({ name, ph }) => name === frameBegins && ph === "X");
  const thread = begins[0]?.tid;
  const starts = begins.map(({ ts }) => ts).sort((one, other) => one - other);
  const tasks = events.filter(({ name, tid }) => tid === thread && name === "RunTask");
  const frames = starts.slice(1).map(() => 0);
  for (const { ts, tdur = 0 } of tasks) {
    // A task belongs to the frame that it ends with: what was prepared for it, and drawing it.
    const index = starts.findIndex((start) => ts <= start) - 1;
    if (index >= 0) frames[index] = (frames[index] ?? 0) + tdur / 1000;
  }
  return frames;
}
