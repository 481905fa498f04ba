/** What is wrong with a URL that is to be measured; `undefined` for one that can be. */
export function checkUrl(text: string): string | undefined {
  const isUrl = /^(https?|grpcs?):\/\/[^/]/i.test(text) && URL.canParse(text);
  return isUrl ? undefined : `expected a URL such as http://127.0.0.1:3000/, got ${JSON.stringify(text)}`;
}
