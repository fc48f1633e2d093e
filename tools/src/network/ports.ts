export { findFreePort, isPortFree } from "../parts.js";
