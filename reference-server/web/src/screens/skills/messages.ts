import { de } from "../../messages/de/skills";
import { en } from "../../messages/en/skills";

export const messages = { en, de };
