import type { Parameters } from "../../protocol/parameters.js";

/** A form that a client posts to one of its endpoints, free of any framework. */
export interface FormRequest {
  readonly parameters: Parameters;
  /** Every `DPoP` header. */
  readonly dpop: readonly string[];
  /** Every `Authorization` header. */
  readonly authorization: readonly string[];
  readonly requestId: string;
  /** The address it came from, as far as the server can know. */
  readonly clientAddress: () => string;
}
