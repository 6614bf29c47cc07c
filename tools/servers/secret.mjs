// The secret of a data folder gives access to its server. Other users of the machine reach the port, but have no secret.
import { createHmac, randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** @param {string} folder */
export const secretFile = (folder) => join(folder, 'secret');

/**
 * @param {string} folder
 * @returns {Promise<string>} the secret of the last start; empty before the first
 */
export async function readSecret(folder) {
  return readFile(secretFile(folder), 'utf8').catch(() => '');
}

/**
 * Writes a new secret for each start: another process that took the port of a dead server may have received the last one.
 * @param {string} folder
 */
export async function makeSecret(folder) {
  const secret = randomBytes(32).toString('hex');
  await writePrivate(secretFile(folder), secret);
  return secret;
}

/**
 * A password derived from the secret, for this user only.
 * @param {string} secret
 * @param {string} user
 */
export function passwordOf(secret, user) {
  return createHmac('sha256', secret).update(user).digest('hex');
}

/**
 * Writes atomically, readable by the owner only.
 * @param {string} path
 * @param {string} text
 */
export async function writePrivate(path, text) {
  const draft = `${path}.new`;
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}
