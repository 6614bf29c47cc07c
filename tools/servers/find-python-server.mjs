import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { cacheDir } from './cache-dir.mjs';
import { fetchPackages } from './wheel.mjs';

const MOTO = {
  name: 'moto',
  version: '5.2.5',
  packages: ['moto[s3]==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5'],
  program: ['-m', 'moto.server'],
  /** @param {number} port */
  where: (port) => ['-H', '127.0.0.1', '-p', String(port)],
};
const PYMAP = {
  name: 'pymap',
  version: '0.36.7',
  packages: ['pymap==0.36.7', 'pysasl==1.2.0', 'proxy-protocol==0.11.3', 'typing-extensions==4.16.0'],
  program: ['-c', 'import sys; sys.argv[0] = "pymap"; from pymap.main import main; main()'],
  /** @param {number} port */
  where: (port) => ['--host', '127.0.0.1', '--port', String(port)],
};

/** @typedef {{ file: string, args: (port: number) => string[], env: Readonly<Record<string, string>> }} Program */
/** @typedef {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} Finding */

/**
 * The program that answers as S3, SQS, IAM and STS do, and checks signatures with Amazon's own library.
 * @param {Finding} finding
 */
export const findMoto = (finding) => findPythonServer(MOTO, finding);

/**
 * The program that serves mails by IMAP.
 * @param {Finding} finding
 */
export const findPymap = (finding) => findPythonServer(PYMAP, finding);

/**
 * A server in Python: an earlier download, or one from the index that pip is configured for (moto: 20 s, 80 MB).
 * @param {typeof MOTO} wanted
 * @param {Finding} finding
 * @returns {Promise<Program>}
 */
async function findPythonServer({ name, version, packages, program, where }, { env, log }) {
  const folder = join(cacheDir(env), `${name}-${version}`);
  if (!existsSync(join(folder, name))) {
    log(`fetching ${name}, a server of the specs (once; it is kept for every later run)`);
    await fetchPackages({ title: name, packages, into: folder });
  }
  return {
    file: 'python3',
    args: (port) => [...program, ...where(port)],
    env: { PYTHONPATH: folder, PYTHONNOUSERSITE: '1' },
  };
}
