import { Button } from "@mantine/core";
import { useEffect, useState } from "react";
import { useText } from "../../text/text";
import { Identifier } from "../../parts/identifier";
import { keyFileName } from "./key-file-name";
import { kidOf } from "./pem";

export interface KeyPair {
  readonly kid: string;
  /** The public JWK, in the form of a pasted one. */
  readonly publicText: string;
  /** What `createMachineClient` takes as its `signingKey`. */
  readonly file: string;
}

/**
 * Makes a key pair in the browser. The private key is saved as a file and never sent; the public key is used as if it were
 * pasted.
 */
export function MakeKeyPair({ onMade }: { readonly onMade: (publicText: string) => void }) {
  const t = useText();
  const [pair, setPair] = useState<KeyPair>();
  // Only available on HTTPS and on localhost.
  if (globalThis.crypto.subtle === undefined) return undefined;
  const make = async () => {
    const next = await generate();
    setPair(next);
    saveKeyPair(next);
    onMade(next.publicText);
  };
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={() => void make()}>
        {t("clients.key.make")}
      </Button>
      <div aria-live="polite">
        {pair !== undefined && (
          <div className="note-box">
            <p>
              {t("clients.key.made", { file: <Identifier key="file">{keyFileName(pair.kid)}</Identifier> })}
            </p>
            <Button variant="default" size="compact-sm" onClick={() => saveKeyPair(pair)}>
              {t("clients.key.saveAgain")}
            </Button>
          </div>
        )}
      </div>
    </>
  );
}

/** A key pair made when the page opens; `undefined` until then, and without HTTPS. */
export function useKeyPair(): KeyPair | undefined {
  const [pair, setPair] = useState<KeyPair>();
  useEffect(() => {
    if (globalThis.crypto.subtle !== undefined) void generate().then(setPair);
  }, []);
  return pair;
}

/** Explains the key pair that the page has made, with a button to paste a key instead. */
export function MadeKey({ pair, onOwn }: { readonly pair: KeyPair; readonly onOwn: () => void }) {
  const t = useText();
  return (
    <div className="note-box">
      <p>{t("clients.key.ready", { file: <Identifier key="file">{keyFileName(pair.kid)}</Identifier> })}</p>
      <Button variant="default" size="compact-sm" onClick={onOwn}>
        {t("clients.key.own")}
      </Button>
    </div>
  );
}

async function generate(): Promise<KeyPair> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const { kty = "", crv = "", x = "", y = "", d = "" } = await crypto.subtle.exportKey("jwk", privateKey);
  const kid = kidOf(x);
  return {
    kid,
    publicText: JSON.stringify({ kty, crv, kid, x, y }, undefined, 2),
    file: `${JSON.stringify({ kid, privateJwk: { kty, crv, x, y, d } }, undefined, 2)}\n`,
  };
}

/** Saves the private key as a download. */
export function saveKeyPair({ kid, file }: KeyPair): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([file], { type: "application/json" }));
  link.download = keyFileName(kid);
  link.click();
  // The download has started by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
