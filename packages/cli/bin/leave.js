"use strict";

/**
 * Ends the process with the command, without taking its heap apart, which would be a part of what every command costs; and soon after it
 * where something is left: a keyring that never answers would keep it alive.
 */
function leaveSoon() {
  process.once("beforeExit", () => process.exit());
  setTimeout(leave, 1000).unref();
}

function leave() {
  if (process.stdout.writableLength > 0) process.stdout.once("drain", leave);
  else process.exit();
}

module.exports = { leaveSoon };
