import { connect, createServer } from 'node:net';

/** A port that is free now on the loopback address. */
export function freePort() {
  return new Promise((/** @type {(port: number) => void} */ resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
      probe.close(() => resolve(port));
    });
  });
}

/**
 * @param {number} port
 * @param {string} [host]
 */
export function isFree(port, host = '127.0.0.1') {
  return new Promise((/** @type {(free: boolean) => void} */ resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

/** @param {number} port */
export function isListening(port) {
  return new Promise((/** @type {(listening: boolean) => void} */ resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
