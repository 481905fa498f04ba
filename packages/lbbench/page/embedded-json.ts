/** Returns the text of the JSON that stands in the page under an id, in `root` if it is there; nothing where there is none. */
export function embeddedJson(root: ParentNode, id: string): string | undefined {
  const script = root.querySelector(`script#${id}`) ?? document.querySelector(`script#${id}`);
  return script?.textContent ?? undefined;
}
