import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
function o(r,f){let e=r;for(let t=2;f.has(e);t++)e=`${r} (${t})`;return f.add(e),e}export{o as a};
