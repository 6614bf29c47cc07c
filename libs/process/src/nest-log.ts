import type { LoggerService } from '@nestjs/common';

/** Nest's lines about each module and route at every start: hundreds of lines that are rarely needed. */
const BOOT_CHATTER: ReadonlySet<unknown> = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);

/** The log of the process as Nest's logger, with Nest's own startup lines at level debug. */
export function nestLog(log: LoggerService): LoggerService {
  return {
    log: (message: unknown, ...rest: unknown[]) => {
      if (BOOT_CHATTER.has(rest.at(-1))) log.debug?.(message, ...rest);
      else log.log(message, ...rest);
    },
    error: (message: unknown, ...rest: unknown[]) => void log.error(message, ...rest),
    warn: (message: unknown, ...rest: unknown[]) => void log.warn(message, ...rest),
    debug: (message: unknown, ...rest: unknown[]) => void log.debug?.(message, ...rest),
    verbose: (message: unknown, ...rest: unknown[]) => void log.verbose?.(message, ...rest),
    fatal: (message: unknown, ...rest: unknown[]) => void log.fatal?.(message, ...rest),
  };
}
