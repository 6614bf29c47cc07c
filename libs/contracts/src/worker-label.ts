/** A label of workers and companies: in names of queues, in keys of Redis and in labels of metrics. */
export const WORKER_LABEL = /^[a-z][a-z0-9-]{0,29}$/;
export const WORKER_LABEL_SAYS = 'a lower-case letter, then up to 29 lower-case letters, digits and dashes';
