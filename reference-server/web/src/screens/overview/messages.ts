import { de } from "../../messages/de/overview";
import { en } from "../../messages/en/overview";

export const messages = { en, de };
