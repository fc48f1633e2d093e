import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route hands bodies through to somebody else, and has a limit of its own for how long that may take. */
    readonly handsThrough?: boolean;
  }
}

export interface BodyLimits {
  /** How long a body may take to arrive. */
  readonly seconds: number;
  /** How long the rest of a body may take whose request is answered already. */
  readonly restSeconds: number;
  /** Bodies of one address that may be on their way at the same time. */
  readonly perAddress: number;
  /** Bodies of everybody. */
  readonly total: number;
}

/** An honest body is there at once, so even thousands of people behind one address have few on their way. */
const defaultBodyLimits: BodyLimits = { seconds: 15, restSeconds: 5, perAddress: 250, total: 2_000 };

/** Whether a request announces a body; it need not have arrived. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": coding } = headers;
  return length !== "0" || coding !== undefined;
}

/** The bodies that are on their way to a process, and the hooks that limit them. */
export interface ArrivingBodies {
  readonly addTo: (app: FastifyInstance) => void;
}

/**
 * Ends connections whose body does not arrive in time, except for routes that hand bodies through. Made once for a process: all its
 * applications share the limits.
 *
 * Too many at once end the oldest, of the same address if that one has too many: whoever sends slowly is the one who is
 * cut off, and nobody who sends at once is ever refused because of it.
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

/** One that is on its way. */
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
