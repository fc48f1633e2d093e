import { de } from "../../messages/de/assignments";
import { en } from "../../messages/en/assignments";

export const messages = { en, de };
