import type { FastifyInstance } from "fastify";

/** What a process is doing, for those who decide whether it gets requests. */
type LifecycleState = "starting" | "serving" | "draining";

/** The state of this process; it only moves forward. */
export interface Lifecycle {
  readonly state: () => LifecycleState;
  readonly serve: () => void;
  readonly drain: () => void;
}

/** Asks clients to open their next connection elsewhere while the process drains. */
export function addDrainHeader(app: FastifyInstance, lifecycle: Lifecycle): void {
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (lifecycle.state() === "draining") void reply.header("connection", "close");
    done();
  });
}

export function createLifecycle(): Lifecycle {
  let state: LifecycleState = "starting";
  return {
    state: () => state,
    serve() {
      if (state === "starting") state = "serving";
    },
    drain() {
      state = "draining";
    },
  };
}
