import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{i as t}from"./part-7M4IFYLO.js";import"./part-BLN7KHSF.js";import{once as o}from"node:events";import{createServer as s}from"node:net";var a=Buffer.from(`HTTP/1.1 200 OK\r
Content-Length: 2\r
Content-Type: text/plain\r
\r
ok`),i=1024;function p(){let e=s({noDelay:!0},r=>{r.on("data",()=>r.write(a)),r.on("error",()=>{})});return{listen:async()=>(e.listen({port:0,host:"127.0.0.1",backlog:i}),await o(e,"listening"),`http://127.0.0.1:${e.address().port}/`),cpuMs:()=>{let{user:r,system:n}=process.cpuUsage();return(r+n)/1e3}}}t(p());
