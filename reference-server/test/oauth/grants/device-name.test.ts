import { describe, expect, test } from "vitest";
import { cleanDeviceName } from "../../../src/oauth/grants/issue-tokens.js";

describe("the name of a device", () => {
  test.each([
    { name: "an ordinary one", text: "ada-laptop (macOS)", shown: "ada-laptop (macOS)" },
    { name: "one in another script", text: "Zoës 📱 電話", shown: "Zoës 📱 電話" },
    { name: "white space", text: "  ada \t\n laptop ", shown: "ada laptop" },
    { name: "control characters", text: "ada\u0000\u001b[31m", shown: "ada [31m" },
    { name: "a change of direction", text: "ada\u202eptgnp.exe", shown: "ada ptgnp.exe" },
    { name: "what cannot be seen", text: "\u200b\u2060\ufeff", shown: null },
    { name: "letters that are blank", text: "\u3164\u115f\u1160\uffa0\u2800", shown: null },
    { name: "half of a character", text: "ada\ud83d", shown: "ada" },
    { name: "nothing", text: "", shown: null },
    { name: "more than a name", text: "🖥".repeat(100), shown: "🖥".repeat(80) },
  ])("is shown without what is no name: $name", ({ text, shown }) => {
    expect(cleanDeviceName(text)).toBe(shown);
  });
});
