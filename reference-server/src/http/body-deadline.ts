import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route hands bodies through to somebody else, and has a limit of its own for how long that may take. */
    readonly handsThrough?: boolean;
  }
}

/** Ends connections whose body does not arrive in time, except for routes that hand bodies through. */
export function addBodyDeadline(app: FastifyInstance, seconds = 15): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { raw } = request;
    const { "content-length": length = "0", "transfer-encoding": coding } = raw.headers;
    if ((length !== "0" || coding !== undefined) && request.routeOptions.config.handsThrough !== true) {
      const timer = setTimeout(() => {
        if (!raw.complete) raw.destroy();
      }, seconds * 1000).unref();
      raw.once("close", () => clearTimeout(timer));
    }
    done();
  });
}
