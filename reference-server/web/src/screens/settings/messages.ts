import { de } from "../../messages/de/settings";
import { en } from "../../messages/en/settings";

export const messages = { en, de };
