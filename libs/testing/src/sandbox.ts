import { Sandbox } from '@weft/sandbox';

/** One for all specs of a worker: each of its processes takes a third of a second of a processor to start. They end with the worker. */
export const sandbox = new Sandbox({ concurrency: 2 });
