// Made of the table in settings.ts by `npm run docs`.

/**
 * What a run is asked to do: everything has a default.
 */
export interface SweepInput {
  /**
   * Address of the JSON schema, for editors.
   */
  $schema?: undefined | string;
  /**
   * Name of the run, and of its folder. Default: name of the command.
   */
  name?: undefined | string;
  /**
   * Names of servers, URLs, or objects with a name, a server and its options. Default: one process, cluster of four, four behind a balancer.
   *
   * @minItems 1
   */
  targets?: undefined | (
    | string
    | {
        /**
         * Name in the report.
         */
        name: string;
        /**
         * Name of a server, or of a plugin.
         */
        server: string;
        /**
         * Options of that server. Default: its own.
         */
        options?: undefined | {
          [k: string]: unknown;
        };
        /**
         * Values of options to combine, each combination a target.
         */
        grid?: undefined | {
          /**
           * @minItems 1
           */
          [k: string]: unknown[];
        };
        /**
         * Engine that loads this target: a name, or an object with the two below. Default: that of the run.
         */
        engine?: undefined | string
          | {
              /**
               * Name of the engine.
               */
              name: string;
              /**
               * Options of the engine, for this target. Default: those in `engines`.
               */
              options?: undefined | {
                [k: string]: unknown;
              };
            };
        /**
         * Name of the target that this one is compared with, or a list of names. Default: that of the run.
         */
        reference?: undefined | string | string[];
      }
  )[];
  /**
   * Name of the target that the others are compared with. Default: the first.
   */
  reference?: undefined | string;
  /**
   * Levels of a closed loop: connections kept busy. Default: 1,50,100,250,500,1000.
   */
  connections?: undefined | string | number | number[];
  /**
   * Levels of an open loop, in place of connections: requests per second, sent on schedule. Default: 500 with faults, unless there are connections.
   */
  rate?: undefined | string | number | number[];
  /**
   * With `rate`: how requests arrive.
   */
  arrival?: undefined | {
    /**
     * What a rate counts: `requests`, or new `connections`, each of which sends `requestsPerConnection`, or one. Default: requests.
     */
    by?: undefined | "requests" | "connections";
    /**
     * With a rate: `uniform`, or `poisson`, at random with an exponential distribution of the gaps. Default: uniform.
     */
    spacing?: undefined | "uniform" | "poisson";
    /**
     * With a rate: requests open at a time. Default: 1000.
     */
    maxInFlight?: undefined | number;
  };
  /**
   * Requests per step; several values make a matrix with the levels.
   */
  requests?: undefined | string | number | number[];
  /**
   * Time per step, in place of requests. Default: 0.3s, of rates and ab 1s, with faults 5s after the last.
   */
  duration?: undefined | string;
  /**
   * Starts of every target, each measured at every level; a claim takes several. `auto`: as many as decide every comparison. Default: 5, with a margin auto, with requests or faults 1.
   */
  trials?: undefined | "auto" | number;
  /**
   * Load before the measurement that is not counted: `auto` until throughput is steady, a time, or 0 for none. Default: auto, with requests 100ms.
   */
  warmup?: undefined | "auto" | string;
  /**
   * When targets are started again: for every `trial`, or for every `step`. Default: trial, with faults step.
   */
  restart?: undefined | "trial" | "step";
  /**
   * Longest wait for an answer. Default: 10s.
   */
  timeout?: undefined | string;
  /**
   * `false`: a connection for each request. Default: true.
   */
  keepAlive?: undefined | boolean;
  /**
   * Requests that a connection sends before it is closed. Default: no limit.
   */
  requestsPerConnection?: undefined | number;
  /**
   * Connect to `host:port`, or to the socket of `unix:/path`, in place of the address of the URL. Default: the address of the URL.
   */
  connectTo?: undefined | string;
  /**
   * How TLS is spoken.
   */
  tls?: undefined | {
    /**
     * `true`: new connections go on with the session of an earlier one. Default: false.
     */
    resume?: undefined | boolean;
    /**
     * The only version of TLS that is offered. Default: the highest that both sides have.
     */
    version?: undefined | "1.2" | "1.3";
    /**
     * Name that is asked for and verified, in place of that of the URL.
     */
    serverName?: undefined | string;
    /**
     * Certificate that clients show, in PEM.
     */
    cert?: undefined | string;
    /**
     * Key of that certificate, in PEM.
     */
    key?: undefined | string;
  };
  /**
   * `1.1` or `2`: HTTP/2, without asking over http://, negotiated over https://. Default: 1.1.
   */
  httpVersion?: undefined | "2" | "1.1";
  /**
   * `true`: accept any certificate. Default: false.
   */
  insecure?: undefined | boolean;
  /**
   * `true`: split latency by what servers tell in `Server-Timing`. Default: false.
   */
  serverTiming?: undefined | boolean;
  /**
   * What generates the load. Default: auto.
   */
  engine?: undefined | string;
  /**
   * Options of engines, by name.
   */
  engines?: undefined | {
    [k: string]: {
      [k: string]: unknown;
    };
  };
  /**
   * Processes that the load is split over, or `auto`: more than one where one is not enough. Default: auto.
   */
  generators?: undefined | "auto" | number;
  /**
   * Machines that generate the load: `ssh:gen1,gen2` starts a worker on each, `wait:3` waits a minute for 3 that you start, `wait:3:5m` five minutes. Default: this machine alone.
   */
  workers?: undefined | string;
  /**
   * With workers: address, or address:port, at which they find the master; its port is not encrypted. Default: 127.0.0.1:5557.
   */
  workersListen?: undefined | string;
  /**
   * With workers by ssh: what starts lbbench there, for the shell of that machine. Default: npx, which gets this version.
   */
  workersCommand?: undefined | string;
  /**
   * With workers: a step that lost one is measured once more when all are there again. Default: false.
   */
  retryLost?: undefined | boolean;
  /**
   * What is sent, and what is expected.
   */
  request?: undefined | {
    /**
     * Method of every request. Default: GET.
     */
    method?: undefined | string;
    /**
     * Path and query, as they are sent; a URL brings its own. Default: /.
     */
    path?: undefined | string;
    /**
     * Headers by name; a list of values for one that is repeated.
     */
    headers?: undefined | {
      [k: string]: string | string[];
    };
    /**
     * Body of every request; `null`: none, in an entry of a mix also where `request` has one.
     */
    body?: undefined | string | null;
    /**
     * File that is the body, as it is.
     */
    bodyFile?: undefined | string;
    /**
     * `utf8`, or `base64` for a `body` that is not text. Default: utf8.
     */
    bodyEncoding?: undefined | "utf8" | "base64";
    /**
     * Status codes or classes of an ok response. Default: 2xx.
     */
    expectStatus?: undefined | string;
    /**
     * Exact body of an ok response; `null`: any, in an entry of a mix also where `request` expects one.
     */
    expectBody?: undefined | string | null;
  };
  /**
   * Several requests in place of one, each as often as its weight says: a list.
   *
   * @minItems 1
   * @maxItems 100
   */
  mix?: undefined | {
    /**
     * Name in the report. Default: method and path.
     */
    name?: undefined | string;
    /**
     * How often it is sent, beside the weights of the others. Default: 1.
     */
    weight?: undefined | number;
    /**
     * Bodies to send in turn.
     *
     * @minItems 1
     * @maxItems 10000
     */
    bodies?: undefined | string[];
    /**
     * File of such bodies, one in each line.
     */
    bodiesFile?: undefined | string;
    /**
     * Method of every request. Default: GET.
     */
    method?: undefined | string;
    /**
     * Path and query, as they are sent; a URL brings its own. Default: /.
     */
    path?: undefined | string;
    /**
     * Headers by name; a list of values for one that is repeated.
     */
    headers?: undefined | {
      [k: string]: string | string[];
    };
    /**
     * Body of every request; `null`: none, in an entry of a mix also where `request` has one.
     */
    body?: undefined | string | null;
    /**
     * File that is the body, as it is.
     */
    bodyFile?: undefined | string;
    /**
     * `utf8`, or `base64` for a `body` that is not text. Default: utf8.
     */
    bodyEncoding?: undefined | "utf8" | "base64";
    /**
     * Status codes or classes of an ok response. Default: 2xx.
     */
    expectStatus?: undefined | string;
    /**
     * Exact body of an ok response; `null`: any, in an entry of a mix also where `request` expects one.
     */
    expectBody?: undefined | string | null;
  }[];
  /**
   * What is done to every target while it is measured, and when: texts, or objects as below. Default: none.
   */
  faults?: undefined | (
    | string
    | {
        /**
         * When it is done, from the start of the measurement.
         */
        at: string;
        /**
         * Part that is ended at once (SIGKILL).
         */
        kill?: undefined | string;
        /**
         * Part that is started again after `kill` or `stop`.
         */
        start?: undefined | string;
        /**
         * Part that is asked to end, as by a deploy.
         */
        stop?: undefined | string;
        /**
         * Part that stands still (SIGSTOP), like a host that hangs.
         */
        pause?: undefined | string;
        /**
         * Part that goes on after `pause`.
         */
        resume?: undefined | string;
        /**
         * Backend whose answers are held back, `by` some time.
         */
        slow?: undefined | string;
        /**
         * Backend that answers a `share` of its requests with 503.
         */
        errors?: undefined | string;
        /**
         * Backend that gets no more requests from the balancer.
         */
        drain?: undefined | string;
        /**
         * Backend that gets requests again after `drain`.
         */
        restore?: undefined | string;
        /**
         * Balancer program that reads its configuration again.
         */
        reload?: undefined | string;
        /**
         * `backends`: each is stopped and started, one after the other.
         */
        roll?: undefined | string;
        /**
         * Of `slow`: how long answers are held back, or 0 to end it.
         */
        by?: undefined | string;
        /**
         * Of `errors`: share of the requests, or 0 to end it.
         */
        share?: undefined | string | number;
      }
  )[];
  /**
   * Conditions that every level has to meet: `errors<1%`, `throughput>1000`, with faults `lost<10` or `recovery<2s`, or on latency.
   */
  thresholds?: undefined | string[];
  /**
   * Fail where another target is worse than the reference by more than this.
   */
  margin?: undefined | string | number;
  /**
   * With `margin`: by how much the share of failed requests may be higher. Default: 0.1%.
   */
  errorMargin?: undefined | string | number;
  /**
   * Conditions; where a step meets one, higher levels of its target are left out; or `thresholds`.
   */
  stopOn?: undefined | (string | "thresholds")[];
  /**
   * Order of the steps: `interleaved` or `random`. Default: interleaved.
   */
  order?: undefined | "interleaved" | "random";
  /**
   * Of what is drawn at random: the order of the steps, and the gaps of `poisson`. Default: 1.
   */
  seed?: undefined | number;
  /**
   * How `lbbench max` searches.
   */
  search?: undefined | {
    /**
     * `connections`, or `rate`: requests per second of an open loop. Default: connections.
     */
    by?: undefined | "connections" | "rate";
    /**
     * The first value that is tried. Default: 1, by rate 10.
     */
    start?: undefined | number;
    /**
     * Factor from a value that held to the next one. Default: 2.
     */
    growth?: undefined | number;
    /**
     * The largest value that is tried. Default: 10000, by rate 1000000.
     */
    most?: undefined | number;
    /**
     * The search ends when what held and what did not differ by this share, or by 1. Default: 0.02.
     */
    resolution?: undefined | number;
    /**
     * How many of the trials of a level have to hold. Default: more than half.
     */
    needed?: undefined | number;
    /**
     * One more run, at this many times the limit.
     */
    beyond?: undefined | number;
  };
  /**
   * How the users of `lbbench ramp` come.
   */
  ramp?: undefined | {
    /**
     * Users at the start. Default: 1.
     */
    from?: undefined | number;
    /**
     * Users in the end. Default: 100.
     */
    to?: undefined | number;
    /**
     * Time over which users are added. Default: 25s.
     */
    over?: undefined | string;
    /**
     * Equal steps in which users are added, each at its end, or `none`. Default: one user after the other.
     */
    steps?: undefined | "none" | number;
    /**
     * How long all users stay. Default: 5s, with steps as long as each of them.
     */
    hold?: undefined | string;
  };
  /**
   * How `lbbench hold` holds connections.
   */
  hold?: undefined | {
    /**
     * How long they are held. Default: 10s, with faults at least 5s after the last.
     */
    for?: undefined | string;
    /**
     * How often each sends a request; servers close connections that idle for longer than they allow. Default: 4s, or once where they are held for less.
     */
    every?: undefined | string;
    /**
     * Connections that are busy for a while beside them, told apart. Default: none.
     */
    burst?: undefined | number;
  };
  /**
   * What `lbbench policies` compares.
   */
  policies?: undefined | {
    /**
     * What the backends do. Default: one-slow.
     */
    scenario?: undefined | "one-slow" | "stalls" | "mixed" | "flapping" | "cold";
    /**
     * Policies to compare. Default: all that a balancer can do, but for those by weight and by hash.
     *
     * @minItems 1
     */
    only?: undefined | string[];
    /**
     * Deadline: what is answered later is no success. Default: that of the scenario.
     */
    within?: undefined | string;
    /**
     * Which backend of `one-slow` answers later, by how much, and when. Default: that of the scenario.
     */
    slow?: undefined | string;
    /**
     * How many backends, or a list with the handler of each. Default: 4.
     */
    backends?: undefined | number | string[];
    /**
     * What each backend does. Default: sleep:20ms.
     */
    handler?: undefined | string;
  };
  /**
   * Folder of the report. Default: reports/NAME-TIMESTAMP.
   */
  out?: undefined | string;
  /**
   * Formats of the report, beside result.json: md, html, png, json, csv, ab, junit, github-action-benchmark, bencher. Default: md,html,png.
   *
   * @minItems 1
   */
  formats?: undefined | string[];
  /**
   * Charts in Markdown: `png`, `mermaid` or `none`. Default: png.
   */
  charts?: undefined | "png" | "mermaid" | "none";
}
