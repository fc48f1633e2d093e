import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { LinkButton, Page, Section } from "../../parts/page";
import { CheckList } from "../../parts/check-list";
import { CheckSummary, useInspection } from "./inspection";
import { normalizeAddress } from "./normalize-address";
import { RegisterDraft } from "./register-draft";

/** Registers a service by its address: checks its metadata, then shows a form filled in from it. */
export default function RegisterService() {
  const t = useText();
  const [search, setSearch] = useSearch();
  const [address, setAddress] = useState(search.get("address") ?? "");
  const { inspect, inspection, working, fieldProblem } = useInspection();

  const start = (typed: string) => {
    const normalized = normalizeAddress(typed);
    setAddress(normalized);
    void inspect({ address: normalized }, () => setSearch({ address: normalized }));
  };

  const started = useRef(false);
  useEffect(() => {
    // Only an address that came with the page: one that is being typed is not submitted yet.
    if (started.current) return;
    started.current = true;
    if (address !== "") start(address);
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    start(address);
  };

  return (
    <Page
      title={t("resources.register")}
      lead={t("resources.wizard.lead")}
      parent={{ to: "/resources", title: t("resources.title") }}
      narrow
      actions={<LinkButton to="/resources/new">{t("resources.wizard.byHand")}</LinkButton>}
    >
      <form className="inline-form" onSubmit={submit} noValidate>
        <TextInput
          label={t("resources.wizard.address")}
          description={t("resources.wizard.addressHelp")}
          value={address}
          onChange={(event) => setAddress(event.currentTarget.value)}
          error={fieldProblem}
          classNames={{ input: "mono" }}
          type="url"
          autoComplete="off"
          spellCheck={false}
          autoFocus
        />
        <Button
          type="submit"
          loading={working}
          disabled={address.trim() === ""}
          variant={inspection ? "default" : "filled"}
        >
          {inspection === undefined ? t("resources.wizard.inspect") : t("resources.checkAgain")}
        </Button>
      </form>
      <p className="visually-hidden" role="status">
        {working && t("resources.wizard.inspecting")}
      </p>
      {inspection !== undefined && (
        <Section
          title={t("resources.wizard.checks")}
          lead={!inspection.ready && t("resources.wizard.notReady")}
          actions={<CheckSummary checks={inspection.checks} />}
        >
          <CheckList checks={inspection.checks} />
        </Section>
      )}
      {inspection?.resource && inspection.ready && (
        <RegisterDraft
          key={JSON.stringify(inspection.resource)}
          draft={inspection.resource}
          unknownScopes={inspection.unknownScopes}
        />
      )}
    </Page>
  );
}
