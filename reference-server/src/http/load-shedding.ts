import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance } from "fastify";

export interface LoadLimits {
  /** Requests that may be in progress at the same time. */
  readonly maxConcurrent: number;
  /** How late the event loop may be, on average over the last second. */
  readonly maxDelayMilliseconds: number;
}

/** Fifty waiting requests per database connection: the last of them still ends within its time. */
const defaultLoadLimits: LoadLimits = { maxConcurrent: 500, maxDelayMilliseconds: 1_000 };

/** The server takes no further request now. Answered with 503. */
export class OverloadedError extends Error {
  override readonly name = "OverloadedError";
  readonly statusCode = 503;
}

/**
 * Refuses requests at once when the process cannot keep up, so that those it took end in time.
 *
 * The discovery documents stay: they cost nothing, and the health check asks for one.
 */
export function addLoadShedding(app: FastifyInstance, limits: LoadLimits = defaultLoadLimits): void {
  const delay = watchEventLoop();
  app.addHook("onClose", async () => delay.stop());
  let inProgress = 0;
  app.addHook("onRequest", (request, reply, done) => {
    inProgress += 1;
    reply.raw.once("close", () => {
      inProgress -= 1;
    });
    if (request.url.startsWith("/.well-known/")) done();
    else if (inProgress > limits.maxConcurrent)
      done(new OverloadedError("Too many requests are in progress."));
    else if (delay.milliseconds() > limits.maxDelayMilliseconds)
      done(new OverloadedError("The event loop is late."));
    else done();
  });
}

const sampleMilliseconds = 1_000;

function watchEventLoop(): { milliseconds: () => number; stop: () => void } {
  const histogram = monitorEventLoopDelay({ resolution: 20 });
  histogram.enable();
  let mean = 0;
  const timer = setInterval(() => {
    mean = Number.isNaN(histogram.mean) ? 0 : histogram.mean / 1e6;
    histogram.reset();
  }, sampleMilliseconds).unref();
  return {
    milliseconds: () => mean,
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
