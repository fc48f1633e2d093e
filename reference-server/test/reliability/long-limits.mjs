/** Loaded into a server process that a test holds until it is killed: its time limits must not end what is held. */
const { setTimeout: start } = globalThis;

/** Limits take seconds; what is shorter makes the process work. */
const shortestLimit = 2_000;

globalThis.setTimeout = Object.assign(
  (callback, milliseconds, ...values) =>
    start(callback, milliseconds >= shortestLimit ? milliseconds * 100 : milliseconds, ...values),
  start,
);
