import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { hasBody } from "./arriving-bodies.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Answered however busy the process is: it costs nothing, and every client needs it. */
    readonly neverShed?: boolean;
  }
}

export interface LoadLimits {
  /** Requests that this server works on at the same time. */
  readonly maxConcurrent: number;
  /** Concurrent requests forwarded to other servers: they take long, and cost little. */
  readonly maxHandedThrough: number;
  /** How late the event loop may be, on average over each of the last three samples. */
  readonly maxDelayMilliseconds: number;
  /** A loop this late may itself be the cause of a time-out. */
  readonly lateMilliseconds: number;
  readonly sampleMilliseconds: number;
}

/** Fifty waiting requests per database connection: the last of them still ends within its time. */
const defaultLoadLimits: LoadLimits = {
  maxConcurrent: 500,
  maxHandedThrough: 1_000,
  maxDelayMilliseconds: 1_000,
  lateMilliseconds: 100,
  sampleMilliseconds: 1_000,
};

/** How busy this process is. */
export interface Load {
  /** Its event loop is late, so what looks like an outage elsewhere may be its own. */
  readonly isLate: () => boolean;
}

/** The server takes no further request now. Answered with 503. */
export class OverloadedError extends Error {
  override readonly name = "OverloadedError";
  readonly statusCode = 503;
}

/** The load of a process, and the hooks that limit it. */
export interface LoadShedding extends Load {
  readonly addTo: (app: FastifyInstance) => void;
}

/**
 * Refuses requests at once when the process cannot keep up, so that those it took end in time.
 *
 * Only the server's own work counts: a request whose body is still arriving, or whose answer the client is slow to read, holds no
 * permit. Created once per process: all its applications share the limits.
 */
export function createLoadShedding(changes: Partial<LoadLimits> = {}): LoadShedding {
  const limits = { ...defaultLoadLimits, ...changes };
  const { maxConcurrent, maxHandedThrough, maxDelayMilliseconds, lateMilliseconds } = limits;
  const delay = watchEventLoop(limits.sampleMilliseconds);
  const own = createSemaphore(maxConcurrent);
  const forwarded = createSemaphore(maxHandedThrough);

  function refusal(request: FastifyRequest): OverloadedError | undefined {
    if (delay.milliseconds() > maxDelayMilliseconds) return new OverloadedError("The event loop is late.");
    const semaphore = handsThrough(request) ? forwarded : own;
    return semaphore.acquire(request) ? undefined : new OverloadedError("Too many requests are in progress.");
  }

  function addTo(app: FastifyInstance): void {
    // The applications of a server close together.
    app.addHook("onClose", async () => delay.stop());
    app.addHook("onRequest", (request, reply, done) => {
      if (request.routeOptions.config.neverShed === true) return done();
      reply.raw.once("close", () => {
        own.release(request);
        forwarded.release(request);
      });
      done(refusal(request));
    });
    // Between these two the body is read.
    app.addHook("preParsing", (request, _reply, _payload, done) => {
      if (hasBody(request.raw)) own.release(request);
      done();
    });
    app.addHook("preValidation", (request, _reply, done) => {
      const waited = hasBody(request.raw) && !handsThrough(request);
      done(waited && request.routeOptions.config.neverShed !== true ? refusal(request) : undefined);
    });
    app.addHook("onSend", (request, _reply, _payload, done) => {
      own.release(request);
      done();
    });
  }
  return { addTo, isLate: () => delay.milliseconds() > lateMilliseconds };
}

function handsThrough(request: FastifyRequest): boolean {
  return request.routeOptions.config.handsThrough === true;
}

interface Semaphore {
  /** Returns whether there was a permit. A request holds at most one. */
  readonly acquire: (request: FastifyRequest) => boolean;
  readonly release: (request: FastifyRequest) => void;
}

function createSemaphore(permits: number): Semaphore {
  const holders = new Set<FastifyRequest>();
  return {
    acquire: (request) =>
      holders.has(request) || (holders.size < permits && holders.add(request).has(request)),
    release: (request) => void holders.delete(request),
  };
}

const samples = 3;

/** Delay of the event loop in the best of the last samples: one stall, such as a paused machine, is no overload. */
function watchEventLoop(sampleMilliseconds: number): { milliseconds: () => number; stop: () => void } {
  const histogram = monitorEventLoopDelay({ resolution: 20 });
  histogram.enable();
  let means: readonly number[] = [0];
  const timer = setInterval(() => {
    means = [...means, Number.isNaN(histogram.mean) ? 0 : histogram.mean / 1e6].slice(-samples);
    histogram.reset();
  }, sampleMilliseconds).unref();
  return {
    milliseconds: () => (means.length < samples ? 0 : Math.min(...means)),
    stop() {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
