import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route has a limit of its own for how long a body may take. */
    readonly slowBody?: boolean;
  }
}

/** Ends connections whose body does not arrive in time, except for routes that take slow ones. */
export function addBodyDeadline(app: FastifyInstance, seconds = 15): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { raw } = request;
    const { "content-length": length = "0", "transfer-encoding": coding } = raw.headers;
    if ((length !== "0" || coding !== undefined) && request.routeOptions.config.slowBody !== true) {
      const timer = setTimeout(() => {
        if (!raw.complete) raw.destroy();
      }, seconds * 1000).unref();
      raw.once("close", () => clearTimeout(timer));
    }
    done();
  });
}
