import { de } from "../../messages/de/sessions";
import { en } from "../../messages/en/sessions";

export const messages = { en, de };
