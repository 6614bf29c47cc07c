/** The process' `Settings` (@weft/config). */
export const SETTINGS = Symbol('SETTINGS');
/** The process' `Clock` (@weft/kernel). */
export const CLOCK = Symbol('CLOCK');
/** The process' `NewId` (@weft/kernel). */
export const NEW_ID = Symbol('NEW_ID');
/** The process' shared Redis connection for commands (`openRedis`): fails at once while Redis is away. Not for BullMQ workers. */
export const REDIS = Symbol('REDIS');
/** The process' log (`Logger` of pino), for lines with fields; `new Logger('component')` of Nest writes to the same. */
export const LOG = Symbol('LOG');
