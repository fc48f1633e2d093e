/**
 * What another development provider is made of as well: state, a server on loopback, pages.
 *
 * @module
 */
export { escape, renderFace, renderPage, type Site, sendPage } from "./html.js";
export {
  type AskedAddress,
  forgetCookie,
  type LoopbackServer,
  type LoopbackServerOptions,
  startLoopbackServer,
} from "./loopback-server.js";
export { createMemory, type Memory } from "./memory.js";
