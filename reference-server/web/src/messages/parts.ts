import { de } from "./de/parts";
import { en } from "./en/parts";

export const partsMessages = { en, de };
