import { connect } from 'node:net';
import { join } from 'node:path';
import { certificateFiles, writeCertificates } from './certificates.mjs';
import { passwordOf, writePrivate } from './secret.mjs';

const ANSWER_WITHIN_MS = 1_000;
const CONFIG_FILE = 'redis.conf';

/** @typedef {{ port: number, certificates: import('./certificates.mjs').Certificates, env: Readonly<Record<string, string>> }} Tls `env`: what its binary needs */

/**
 * Redis or Valkey on the loopback address, with an append-only file and without eviction, as the product requires.
 * @param {{ persistent?: boolean, sentinel?: boolean, clusterPort?: number | undefined, tls?: Tls | undefined }} [options] `persistent` false: forgets all at its end, for fault
 * tests; `sentinel`: one that watches others, which `SENTINEL MONITOR` names at run time; `clusterPort`: one of a cluster, whose
 * other servers reach it there; `tls`: it takes TLS, too, from those who have a certificate
 * @returns {import('./local-server.mjs').ServerKind}
 */
export function redisKind({ persistent = true, sentinel = false, clusterPort, tls } = {}) {
  return {
    title: 'Redis',
    env: tls?.env,
    logFile: 'redis.log',
    uri: ({ port, secret }) => `redis://:${password(secret)}@127.0.0.1:${port}`,
    // In a file, because every user of the machine can read arguments.
    prepare: async ({ folder, secret }) => {
      if (tls) await writeCertificates(folder, tls.certificates);
      await writePrivate(join(folder, CONFIG_FILE), `requirepass ${password(secret)}\n`);
    },
    args: ({ port, folder }) => [
      join(folder, CONFIG_FILE),
      ...[
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--dir',
        folder,
        '--logfile',
        'redis.log',
        '--daemonize',
        'no',
      ],
      ...(sentinel ? ['--sentinel'] : storing(persistent)),
      ...(clusterPort === undefined ? [] : clustered(clusterPort)),
      ...(tls === undefined ? [] : encrypted(tls.port, folder, sentinel || clusterPort !== undefined)),
    ],
    // Its process title hides its arguments, so the server itself is asked.
    isOurs: async ({ port, folder, pid, secret }) => {
      const info = await ask(port, secret, 'INFO server').catch(() => '');
      const dir = await ask(port, secret, 'CONFIG GET dir').catch(() => '');
      const places = [`${folder}\r\n`, `config_file:${join(folder, CONFIG_FILE)}\r\n`]; // a Sentinel knows no CONFIG
      return info.includes(`process_id:${pid}\r\n`) && places.some((place) => (dir + info).includes(place));
    },
    // A server without a password refuses this.
    isReady: async ({ port, secret }) => (await ask(port, secret, 'PING')).startsWith('+OK\r\n+PONG'),
  };
}

/** @param {boolean} persistent */
const storing = (persistent) => [
  ...['--appendonly', persistent ? 'yes' : 'no', '--appendfsync', 'everysec', '--save', ''],
  ...['--maxmemory-policy', 'noeviction'],
];

/** A lost primary is replaced within some seconds. @param {number} port */
const clustered = (port) => [
  ...['--cluster-enabled', 'yes', '--cluster-port', String(port), '--cluster-node-timeout', '2000'],
];

/** @param {number} port @param {string} folder @param {boolean} asksOthers with TLS, too */
const encrypted = (port, folder, asksOthers) => {
  const { authority, certificate, key } = certificateFiles(folder);
  const files = ['--tls-ca-cert-file', authority, '--tls-cert-file', certificate, '--tls-key-file', key];
  return [
    '--tls-port',
    String(port),
    ...files,
    ...(asksOthers ? ['--tls-cluster', 'yes', '--tls-replication', 'yes'] : []),
  ];
};

/** @param {string} secret */
const password = (secret) => passwordOf(secret, 'redis');

/**
 * Authenticates and sends one command, in Redis's inline format.
 * @param {number} port
 * @param {string} secret
 * @param {string} command
 * @returns {Promise<string>} both answers
 */
function ask(port, secret, command) {
  return new Promise((resolve, reject) => {
    let answer = '';
    const commands = `AUTH ${password(secret)}\r\n${command}\r\nQUIT\r\n`;
    const socket = connect(port, '127.0.0.1', () => socket.write(commands));
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error('no answer')));
    socket.on('data', (chunk) => {
      answer += chunk.toString();
      if (answer.includes(`unknown command 'QUIT'`)) socket.end(); // a Sentinel's answer
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
