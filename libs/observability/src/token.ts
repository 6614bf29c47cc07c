/** Injects the process's log (pino's `Logger`), for lines with fields; Nest's `new Logger('component')` writes to the same. */
export const LOG = Symbol('LOG');
