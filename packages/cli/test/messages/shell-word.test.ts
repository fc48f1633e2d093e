import { execFileSync } from "node:child_process";
import { shellWord } from "@authz/agent-tools/hosts";
import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { offer } from "../../src/messages/next-step.js";

describe("a word that is offered to be typed", () => {
  it.each(["contracts:read", "https://contracts.example.com/api/a_b~c?x=1,2@3+4%20"])(
    "stays as it is: %s",
    (text) => {
      expect(shellWord(text)).toBe(text.includes("?") ? `'${text}'` : text);
    },
  );

  it("is one word to a shell with any content", () => {
    const texts = [
      "",
      "~",
      "a b",
      "$(id)",
      "`id`",
      "a;b",
      "a|b",
      "it's",
      "'",
      "-n",
      "{a,b}",
      "a&",
      "\\",
      "a\nb",
      "*",
      "#",
      "!1",
    ];
    const words = texts.map(shellWord).join(" ");
    const seen = execFileSync("sh", ["-c", `for word in ${words}; do printf '%s\\0' "$word"; done`], {
      encoding: "utf8",
    });
    expect(seen.split("\0").slice(0, -1)).toEqual(texts);
  });

  it("is in quotes that it cannot close", () => {
    assert(
      property(string({ unit: "binary-ascii" }), (text) => {
        const word = shellWord(text);
        const isPlain = /^[\w.~:/@%+,=-]+$/.test(word);
        const inside = isPlain ? word : word.slice(1, -1).replaceAll("'\\''", "");
        expect(isPlain || (word.startsWith("'") && word.endsWith("'"))).toBe(true);
        expect(inside).not.toContain("'");
      }),
    );
  });

  it("explains a request without handing its address to the shell", () => {
    const url = "https://a.example/x;id/$(id)/it's?secret=1";
    const login = { words: [], variables: {} };
    const started = { program: "authz", platform: "linux", profile: undefined, login } as const;
    expect(offer({ do: "explain", url, scopes: ["a:b", "a:c;id"] }, started)).toBe(
      "authz why --scope a:b --scope 'a:c;id' 'https://a.example/x;id/$(id)/it'\\''s'",
    );
  });
});
