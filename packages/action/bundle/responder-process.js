import { createRequire as createRequireOfBundle } from "node:module";import { dirname as dirnameOfBundle } from "node:path";import { fileURLToPath as fileURLToPathOfBundle } from "node:url";const require = createRequireOfBundle(import.meta.url);const __filename = fileURLToPathOfBundle(import.meta.url);const __dirname = dirnameOfBundle(__filename);
import{a as t}from"./part-K2IVHPII.js";import"./part-IVD2RNCW.js";import"./part-QBYT4WUK.js";import{once as s}from"node:events";import{createServer as p}from"node:net";var a=Buffer.from(`HTTP/1.1 200 OK\r
Content-Length: 2\r
Content-Type: text/plain\r
\r
ok`),i=1024;function n(){let e=p({noDelay:!0},r=>{r.on("data",()=>r.write(a)),r.on("error",()=>{})});return{listen:async()=>(e.listen({port:0,host:"127.0.0.1",backlog:i}),await s(e,"listening"),`http://127.0.0.1:${e.address().port}/`),cpuMs:()=>{let{user:r,system:o}=process.cpuUsage();return(r+o)/1e3}}}t(n());
