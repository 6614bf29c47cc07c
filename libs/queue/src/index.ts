export { openRedis, type RedisPurpose } from './redis.js';
