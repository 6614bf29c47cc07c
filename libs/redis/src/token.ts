/** Injects the process's shared Redis connection for commands (`openRedis`): it fails at once while Redis is unreachable. Not for BullMQ workers. */
export const REDIS = Symbol('REDIS');
