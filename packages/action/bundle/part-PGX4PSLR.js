import { createRequire as createRequireOfBundle } from "node:module";import { dirname as dirnameOfBundle } from "node:path";import { fileURLToPath as fileURLToPathOfBundle } from "node:url";const require = createRequireOfBundle(import.meta.url);const __filename = fileURLToPathOfBundle(import.meta.url);const __dirname = dirnameOfBundle(__filename);
var e={format:"json",render:n=>[{name:"result.json",content:`${JSON.stringify(n,null,2)}
`}]};export{e as a};
