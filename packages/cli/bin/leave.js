"use strict";

/** Ends the process soon after the command: a keyring that never answers would keep it alive. */
function leaveSoon() {
  setTimeout(leave, 1000).unref();
}

function leave() {
  if (process.stdout.writableLength > 0) process.stdout.once("drain", leave);
  else process.exit();
}

module.exports = { leaveSoon };
