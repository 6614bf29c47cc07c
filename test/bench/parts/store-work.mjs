// @ts-check
import { Redis } from 'ioredis';

/**
 * What MongoDB and Redis have been asked since they were started: requests, and what reached sockets.
 * @param {import('./leg.mjs').Bench} bench @returns {Promise<Record<string, number>>}
 */
export async function readStoreWork({ client, redis }) {
  const { network, wiredTiger } = await client.db('admin').command({ serverStatus: 1 });
  const connection = new Redis(redis.uri);
  try {
    const info = await connection.info('stats');
    const stat = (/** @type {string} */ name) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
    return {
      'mongod requests': network.numRequests,
      'mongod kB in': network.bytesIn / 1_024,
      'mongod kB out': network.bytesOut / 1_024,
      'journal syncs': wiredTiger.log['log sync operations'],
      'journal kB': wiredTiger.log['log bytes written'] / 1_024,
      'redis commands': stat('total_commands_processed'),
      'redis reads': stat('total_reads_processed'),
      'redis writes': stat('total_writes_processed'),
    };
  } finally {
    connection.disconnect();
  }
}
