import { sentencesBelow } from "./below-english.js";

type Name = keyof typeof sentencesBelow;

/** The more of a sentence is fixed, the earlier it is looked for. */
const known = Object.entries(sentencesBelow)
  .map(([name, english]) => ({
    name: name as Name,
    pattern: toPattern(english),
    fixed: fixedLength(english),
  }))
  .sort((one, other) => other.fixed - one.fixed);

/** Returns a function that says in another language what a layer below said; what it does not know, it leaves. */
export function translateBelow(sentences: Readonly<Record<Name, string>>): (message: string) => string {
  const translate = (message: string): string => {
    for (const { name, pattern } of known) {
      const match = pattern.exec(message);
      if (match !== null) {
        const values = match.slice(1).map(translate);
        return sentences[name].replaceAll("{}", () => values.shift() ?? "");
      }
    }
    return message;
  };
  return translate;
}

function toPattern(sentence: string): RegExp {
  const parts = sentence.split("{}").map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("(.+?)")}$`, "su");
}

function fixedLength(sentence: string): number {
  return sentence.replaceAll("{}", "").length;
}
