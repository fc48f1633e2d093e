export { findFreePort, isPortFree } from "@authz/dev/parts";
