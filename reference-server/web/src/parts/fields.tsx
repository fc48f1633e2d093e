import {
  type AutocompleteProps,
  type MultiSelectProps,
  Pill,
  PillsInput,
  type SelectProps,
  type TagsInputProps,
  TextInput,
  type TextInputProps,
} from "@mantine/core";
import {
  type ChangeEvent,
  type KeyboardEvent,
  type PointerEvent,
  useCallback,
  useEffect,
  useState,
} from "react";
import { createStore, useStore } from "../store";
import { Icon } from "./icon";

type Fields = typeof import("./suggesting-fields");

const fields = createStore<Fields | undefined>(undefined);
let loading: Promise<void> | undefined;

/**
 * Loads what these fields suggest with: a third of what a screen with a form would weigh, which nobody needs before they
 * are in a field. Until then each is drawn as it will look; the first touch loads it, and so does the shell at leisure.
 */
export function loadFields(): Promise<void> {
  loading ??= load();
  return loading;
}

async function load(): Promise<void> {
  try {
    fields.set(await import("./suggesting-fields"));
  } catch {
    // The next touch tries again.
    loading = undefined;
  }
}

/** What scrolls in a list is not a stop of Tab: a field closes its list when it is left, and the focus would be lost. */
const scrollAreaProps = { viewportProps: { tabIndex: -1 } };

/** One of several values. */
export function Select(props: SelectProps) {
  const { searchable = false, data = [], value } = props;
  const { loaded, place, touched, typed } = useFields({ ...(searchable && props), opens: true });
  if (loaded) return <loaded.Select scrollAreaProps={scrollAreaProps} {...props} {...touched} />;
  const chosen = data.flatMap((item) => (typeof item === "object" && "value" in item ? [item] : []));
  const text = chosen.find((item) => item.value === value)?.label ?? value ?? "";
  return (
    <TextInput
      {...frameOf(props)}
      {...place}
      readOnly={!searchable}
      value={typed ?? text}
      rightSection={<Icon name="choose" />}
    />
  );
}

/** Any text, with suggestions. */
export function Autocomplete(props: AutocompleteProps) {
  const { loaded, place, touched } = useFields({ onSearchChange: props.onChange });
  if (loaded) return <loaded.Autocomplete scrollAreaProps={scrollAreaProps} {...props} {...touched} />;
  return <TextInput {...frameOf(props)} {...place} value={props.value ?? ""} />;
}

/** Several of several values. */
export function MultiSelect(props: MultiSelectProps) {
  const { loaded, place, touched, typed } = useFields({ ...props, opens: true });
  if (loaded) {
    const search = typed === undefined ? {} : { defaultSearchValue: typed };
    return <loaded.MultiSelect scrollAreaProps={scrollAreaProps} {...search} {...props} {...touched} />;
  }
  const labels = new Map(
    (props.data ?? []).flatMap((item) =>
      typeof item === "object" && "value" in item ? [[item.value, item.label]] : [],
    ),
  );
  const pills = props.value?.map((value) => labels.get(value) ?? value);
  return <Pills props={props} place={place} typed={typed} pills={pills} />;
}

/** Several texts, with suggestions. */
export function TagsInput(props: TagsInputProps) {
  const { value = [], onChange, onSearchChange } = props;
  const { loaded, place, touched, typed } = useFields({
    onSearchChange,
    opens: true,
    onLeft: (text) => onChange?.([...value, text]),
  });
  if (loaded) {
    const search = typed === undefined ? {} : { defaultSearchValue: typed };
    return <loaded.TagsInput scrollAreaProps={scrollAreaProps} {...search} {...props} {...touched} />;
  }
  return <Pills props={props} place={place} typed={typed} pills={value} />;
}

/** What makes a field look as it will. */
const frame = [
  "label",
  "description",
  "error",
  "placeholder",
  "disabled",
  "className",
  "autoFocus",
  "autoComplete",
  "spellCheck",
  "aria-label",
] as const;
type FrameProps = Pick<TextInputProps, (typeof frame)[number]>;

type Place = ReturnType<typeof useFields>["place"];

/** The fields, when they are there, with what somebody has done meanwhile to what stands in their place. */
function useFields(field: {
  readonly onSearchChange?: ((text: string) => void) | undefined;
  /** Whether Enter belongs to the list of the field and never to the form. */
  readonly opens?: boolean;
  /** What becomes of words in a field that is left; they are forgotten without it. */
  readonly onLeft?: (text: string) => void;
}) {
  const { onSearchChange, opens = false, onLeft } = field;
  const loaded = useStore(fields);
  const [was, setWas] = useState<"focused" | "opened">();
  const [typed, setTyped] = useState<string>();
  const place = {
    // As the field itself, to whoever hears it.
    role: "combobox",
    "aria-haspopup": "listbox",
    "aria-expanded": false,
    onPointerEnter: () => void loadFields(),
    onFocus: () => {
      setWas((before) => before ?? "focused");
      void loadFields();
    },
    onBlur: () => {
      setWas(undefined);
      if (!opens || typed === undefined) return;
      setTyped(undefined);
      onSearchChange?.("");
      if (typed.trim() !== "") onLeft?.(typed.trim());
    },
    // The field may take the place while the button is down, and then nothing is clicked.
    onPointerDown: ({ pointerType, button }: PointerEvent) => {
      if (pointerType === "mouse" && button === 0) setWas("opened");
    },
    onClick: () => setWas("opened"),
    onChange: (event: ChangeEvent<HTMLInputElement>) => {
      const text = event.currentTarget.value;
      setWas("opened");
      setTyped(text);
      onSearchChange?.(text);
    },
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const space = event.key === " " && event.currentTarget.readOnly;
      if (!["ArrowDown", "ArrowUp"].includes(event.key) && !(opens && event.key === "Enter") && !space)
        return;
      event.preventDefault();
      setWas("opened");
    },
  } as const;
  // A function that stays the same, or the field would be given the focus each time it is drawn.
  const ref = useCallback((input: HTMLInputElement | null) => {
    if (input === null) return;
    input.focus();
    input.setSelectionRange(input.value.length, input.value.length);
  }, []);
  useEffect(() => {
    // A field that is new says the name of its value over what was typed in its place.
    if (loaded && opens && typed !== undefined) onSearchChange?.(typed);
    // Once, when it takes the place.
  }, [loaded]);
  // What stands in its place had the focus when it came. Whoever has gone elsewhere since stays there.
  const [isLate] = useState(loaded === undefined);
  const touched = {
    ...(isLate && { autoFocus: false }),
    ...(was !== undefined && { ref }),
    ...(was === "opened" && { defaultDropdownOpened: true }),
  };
  return { loaded, place, touched, typed };
}

function Pills(props: {
  readonly props: FrameProps;
  readonly place: Place;
  readonly typed: string | undefined;
  readonly pills: readonly string[] | undefined;
}) {
  const { placeholder, autoFocus = false, "aria-label": label, ...rest } = frameOf(props.props);
  return (
    <PillsInput {...rest}>
      <Pill.Group>
        {props.pills?.map((pill) => (
          <Pill key={pill}>{pill}</Pill>
        ))}
        <PillsInput.Field
          {...props.place}
          value={props.typed ?? ""}
          placeholder={placeholder}
          autoFocus={autoFocus}
          aria-label={label}
        />
      </Pill.Group>
    </PillsInput>
  );
}

function frameOf(props: FrameProps): FrameProps {
  return Object.fromEntries(
    frame.flatMap((name) => (props[name] === undefined ? [] : [[name, props[name]] as const])),
  );
}
