import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{o as n}from"./part-BAQCAG72.js";import"./part-KU6YV6JI.js";import"./part-PLTLITAB.js";import{once as o}from"node:events";import{createServer as s}from"node:net";var i=1024,a=Buffer.from(`HTTP/1.1 200 OK\r
Content-Length: 2\r
Content-Type: text/plain\r
\r
ok`),t=s({noDelay:!0},r=>{r.on("data",()=>r.write(a)),r.on("error",()=>{})}),c={listen:async()=>(t.listen({port:0,host:"127.0.0.1",backlog:i}),await o(t,"listening"),`http://127.0.0.1:${t.address().port}/`),cpuMs:()=>{let{user:r,system:e}=process.cpuUsage();return(r+e)/1e3}};n(c);
