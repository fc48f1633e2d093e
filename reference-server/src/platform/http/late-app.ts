import type { FastifyInstance } from "fastify";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Another application answers, which counts, measures and logs the request itself. */
    readonly passedOn?: boolean;
  }
}

/**
 * Mounts an application that is made when the first request for it arrives: until then it costs neither time nor memory.
 *
 * It gets requests as they came, unread, and does with them all that this one would: limits, log, headers, measures.
 *
 * @param open - makes the application, ready; asked again when it failed
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
      // The body stays where it is, for whoever answers.
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
