/** Makes an element with attributes and children; words are text, never markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Returns the text of the JSON that stands in the page under an id, in `root` if it is there; nothing where there is none. */
export function embeddedJson(root: ParentNode, id: string): string | undefined {
  const script = root.querySelector(`script#${id}`) ?? document.querySelector(`script#${id}`);
  return script?.textContent ?? undefined;
}
