import { UnavailableError } from "../platform/http/unavailable-error.js";

/** The database cannot be reached or has no connection to give. Answered with 503, never with a refusal. */
export class DatabaseUnavailableError extends UnavailableError {
  override readonly name = "DatabaseUnavailableError";
}
