import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
var e={format:"json",render:n=>[{name:"result.json",content:`${JSON.stringify(n,null,2)}
`}]};export{e as a};
