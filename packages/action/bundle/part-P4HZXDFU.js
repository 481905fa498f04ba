import { createRequire as createRequireOfBundle } from "node:module";import { dirname as dirnameOfBundle } from "node:path";import { fileURLToPath as fileURLToPathOfBundle } from "node:url";const require = createRequireOfBundle(import.meta.url);const __filename = fileURLToPathOfBundle(import.meta.url);const __dirname = dirnameOfBundle(__filename);
function t({lines:n,first:e}){return`
`.repeat(e-1)+n.join(`
`)}function c(n,{first:e,last:r}){return`${n}:${e===r?e:`${e}-${r}`}`}var o=class extends Error{name="ImportError";code="IMPORT_FAILED"};export{t as a,c as b,o as c};
