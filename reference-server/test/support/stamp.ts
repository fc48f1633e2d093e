import { createEventStamp } from "../../src/audit/event-proof.js";
import { deriveEventKey } from "../../src/audit/seal.js";

/** The secret of a test that opens the store by itself. */
export const testSecret = Buffer.alloc(32, 3);

export const eventKey = deriveEventKey(testSecret);
export const stampEvent = createEventStamp(eventKey);
