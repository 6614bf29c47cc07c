import { scratchFolder, waitFor } from '@weft/testing';
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { run } from '#tools/setup/run.mjs';

export interface Program {
  readonly name: string;
  readonly binary: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const END_WITHIN_MS = 10_000;

/** Starts a server that ends with the spec file. Its log is shown if it ends before. */
export function startServer({ name, binary, args, env }: Program): void {
  const log = join(scratchFolder(name), 'log');
  const output = openSync(log, 'w');
  const child = spawn(binary, args, { env: { ...process.env, ...env }, stdio: ['ignore', output, output] });
  closeSync(output);
  let isEnding = false;
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', (code, signal) => {
      if (!isEnding) {
        process.stderr.write(`${name} ended (${signal ?? code}):\n${readFileSync(log, 'utf8').slice(-4_000)}\n`);
      }
      resolve();
    });
  });
  afterAll(async () => {
    isEnding = true;
    child.kill('SIGTERM');
    const forced = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
    await ended;
    clearTimeout(forced);
  });
}

/** Waits until the address answers below 400. */
export async function answers(url: string, ask: (url: string) => Promise<number>, withinMs = 120_000): Promise<void> {
  await waitFor(async () => (await ask(url).catch(() => 599)) < 400, { what: `${url} to answer`, withinMs });
}

/** Certificates in this folder, as `<name>.crt` and `<name>.key`, signed by `ca.crt`. */
export async function makeCertificates(folder: string, names: Readonly<Record<string, string>>): Promise<void> {
  const openssl = async (...args: readonly string[]): Promise<void> => {
    const { code, output } = await run('openssl', args, { cwd: folder });
    if (code !== 0) throw new Error(`openssl ${args.join(' ')}: ${output}`);
  };
  const key = (name: string) => ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
  await openssl('req', '-x509', ...key('ca'), '-out', 'ca.crt', '-days', '2', '-subj', '/CN=weft-test-ca');
  for (const [name, host] of Object.entries(names)) {
    writeFileSync(join(folder, `${name}.ext`), `subjectAltName=DNS:${host}\n`);
    await openssl('req', ...key(name), '-out', `${name}.csr`, '-subj', `/CN=${host}`);
    const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', `${name}.ext`];
    await openssl('x509', '-req', '-in', `${name}.csr`, '-out', `${name}.crt`, ...signed);
  }
}
