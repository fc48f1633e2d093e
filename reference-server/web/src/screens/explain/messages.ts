import { de } from "../../messages/de/explain";
import { en } from "../../messages/en/explain";

export const messages = { en, de };
