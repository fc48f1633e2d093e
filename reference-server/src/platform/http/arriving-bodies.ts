import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route forwards bodies to another server, with its own time limit. */
    readonly handsThrough?: boolean;
  }
}

export interface BodyLimits {
  /** How long a body may take to arrive. */
  readonly seconds: number;
  /** How long the rest of a body may take once its request is answered. */
  readonly restSeconds: number;
  /** Concurrent bodies from one address. */
  readonly perAddress: number;
  /** Concurrent bodies from all addresses. */
  readonly total: number;
}

/** Honest bodies arrive at once, so even thousands of people behind one address have few in progress. */
const defaultBodyLimits: BodyLimits = { seconds: 15, restSeconds: 5, perAddress: 250, total: 2_000 };

/** Whether a request announces a body; it need not have arrived. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return length !== "0" || coding !== undefined;
}

/** The bodies in progress, and the hooks that limit them. */
export interface ArrivingBodies {
  readonly addTo: (app: FastifyInstance) => void;
}

/**
 * Ends connections whose body does not arrive in time, except for routes that forward bodies. Created once per process: all its
 * applications share the limits.
 *
 * Too many at once end the oldest, of the same address if that one has too many: slow senders are cut off, and fast ones are never
 * refused because of them.
 */
export function createBodyLimits(changes: Partial<BodyLimits> = {}): ArrivingBodies {
  const { seconds, restSeconds, perAddress, total } = { ...defaultBodyLimits, ...changes };
  // Sets keep the order in which something came.
  const arriving = new Set<Body>();
  const byAddress = new Map<string, Set<Body>>();

  function add(body: Body): void {
    const sameAddress = byAddress.get(body.address) ?? new Set();
    byAddress.set(body.address, sameAddress.add(body));
    arriving.add(body);
    if (sameAddress.size > perAddress) cutOldest(sameAddress);
    if (arriving.size > total) cutOldest(arriving);
  }

  function remove(body: Body): void {
    const sameAddress = byAddress.get(body.address);
    arriving.delete(body);
    sameAddress?.delete(body);
    if (sameAddress?.size === 0) byAddress.delete(body.address);
  }

  function cutOldest(bodies: Set<Body>): void {
    const [oldest] = bodies;
    if (oldest === undefined) return;
    remove(oldest);
    cut(oldest.raw);
  }

  function addTo(app: FastifyInstance): void {
    app.addHook("onRequest", (request, reply, done) => {
      const { raw } = request;
      if (!hasBody(raw) || request.routeOptions.config.handsThrough === true) return done();
      const body = { raw, address: app.addressOf(request) };
      let timer = cutAfter(raw, seconds);
      const end = () => {
        clearTimeout(timer);
        remove(body);
      };
      raw.once("end", end).once("close", end);
      reply.raw.once("finish", () => {
        clearTimeout(timer);
        if (!raw.complete) timer = cutAfter(raw, restSeconds);
      });
      add(body);
      done();
    });
  }
  return { addTo };
}

/** A body in progress. */
interface Body {
  readonly raw: IncomingMessage;
  readonly address: string;
}

function cutAfter(raw: IncomingMessage, seconds: number): NodeJS.Timeout {
  return setTimeout(() => cut(raw), seconds * 1000).unref();
}

function cut(raw: IncomingMessage): void {
  if (!raw.complete) raw.destroy();
}
