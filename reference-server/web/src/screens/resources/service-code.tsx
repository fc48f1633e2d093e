import type { Resource } from "@admin/resources";
import { useState } from "react";
import { useText } from "../../text/text";
import { Choice } from "../../parts/choice";
import { Snippet } from "../../parts/copyable";
import { adapterCode, type Framework, frameworks } from "./adapter-code";

const names: Readonly<Record<Framework, string>> = {
  express: "Express",
  fastify: "Fastify",
  hono: "Hono",
  koa: "Koa",
  next: "Next.js",
};

/** Code to start the service with, for a service that is registered before it is written. */
export function ServiceCode({ service }: { readonly service: Resource }) {
  const t = useText();
  const [framework, setFramework] = useState<Framework>("express");
  const { install, files, run } = adapterCode({ framework, issuer: location.origin, service });
  return (
    <details className="more-fields">
      <summary>{t("resources.code.title")}</summary>
      <div className="edit-fields">
        <Choice
          label={t("resources.code.framework")}
          value={framework}
          options={frameworks.map((value) => ({ value, label: names[value] }))}
          help={t("resources.code.help")}
          onChange={setFramework}
        />
        <Snippet label={t("resources.code.install")}>{install}</Snippet>
        {files.map(({ name, code }) => (
          <Snippet key={name} label={t("resources.code.save", { file: name })}>
            {code}
          </Snippet>
        ))}
        <Snippet label={t("resources.code.run")}>{run}</Snippet>
      </div>
    </details>
  );
}
