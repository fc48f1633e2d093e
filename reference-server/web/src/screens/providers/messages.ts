import { de } from "../../messages/de/providers";
import { en } from "../../messages/en/providers";

export const messages = { en, de };
