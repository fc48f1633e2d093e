/**
 * The parts of `@authz/dev`, which publishes only its command: by path, and from what is built, because the scripts run without the
 * compiler's conditions. vitest.config.ts takes the source instead.
 */
export * from "../../packages/dev/dist/parts.js";
