import { saveFile } from "./download-file.js";
import { embeddedJson } from "./embedded-json.js";

/** Shows the button that saves the result in the page as `result.json`; hides it where the page has none. */
export function offerDownload(root: ParentNode): void {
  const button = document.querySelector<HTMLButtonElement>("#download-result");
  if (button === null) return;
  button.hidden = embeddedJson(root, "result") === undefined;
  button.onclick = () => {
    // Looked up when it is asked for, as a page of a run under way gets a new one.
    const json = embeddedJson(document, "result");
    if (json !== undefined)
      saveFile("result.json", `${JSON.stringify(JSON.parse(json), null, 2)}\n`, "application/json");
  };
}
