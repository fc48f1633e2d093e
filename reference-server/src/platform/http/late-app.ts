import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Another application answers, and counts, measures and logs the request itself. */
    readonly passedOn?: boolean;
  }
}

/**
 * Mounts an application that is created with the first request for it: until then it costs neither time nor memory.
 *
 * It receives requests unread, and applies its own limits, log, headers and metrics.
 *
 * @param open - creates the application, ready; called again after a failure
 */
export async function mountLate(
  app: FastifyInstance,
  { prefix, open }: { readonly prefix: string; readonly open: () => Promise<FastifyInstance> },
): Promise<void> {
  let opening: Promise<FastifyInstance> | undefined;
  const opened = async () => {
    opening ??= open();
    try {
      return await opening;
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  await app.register(
    async (scope) => {
      // The late application reads the body.
      scope.removeAllContentTypeParsers();
      scope.addContentTypeParser("*", (_request, _body, done) => done(null));
      scope.route({
        method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
        url: "/*",
        config: { passedOn: true, neverShed: true, handsThrough: true },
        handler: async (request, reply) => {
          const late = await opened();
          void reply.hijack();
          late.routing(request.raw, reply.raw);
        },
      });
    },
    { prefix },
  );
  app.addHook("onClose", async () => {
    await (await opening)?.close();
  });
}
