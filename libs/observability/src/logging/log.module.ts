import type { DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';

/**
 * Nest's own lines and those of `new Logger('component')` go into the log of the process. No middleware: it would cost every
 * request a child logger, and the HTTP server logs its requests itself (one hook, see libs/process).
 */
export function logModule(logger: Logger): DynamicModule {
  return LoggerModule.forRoot({ pinoHttp: { logger, autoLogging: false }, forRoutes: [], renameContext: 'component' });
}
