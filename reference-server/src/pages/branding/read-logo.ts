import { createHash } from "node:crypto";
import type { Logo } from "../../store/settings.js";
import { type Message, renderMessage } from "../../text/message.js";
import { textsIn } from "../../text/texts.js";
import { checkSvg, logoFault } from "./check-svg.js";

/** Bytes that a logo may have. */
export const maximumLogoBytes = 64 * 1024;
/** Pixels on each side. */
const maximumSide = 4096;

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The image cannot be a logo. `said` explains why; the message is the same in English. */
export class LogoError extends Error {
  override readonly name = "LogoError";
  readonly sentence: Message;
  constructor(sentence: Message) {
    super(renderMessage(sentence, textsIn("en")));
    this.sentence = sentence;
  }
}

/**
 * Takes an image as a logo, as it is: what is not harmless is refused, never repaired.
 *
 * @param type - the declared type, which must match the content
 * @throws {LogoError}
 */
export function readLogo(bytes: Buffer, type: string): Logo {
  if (bytes.length > maximumLogoBytes) {
    throw new LogoError(logoFault("size", { size: bytes.length, most: maximumLogoBytes }));
  }
  const isPng = bytes.subarray(0, pngSignature.length).equals(pngSignature);
  const found = isPng ? "image/png" : "image/svg+xml";
  const fault = isPng ? checkPng(bytes) : checkSvgBytes(bytes);
  if (fault !== undefined) throw new LogoError(logoFault("image", { fault }));
  if (type !== found) throw new LogoError(logoFault("type", { type: found, sent: type }));
  return { type: found, content: bytes, digest: createHash("sha256").update(bytes).digest("base64url") };
}

function checkSvgBytes(bytes: Buffer): Message | undefined {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return logoFault("notAnImage");
  }
  return checkSvg(text);
}

/** Walks through the chunks: the header first, the end last, nothing behind it. */
function checkPng(bytes: Buffer): Message | undefined {
  let at = pngSignature.length;
  for (let index = 0; at + 12 <= bytes.length; index += 1) {
    const length = bytes.readUInt32BE(at);
    const name = bytes.toString("latin1", at + 4, at + 8);
    const next = at + 12 + length;
    if (next > bytes.length) break;
    if ((index === 0) !== (name === "IHDR")) return logoFault("incompletePng");
    if (name === "IHDR") {
      if (length !== 13) return logoFault("incompletePng");
      const sides = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)];
      if (sides.some((side) => side === 0 || side > maximumSide)) {
        return logoFault("sides", { most: maximumSide });
      }
    }
    if (name === "IEND") return next === bytes.length ? undefined : logoFault("behindEnd");
    at = next;
  }
  return logoFault("incompletePng");
}
