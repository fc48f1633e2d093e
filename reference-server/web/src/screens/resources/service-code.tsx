import type { Resource } from "@admin/resources";
import { useState } from "react";
import { useText } from "../../text/text";
import { Choice } from "../../parts/choice";
import { Snippet } from "../../parts/snippet";
import { adapterCode, type Framework, frameworks } from "./adapter-code";

const names: Readonly<Record<Framework, string>> = { express: "Express", fastify: "Fastify" };

/** The code of the service itself, for whoever registered it before it was written. */
export function ServiceCode({ service }: { readonly service: Resource }) {
  const t = useText();
  const [framework, setFramework] = useState<Framework>("express");
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
        <Snippet label={t("resources.code.install")}>
          {`npm install @authz/${framework} ${framework}`}
        </Snippet>
        <Snippet label={t("resources.code.save", { file: "server.mjs" })}>
          {adapterCode({ framework, issuer: location.origin, service })}
        </Snippet>
        <Snippet label={t("resources.code.run")}>node server.mjs</Snippet>
      </div>
    </details>
  );
}
