import { element, embeddedJson } from "./element.js";

const ID = "download-file";

/** Hands a file to the reader. */
export function saveFile(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = element("a", { href: url, download: name });
  link.click();
  // The download has its own hold on the content once it began, which is after this task.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Puts a button among the page's tools that saves an HTML file. */
export function offerFile(name: string, content: string): void {
  withdrawFile();
  const button = element("button", { type: "button", id: ID }, `Download ${name}`);
  button.onclick = () => saveFile(name, content, "text/html");
  document.querySelector("#tools")?.prepend(button);
}

/** Takes that button away: in a copy of the page it has nothing to save. */
export function withdrawFile(): void {
  document.querySelector(`#${ID}`)?.remove();
}

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
