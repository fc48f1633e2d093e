import type { AdminSettings } from "@admin/settings";
import { Button, FileButton } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/change";
import type { Impact } from "../../api/queries";
import type { RequestOptions } from "../../api/request";
import { useLocale, useText } from "../../text/text";
import { ConfirmDestructive } from "../../parts/confirm-destructive";
import { Section } from "../../parts/page";
import { toast } from "../../parts/toasts";
import { useAction } from "../../parts/use-action";
import "./settings.css";

interface Chosen {
  readonly file: Blob;
  readonly name: string;
  /** The image as a `data:` address: the only one that the console's policy shows besides its own. */
  readonly source: string;
}

interface LogoProps {
  readonly settings: AdminSettings;
  /** Something else on the page is not saved yet. */
  readonly blocked: boolean;
  readonly onStored: (stored: AdminSettings) => Promise<void>;
}

/** The stored logo, a chosen replacement, and why the server refused it. */
export function LogoSection(props: LogoProps) {
  const { settings, blocked } = props;
  const t = useText();
  const { chosen, choose, save, store, saving, problem } = useLogo(props);
  const [removing, setRemoving] = useState(false);
  const { logo, version, installationName } = settings;
  const source = chosen?.source ?? logo?.url;
  return (
    <Section title={t("settings.logo")} lead={t("settings.logoHelp")}>
      <div className="logo-section">
        {source === undefined ? (
          <p className="muted">{t("settings.noLogo")}</p>
        ) : (
          <Swatches source={source} alt={t("settings.logoAlt", { name: installationName })} />
        )}
        <LogoFacts chosen={chosen} logo={logo} />
        <div role="alert">
          {problem !== undefined && (
            <p className="problem">
              <strong>{t("settings.refused")}.</strong> {problem}
            </p>
          )}
        </div>
        {blocked && <p className="muted">{t("settings.saveFirst")}</p>}
        <div className="page-actions">
          {chosen !== undefined && (
            <>
              <Button loading={saving} disabled={blocked} onClick={() => void save(chosen)}>
                {t("settings.save")}
              </Button>
              <Button variant="default" onClick={() => void choose(null)}>
                {t("parts.cancel")}
              </Button>
            </>
          )}
          <FileButton accept="image/png,image/svg+xml" onChange={(file) => void choose(file)}>
            {(button) => (
              <Button {...button} variant="default" disabled={blocked}>
                {source === undefined ? t("settings.choose") : t("settings.chooseOther")}
              </Button>
            )}
          </FileButton>
          {chosen === undefined && logo !== null && (
            <Button variant="default" disabled={blocked} onClick={() => setRemoving(true)}>
              {t("settings.remove")}
            </Button>
          )}
        </div>
      </div>
      {removing && (
        <RemoveLogo
          version={version}
          onConfirm={() => store({ method: "DELETE", version }, t("settings.removed"))}
          onClose={() => setRemoving(false)}
        />
      )}
    </Section>
  );
}

function useLogo({ settings: { version }, onStored }: LogoProps) {
  const t = useText();
  const { run, working: saving, problem, reset } = useAction();
  const change = useChange("/settings");
  const [chosen, setChosen] = useState<Chosen>();
  const choose = async (file: File | null) => {
    reset();
    setChosen(file === null ? undefined : await readImage(file));
  };
  const store = async (options: RequestOptions, done: string) => {
    const stored = await change<AdminSettings>("/settings/logo", options);
    // The shell shows the logo at the same address, so the browser's cached copy has to be replaced.
    await fetch("/assets/logo", { cache: "reload" }).catch(() => undefined);
    toast(done);
    await onStored(stored);
  };
  const save = (wanted: Chosen) =>
    run(async () => {
      await store({ method: "PUT", file: wanted.file, version }, t("settings.saved"));
      // Another one may have been chosen meanwhile.
      setChosen((now) => (now === wanted ? undefined : now));
    });
  return { chosen, choose, save, store, saving, problem };
}

/** The chosen file, or the stored one. */
function LogoFacts(props: { readonly chosen: Chosen | undefined; readonly logo: AdminSettings["logo"] }) {
  const { chosen, logo } = props;
  const t = useText();
  const toSize = useSize();
  if (chosen !== undefined) {
    return <p>{t("settings.chosen", { name: chosen.name, size: toSize(chosen.file.size) })}</p>;
  }
  if (logo === null) return undefined;
  const type = logo.type === "image/png" ? "PNG" : "SVG";
  return <p className="muted">{t("settings.stored", { type, size: toSize(logo.bytes) })}</p>;
}

function RemoveLogo(props: {
  readonly version: number;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}) {
  const { version, onConfirm, onClose } = props;
  const t = useText();
  const change = useChange("/settings");
  return (
    <ConfirmDestructive
      title={t("settings.removeTitle")}
      confirmLabel={t("settings.removeSubmit")}
      preview={() =>
        change<{ impact: Impact }>("/settings/logo", { method: "DELETE", version, query: { preview: true } })
      }
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>{t("settings.removeText")}</p>
    </ConfirmDestructive>
  );
}

/** On a light and a dark background: a dark logo is invisible on the dark one. */
function Swatches({ source, alt }: { readonly source: string; readonly alt: string }) {
  const t = useText();
  return (
    <div className="swatches">
      <figure className="swatch" data-ground="light">
        <img src={source} alt={alt} />
        <figcaption>{t("settings.onLight")}</figcaption>
      </figure>
      <figure className="swatch" data-ground="dark">
        <img src={source} alt="" />
        <figcaption>{t("settings.onDark")}</figcaption>
      </figure>
    </div>
  );
}

/** Reads a file as an image. The server checks the content; only the type comes from the file or its name. */
async function readImage(file: File): Promise<Chosen> {
  const isSvg = file.type === "image/svg+xml" || file.name.toLowerCase().endsWith(".svg");
  const image = new Blob([await file.arrayBuffer()], { type: isSvg ? "image/svg+xml" : "image/png" });
  const source = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(reader.result as string));
    reader.addEventListener("error", () => reject(reader.error ?? new Error("The file cannot be read.")));
    reader.readAsDataURL(image);
  });
  return { file: image, name: file.name, source };
}

function useSize(): (bytes: number) => string {
  const format = new Intl.NumberFormat(useLocale(), {
    style: "unit",
    unit: "kilobyte",
    maximumFractionDigits: 1,
  });
  return (bytes) => format.format(bytes / 1000);
}
