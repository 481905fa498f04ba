/** Our balancer as it comes; its options are the first argument, as JSON. */
import { createBalancer } from "@lbbench/proxy";
import { backends, listening } from "../node-process.mjs";

const options = JSON.parse(process.argv[2]);
const balancer = createBalancer({ ...options, backends: backends.map((url) => ({ url })) });
const { port } = await balancer.listen({ port: 0 });
listening(port);
