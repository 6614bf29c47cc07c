// Who has the secret of a data folder may talk to its server; others of this machine, who reach its port too, may not.
import { createHmac, randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @param {string} folder */
export const secretFile = (folder) => join(folder, 'secret');

/**
 * @param {string} folder
 * @returns {Promise<string>} of the server that was started last; empty when there was none
 */
export async function readSecret(folder) {
  return readFile(secretFile(folder), 'utf8').catch(() => '');
}

/**
 * A new one for each start: whoever took the port of a server that died may have been sent the last one.
 * @param {string} folder
 */
export async function makeSecret(folder) {
  const secret = randomBytes(32).toString('hex');
  await writePrivate(secretFile(folder), secret);
  return secret;
}

/**
 * A password that is no use for anything else.
 * @param {string} secret
 * @param {string} user
 */
export function passwordOf(secret, user) {
  return createHmac('sha256', secret).update(user).digest('hex');
}

/**
 * Whole or not at all, for its owner alone.
 * @param {string} path
 * @param {string} text
 */
export async function writePrivate(path, text) {
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
