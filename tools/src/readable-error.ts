export { ReadableError, reportFailure } from "@authz/dev/parts";
