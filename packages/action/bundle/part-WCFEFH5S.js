import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import"./part-BLN7KHSF.js";var e={format:"html",render:async t=>{let{renderHtml:r}=await import("./part-72X3ZSNC.js");return[{name:"report.html",content:r(t)}]}};export{e as htmlReporter};
