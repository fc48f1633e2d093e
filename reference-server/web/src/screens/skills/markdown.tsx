import type { ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import { useText } from "../../text/text";
import { htmlAsText } from "./html-as-text";
import "./skills.css";

/** Headings are moved below those of the page. */
const components: Components = {
  h1: ({ children }) => <h3>{children}</h3>,
  h2: ({ children }) => <h4>{children}</h4>,
  h3: ({ children }) => <h5>{children}</h5>,
  h4: ({ children }) => <h6>{children}</h6>,
  h5: ({ children }) => <h6>{children}</h6>,
  a: ({ href, children }) => <OutsideLink href={href}>{children}</OutsideLink>,
  img: ({ alt, src }) => <ImagePlace alt={alt} src={typeof src === "string" ? src : undefined} />,
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
  input: ({ checked }) => (checked === true ? "☑ " : "☐ "),
};

/**
 * Untrusted Markdown as inert HTML: tags are shown as text, nothing runs, no image is fetched, and links send no
 * referrer.
 */
export default function Markdown({ children }: { readonly children: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={[htmlAsText]} rehypePlugins={[rehypeSanitize]} components={components}>
        {children}
      </ReactMarkdown>
    </div>
  );
}

function OutsideLink({
  href,
  children,
}: {
  readonly href: string | undefined;
  readonly children?: ReactNode;
}) {
  const t = useText();
  // A link into this console would look like a part of it.
  if (href === undefined || !/^(?:https?:|mailto:)/i.test(href)) return <span>{children}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
      {children}
      <span className="visually-hidden"> ({t("skills.newTab")})</span>
    </a>
  );
}

function ImagePlace({
  alt = "",
  src,
}: {
  readonly alt: string | undefined;
  readonly src: string | undefined;
}) {
  const t = useText();
  return (
    <span className="image-place" title={src}>
      {t("skills.image", { label: alt === "" ? "none" : "some", text: alt })} ({t("skills.imageNotLoaded")})
    </span>
  );
}
