import { monitorEventLoopDelay } from "node:perf_hooks";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { hasBody } from "./arriving-bodies.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Costs nothing, and everybody else needs it: answered however busy the process is. */
    readonly neverShed?: boolean;
  }
}

export interface LoadLimits {
  /** Requests that this server may be working on at the same time. */
  readonly maxConcurrent: number;
  /** Requests that may be handed through to somebody else at the same time: they take long, and cost little. */
  readonly maxHandedThrough: number;
  /** How late the event loop may be, on average over each of the last three seconds. */
  readonly maxDelayMilliseconds: number;
  /** The same, from which on what is waited for too long may have been there in time. */
  readonly lateMilliseconds: number;
}

/** Fifty waiting requests per database connection: the last of them still ends within its time. */
const defaultLoadLimits: LoadLimits = {
  maxConcurrent: 500,
  maxHandedThrough: 1_000,
  maxDelayMilliseconds: 1_000,
  lateMilliseconds: 100,
};

/** How busy this process is. */
export interface Load {
  /** It gets to everything late, so what looks like an outage elsewhere may be its own. */
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
 * What counts is the server's own work: a request whose body is still on its way, or whose answer the client is slow to
 * read, holds no place that somebody else could need. Made once for a process: all its applications share the limits.
 */
export function createLoadShedding(changes: Partial<LoadLimits> = {}): LoadShedding {
  const limits = { ...defaultLoadLimits, ...changes };
  const { maxConcurrent, maxHandedThrough, maxDelayMilliseconds, lateMilliseconds } = limits;
  const delay = watchEventLoop();
  const own = createPlaces(maxConcurrent);
  const handedThrough = createPlaces(maxHandedThrough);

  function refusal(request: FastifyRequest): OverloadedError | undefined {
    if (delay.milliseconds() > maxDelayMilliseconds) return new OverloadedError("The event loop is late.");
    const places = handsThrough(request) ? handedThrough : own;
    return places.take(request) ? undefined : new OverloadedError("Too many requests are in progress.");
  }

  function addTo(app: FastifyInstance): void {
    // The applications of a server close together.
    app.addHook("onClose", async () => delay.stop());
    app.addHook("onRequest", (request, reply, done) => {
      if (request.routeOptions.config.neverShed === true) return done();
      reply.raw.once("close", () => {
        own.giveBack(request);
        handedThrough.giveBack(request);
      });
      done(refusal(request));
    });
    // Between these two the body is read.
    app.addHook("preParsing", (request, _reply, _payload, done) => {
      if (hasBody(request.raw)) own.giveBack(request);
      done();
    });
    app.addHook("preValidation", (request, _reply, done) => {
      const waited = hasBody(request.raw) && !handsThrough(request);
      done(waited && request.routeOptions.config.neverShed !== true ? refusal(request) : undefined);
    });
    app.addHook("onSend", (request, _reply, _payload, done) => {
      own.giveBack(request);
      done();
    });
  }
  return { addTo, isLate: () => delay.milliseconds() > lateMilliseconds };
}

function handsThrough(request: FastifyRequest): boolean {
  return request.routeOptions.config.handsThrough === true;
}

interface Places {
  /** Whether there was one. A request has one at most. */
  readonly take: (request: FastifyRequest) => boolean;
  readonly giveBack: (request: FastifyRequest) => void;
}

function createPlaces(count: number): Places {
  const taken = new Set<FastifyRequest>();
  return {
    take: (request) => taken.has(request) || (taken.size < count && taken.add(request).has(request)),
    giveBack: (request) => void taken.delete(request),
  };
}

const sampleMilliseconds = 1_000;
const samples = 3;

/** How late the loop was in the best of the last seconds: one stall, such as a machine that paused, is no overload. */
function watchEventLoop(): { milliseconds: () => number; stop: () => void } {
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
