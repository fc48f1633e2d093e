export { ReadableError, reportFailure } from "./parts.js";
