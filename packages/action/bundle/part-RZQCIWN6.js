import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
var m=new Intl.NumberFormat("en-US",{maximumFractionDigits:0});function c(o,t,r=`${t}s`){let n=m.format(o);return`${n} ${n==="1"?t:r}`}export{c as a};
