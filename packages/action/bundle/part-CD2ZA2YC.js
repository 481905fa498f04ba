import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
function a(l){let n=0;return l.map(({name:r,count:e})=>Array.from({length:e},(u,t)=>(r===null&&(n+=1),r===null?`backend-${n}`:e===1?r:`${r}-${t+1}`)))}export{a};
