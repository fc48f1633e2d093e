/**
 * What most calls do not need, loaded together when one of them does. In a bundle, whatever two such modules share becomes a file of its
 * own for each combination of them, and each file costs a short-lived command a millisecond.
 *
 * @module
 */
export { createConnectionParts } from "./connections/connection-parts.js";
export { signInWithBrowser } from "./login/browser-login.js";
export { signInWithDevice } from "./login/device-login.js";
