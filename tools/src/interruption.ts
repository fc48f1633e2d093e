export { onInterruption } from "@authz/dev/parts";
