export type { Redis } from 'ioredis';
export { answersOf } from './answers.js';
export { ChannelSubscriber, type ChannelListener } from './channel-subscriber.js';
export { RedisNames } from './names.js';
export { openRedis, type RedisPurpose } from './open-redis.js';
export { QueueKeys } from './queue-keys.js';
export type { LoginKeys, RefillStart, ScriptArgs, ScriptCall, WindowScript } from './script-types.js';
export { Scripts } from './scripts.js';
export { REDIS } from './token.js';
