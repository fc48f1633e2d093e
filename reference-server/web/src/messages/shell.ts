import { de } from "./de/shell";
import { en } from "./en/shell";

export const shellMessages = { en, de };
