import { de } from "../../messages/de/audit";
import { en } from "../../messages/en/audit";

export const messages = { en, de };
