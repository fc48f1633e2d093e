import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { Agent, request as send } from "undici";
import type { AnsweringProcess } from "../child-process.js";
import { inTurns, type Options, quantile, showProgress } from "../frame.js";

export interface PreparedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string | Buffer;
  /** What the answer is: so many bytes, or a text with this in it. */
  readonly expected: number | string;
}

/** A way to the API. */
export interface Way {
  readonly name: string;
  /** What is in between; `undefined`: nothing. */
  readonly between: AnsweringProcess | undefined;
  /** So many requests; made before the clock starts. */
  readonly prepare: (count: number) => Promise<readonly PreparedRequest[]> | readonly PreparedRequest[];
}

export interface Sample {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  /** Of what is in between, for each request. */
  readonly cpuMicroseconds: number;
}

const dispatcher = new Agent({ pipelining: 1, connections: 200 });

/** Sends a request and reads all of its answer. @throws {Error} The answer is not the expected one. */
export async function sendRequest({ url, headers, body, expected }: PreparedRequest): Promise<void> {
  const method = body === undefined ? "GET" : "POST";
  const answer = await send(url, { dispatcher, method, headers, body: body ?? null });
  let bytes = 0;
  let text = "";
  for await (const chunk of answer.body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (typeof expected === "string" || answer.statusCode !== 200) text += chunk.toString("latin1");
  }
  const isExpected =
    typeof expected === "number"
      ? bytes === expected
      : text.includes(expected) && !text.includes('"isError"');
  if (answer.statusCode !== 200 || !isExpected)
    throw new Error(`${url} answered with ${answer.statusCode}, ${bytes} bytes: ${text.slice(0, 400)}`);
}

export async function closeConnections(): Promise<void> {
  await dispatcher.close();
}

/** Sends requests, so many at a time. */
async function takeTurn({ between, prepare }: Way, count: number, atOnce: number): Promise<Sample> {
  const requests = await prepare(count);
  const before = await between?.usage();
  const times: number[] = [];
  const begun = performance.now();
  const left = requests.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const request of left) {
        const started = performance.now();
        await sendRequest(request);
        times.push(performance.now() - started);
      }
    }),
  );
  const seconds = (performance.now() - begun) / 1000;
  const after = await between?.usage();
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    perSecond: count / seconds,
    cpuMicroseconds: ((after?.cpuMicroseconds ?? 0) - (before?.cpuMicroseconds ?? 0)) / count,
  };
}

/** What is measured in turns: a way, with so many requests of which so many are under way at a time. */
export interface Case {
  readonly title: string;
  readonly way: Way;
  readonly count: number;
  readonly atOnce: number;
}

/**
 * Before anything is counted: until then the compiler of the measured process is part of what is measured. Many at a time are quick, and
 * the last ones go one at a time, as those that are counted.
 */
export async function warmUp(cases: readonly Case[]): Promise<void> {
  for (const { title, way, count, atOnce } of cases) {
    showProgress(`warming up: ${title}, ${way.name}, ${atOnce} at a time`);
    if (count > 0) await takeTurn(way, count, atOnce);
  }
}

/** The samples of each case. */
export async function measureWays(
  cases: readonly Case[],
  size: Pick<Options, "rounds" | "endAt">,
): Promise<readonly (readonly Sample[])[]> {
  return await inTurns(
    cases.map(({ title, way, count, atOnce }) => ({
      name: `${title}, ${way.name}`,
      take: () => takeTurn(way, count, atOnce),
    })),
    size,
  );
}

/** Resident memory of a process before some work, and the most while it was under way; `NaN` where Linux does not say. */
export async function measureMemory(
  { process: { pid } }: AnsweringProcess,
  work: () => Promise<unknown>,
): Promise<{ readonly before: number; readonly peak: number; readonly seconds: number }> {
  const before = residentBytes(pid);
  let peak = before;
  const timer = setInterval(() => (peak = Math.max(peak, residentBytes(pid))), 10);
  const started = performance.now();
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return { before, peak, seconds: (performance.now() - started) / 1000 };
}

function residentBytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
  } catch {
    return Number.NaN;
  }
}
