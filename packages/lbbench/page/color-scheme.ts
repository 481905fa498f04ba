import { element } from "./element.js";

/** What the page can be told about its colours; `system` is what the reader's system prefers. */
type SchemeChoice = "system" | "light" | "dark";

const CHOICES: readonly SchemeChoice[] = ["system", "light", "dark"];
const CHANGED = "lbbench-scheme";
const KEPT_AS = "lbbench-color-scheme";
const PREFERS_DARK = matchMedia("(prefers-color-scheme: dark)");
const PRINT = matchMedia("print");

/** Between the events around printing: the media may change too late for charts to be drawn again. */
let isPrinting = false;
const setPrinting = (now: boolean) => (): void => {
  isPrinting = now;
  tellChange();
};
addEventListener("beforeprint", setPrinting(true));
addEventListener("afterprint", setPrinting(false));
PREFERS_DARK.addEventListener("change", tellChange);
PRINT.addEventListener("change", tellChange);

/** Says whether the page is dark now; on paper it never is. */
export function isDark(): boolean {
  if (isPrinting || PRINT.matches) return false;
  const chosen = document.documentElement.dataset["theme"];
  return chosen === undefined ? PREFERS_DARK.matches : chosen === "dark";
}

/** Calls back whenever the colours of the page may have changed: by the reader, by the system, and for paper. */
export function onSchemeChange(changed: () => void, signal: AbortSignal): void {
  document.addEventListener(CHANGED, changed, { signal });
}

function tellChange(): void {
  document.dispatchEvent(new Event(CHANGED));
}

/** Puts the choice of colours among the page's tools, in the place of one that a copy of the page brought along, and applies what was chosen. */
export function offerSchemes(): void {
  const tools = document.querySelector("#tools");
  if (tools === null) return;
  tools.querySelector(".color-scheme")?.remove();
  const kept = readKept();
  const select = element(
    "select",
    { id: "color-scheme" },
    ...CHOICES.map((choice) => element("option", { value: choice }, choice)),
  );
  select.value = kept;
  select.onchange = () => {
    const chosen = CHOICES.find((choice) => choice === select.value) ?? "system";
    keep(chosen);
    apply(chosen);
  };
  tools.append(element("label", { class: "color-scheme" }, "Colours ", select));
  apply(kept);
}

function apply(choice: SchemeChoice): void {
  const { dataset } = document.documentElement;
  if (choice === "system") delete dataset["theme"];
  else dataset["theme"] = choice;
  tellChange();
}

function readKept(): SchemeChoice {
  try {
    const kept = localStorage.getItem(KEPT_AS);
    return CHOICES.find((choice) => choice === kept) ?? "system";
  } catch {
    // A page from disk may have no storage.
    return "system";
  }
}

function keep(choice: SchemeChoice): void {
  try {
    localStorage.setItem(KEPT_AS, choice);
  } catch {
    // Then it holds until the page is closed.
  }
}
