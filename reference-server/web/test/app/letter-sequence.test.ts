import { expect, test } from "vitest";
import { createLetterSequence } from "../../src/app/letter-sequence";

test.each([
  { what: "a single letter right after the page has opened", keys: [["c", 300]], follows: false },
  {
    what: "a letter soon after g",
    keys: [
      ["g", 300],
      ["c", 1499],
    ],
    follows: true,
  },
  {
    what: "a letter too late after g",
    keys: [
      ["g", 300],
      ["c", 1500],
    ],
    follows: false,
  },
  {
    what: "a letter with another one between",
    keys: [
      ["g", 300],
      ["x", 400],
      ["c", 500],
    ],
    follows: false,
  },
] as const)("$what: $follows", ({ keys, follows }) => {
  const sequence = createLetterSequence("g");
  const answers = keys.map(([key, timeStamp]) => sequence({ key, timeStamp }));
  expect(answers.at(-1)).toBe(follows);
});
