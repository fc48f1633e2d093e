import type { Inspection } from "@admin/resources";
import { Button, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error";
import { request } from "../../api/request";
import { useSearch } from "../../address/links";
import { useText } from "../../text/text";
import { useDescribeError } from "../../parts/describe-error";
import { fieldSentence } from "../../parts/field-sentence";
import { LinkButton, Page, Section } from "../../parts/page";
import { CheckList } from "../../parts/check-list";
import { CheckSummary } from "./check-summary";
import { normalizeAddress } from "./normalize-address";
import { RegisterDraft } from "./register-draft";

/** Paste the address, see what is right and what is not, save. */
export default function RegisterService() {
  const t = useText();
  const describe = useDescribeError();
  const [search, setSearch] = useSearch();
  const [address, setAddress] = useState(search.get("address") ?? "");
  const [inspection, setInspection] = useState<Inspection>();
  const [problem, setProblem] = useState<string>();
  const [working, setWorking] = useState(false);

  const inspect = async (typed: string) => {
    const normalized = normalizeAddress(typed);
    setAddress(normalized);
    setWorking(true);
    setProblem(undefined);
    try {
      setInspection(
        await request<Inspection>("/resources/inspections", {
          method: "POST",
          body: { address: normalized },
        }),
      );
      setSearch({ address: normalized });
    } catch (error) {
      setInspection(undefined);
      const field = error instanceof ApiError ? error.fields[0]?.message : undefined;
      setProblem(field === undefined ? describe(error) : fieldSentence(field));
    } finally {
      setWorking(false);
    }
  };

  const started = useRef(false);
  useEffect(() => {
    // Only an address that came with the page: one that is being typed is not submitted yet.
    if (started.current) return;
    started.current = true;
    if (address !== "") void inspect(address);
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    void inspect(address);
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
          error={problem}
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
