import type { SignInTest } from "@admin/identity-providers/tests";
import type { ReactNode } from "react";
import { CheckList } from "../../parts/check-list";
import { Icon } from "../../parts/icon";
import { Identifier } from "../../parts/identifier";
import "../../parts/lists.css";
import { useText } from "../../text/text";
import "./providers.css";

/** The result of a test sign-in: each step, and the provider's own message. */
export function TestResult({
  test,
  passed,
  children,
}: {
  readonly test: SignInTest;
  /** The sentence for a test that has passed. */
  readonly passed: string;
  /** The next step. */
  readonly children?: ReactNode;
}) {
  const t = useText();
  const { state, checks, providerMessage } = test;
  if (state === "pending") return undefined;
  const words = {
    passed,
    failed: t("providers.test.result.failed"),
    expired: t("providers.test.result.expired"),
  };
  return (
    <div className="stack sign-in-test" role="status">
      <div className="verdict" data-state={state === "expired" ? "warning" : state}>
        <Icon name={state === "passed" ? "check" : state === "failed" ? "failed" : "warning"} size={22} />
        <p>
          <strong>{words[state]}</strong>
        </p>
        {children}
      </div>
      {checks.length > 0 && <CheckList checks={checks} />}
      {providerMessage !== null && (
        <p className="muted">
          {t("providers.test.providerMessage")} <Identifier>{providerMessage}</Identifier>
        </p>
      )}
      <Claims test={test} />
    </div>
  );
}

function Claims({ test: { claims } }: { readonly test: SignInTest }) {
  const t = useText();
  if (claims.length === 0) return undefined;
  return (
    <details className="more-fields">
      <summary>{t("providers.test.claims")}</summary>
      <dl className="claims">
        {claims.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <Identifier>{name}</Identifier>
            </dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
