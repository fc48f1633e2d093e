import type { FastifyInstance } from "fastify";
import type { RateLimitName } from "../rate-limits/limits.js";
import type { RateLimiter } from "../rate-limits/rate-limiter.js";

export interface RateLimitHookOptions {
  readonly limiter: Pick<RateLimiter, "take">;
  /** The limit of each limited route, by its pattern. */
  readonly routes: ReadonlyMap<string, RateLimitName>;
}

/** Counts the requests of limited routes by address, before anything of them is read. */
export function addRateLimits(app: FastifyInstance, options: RateLimitHookOptions): void {
  const { limiter, routes } = options;
  app.addHook("onRequest", async (request) => {
    const name = routes.get(request.routeOptions.url ?? "");
    if (name === undefined) return;
    await limiter.take(name, app.addressOf(request));
  });
}
