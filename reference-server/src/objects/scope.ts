import { z } from "zod";
import { scopeDescription, scopeKey } from "./fields.js";

/** A permission: `namespace:permission`, the same text as on the wire. */
export const scopeRules = z.strictObject({ key: scopeKey, description: scopeDescription });
