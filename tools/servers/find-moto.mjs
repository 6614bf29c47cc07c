import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { cacheDir } from './cache-dir.mjs';
import { fetchPackages } from './wheel.mjs';

/** A server in Python that answers as S3, IAM and STS do, and checks signatures with Amazon's own library. */
const MOTO = { name: 'moto', version: '5.2.5', packages: ['moto[s3]==5.2.5', 'flask==3.1.3', 'flask-cors==6.0.5'] };

/**
 * The program that serves moto: an earlier download, or one from the index that pip is configured for (20 s, 80 MB).
 * @param {{ env: NodeJS.ProcessEnv, log: (line: string) => void }} options
 * @returns {Promise<{ file: string, args: (port: number) => string[], env: Readonly<Record<string, string>> }>}
 */
export async function findMoto({ env, log }) {
  const folder = join(cacheDir(env), `${MOTO.name}-${MOTO.version}`);
  if (!existsSync(join(folder, MOTO.name))) {
    log('fetching moto, which answers as S3 (once; it is kept for every later run)');
    await fetchPackages({ title: 'moto', packages: MOTO.packages, into: folder });
  }
  return {
    file: 'python3',
    args: (port) => ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
    env: { PYTHONPATH: folder, PYTHONNOUSERSITE: '1' },
  };
}
