import { join } from 'node:path';
import { writePrivate } from './secret.mjs';

/**
 * @typedef {object} Certificates PEM
 * @property {string} authority whose certificates it trusts, also those of clients
 * @property {string} cert its own
 * @property {string} key of it
 */

/** @param {string} folder of a server */
export function certificateFiles(folder) {
  const [authority, certificate, key, both] = ['authority', 'certificate', 'key', 'certificate-and-key'].map((name) =>
    join(folder, `${name}.pem`),
  );
  return /** @type {{ authority: string, certificate: string, key: string, both: string }} */ ({ authority, certificate, key, both }); // prettier-ignore
}

/** @param {string} folder @param {Certificates} certificates */
export async function writeCertificates(folder, { authority, cert, key }) {
  const files = certificateFiles(folder);
  await writePrivate(files.authority, authority);
  await writePrivate(files.certificate, cert);
  await writePrivate(files.key, key);
  await writePrivate(files.both, `${cert}\n${key}\n`);
}
