import { connect } from 'node:net';

const ANSWER_WITHIN_MS = 1_000;

/**
 * Redis or Valkey on the loopback address, with an append-only file and without eviction: what the product asks for.
 * @param {{ persistent?: boolean }} [options] `persistent` false: forgets all at its end, for fault tests
 * @returns {import('./local-server.mjs').ServerKind}
 */
export function redisKind({ persistent = true } = {}) {
  return {
    title: 'Redis',
    logFile: 'redis.log',
    uri: (port) => `redis://127.0.0.1:${port}`,
    args: ({ port, folder }) => [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--logfile', 'redis.log'],
      ...['--appendonly', persistent ? 'yes' : 'no', '--appendfsync', 'everysec', '--save', ''],
      ...['--maxmemory-policy', 'noeviction', '--daemonize', 'no'],
    ],
    // Its process title hides its arguments, so it is asked itself.
    isOurs: async ({ port, folder, pid }) => {
      const info = await ask(port, 'INFO server').catch(() => '');
      const dir = await ask(port, 'CONFIG GET dir').catch(() => '');
      return info.includes(`process_id:${pid}\r\n`) && dir.includes(`${folder}\r\n`);
    },
    isReady: async ({ port }) => (await ask(port, 'PING')).startsWith('+PONG'),
  };
}

/**
 * One command, one answer, in Redis's own text form.
 * @param {number} port
 * @param {string} command
 * @returns {Promise<string>}
 */
function ask(port, command) {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(`${command}\r\nQUIT\r\n`));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
