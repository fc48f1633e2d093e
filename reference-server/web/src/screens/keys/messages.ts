import { de } from "../../messages/de/keys";
import { en } from "../../messages/en/keys";

export const messages = { en, de };
