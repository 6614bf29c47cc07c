import { waitFor } from '@weft/testing';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';

import { RotatedFile, type RotationOptions } from './rotated-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-rotation-'));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

function openFile(more: Partial<RotationOptions> = {}) {
  const told = { dropped: 0, troubles: [] as string[] };
  const file = new RotatedFile(
    { ...{ folder, name: 'weft-api-h-1', maxSizeMb: 1, maxBackups: 2, maxAgeDays: 30, compress: true }, ...more },
    () => (told.dropped += 1),
    (error) => told.troubles.push(error.message),
  );
  return { file, told };
}

const rotated = (pattern: RegExp) =>
  readdirSync(folder)
    .filter((name) => pattern.test(name))
    .sort();
const LINE = `${'x'.repeat(1023)}\n`;

it.each([
  [true, /^weft-api-h-1-.*\.log\.gz$/],
  [false, /^weft-api-h-1-.*\.log$/],
])('rotates by size and keeps so many, compressed: %s', async (compress, pattern) => {
  const { file, told } = openFile({ compress });
  for (let megabyte = 0; megabyte < 4; megabyte += 1) {
    const known = rotated(pattern);
    for (let n = 0; n < 1024; n += 1) file.write(LINE);
    await waitFor(() => rotated(pattern).some((name) => !known.includes(name)), { what: 'a rotated file' });
  }
  await waitFor(() => rotated(pattern).length === 2, { what: 'the oldest to go' });
  await file.close();
  const bytes = readFileSync(join(folder, rotated(pattern)[0] ?? ''));
  expect((compress ? gunzipSync(bytes) : bytes).toString()).toBe(LINE.repeat(1024));
  expect(told).toEqual({ dropped: 0, troubles: [] });
});

it('is for its owner and group alone, rotated or not, and so is the folder that it makes', async () => {
  const within = join(folder, 'logs');
  const { file } = openFile({ folder: within });
  for (let n = 0; n < 1024; n += 1) file.write(LINE);
  const names = () => readdirSync(within);
  await waitFor(() => names().some((name) => name.endsWith('.gz')), { what: 'a rotated file' });
  file.write('one more\n');
  await file.close();
  const files = names().filter((name) => name.endsWith('.log') || name.endsWith('.gz'));
  expect(files).toHaveLength(2);
  for (const path of [within, ...files.map((name) => join(within, name))]) {
    expect(`${path} ${(statSync(path).mode & 0o027).toString(8)}`).toBe(`${path} 0`);
  }
});

it('closes to others what a version before it left open to them, and nothing that is not its own', async () => {
  const names = ['weft-api-h-1.log', 'weft-api-gone-1.log.gz', 'mine.log'];
  for (const name of names) writeFileSync(join(folder, name), '', { mode: 0o644 });
  const modes = () => names.map((name) => (statSync(join(folder, name)).mode & 0o777).toString(8));
  const { file } = openFile();
  await waitFor(() => modes().slice(0, 2).join() === '640,640', { what: 'the files to be closed' });
  expect(modes()).toEqual(['640', '640', '644']);
  await file.close();
});

it('forgets what is too old, of processes that are gone, too, and nothing else', async () => {
  const longAgo = new Date(Date.now() - 31 * 86_400_000);
  const old = ['weft-api-h-1-2026-01-01.1.log.gz', 'weft-api-gone-1.log', '.weft-api-gone-1.log.history'];
  for (const name of [...old, 'weft-api-h-1.log', 'mine.log']) {
    writeFileSync(join(folder, name), '');
    utimesSync(join(folder, name), longAgo, longAgo);
  }
  writeFileSync(join(folder, 'weft-worker-h-2-2026-01-01.1.log.gz'), '');
  const { file } = openFile();
  await waitFor(() => old.every((name) => !readdirSync(folder).includes(name)), { what: 'the old ones to go' });
  expect(readdirSync(folder)).toEqual(
    expect.arrayContaining(['weft-api-h-1.log', 'mine.log', 'weft-worker-h-2-2026-01-01.1.log.gz']),
  );
  expect(statSync(join(folder, 'weft-api-h-1.log')).mtimeMs).toBeGreaterThan(longAgo.getTime());
  await file.close();
});

it('goes on over a full disk, counts every line that it lost, and writes again when there is room', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  const { file, told } = openFile();
  file.write('before\n');
  const path = join(folder, 'weft-api-h-1.log');
  await waitFor(() => readFileSync(path, 'utf8') === 'before\n', { what: 'the first line' });

  const handle = await open(path);
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  const write = vi.spyOn(Object.getPrototypeOf(handle) as { write: () => Promise<never> }, 'write');
  await handle.close();
  write.mockRejectedValue(full);
  for (const line of ['lost\n', 'lost, too\n']) file.write(line);
  await waitFor(() => told.troubles.length > 0, { what: 'the trouble' });
  file.write('lost without a try\n');
  expect(told).toEqual({ dropped: 3, troubles: [full.message] });

  write.mockRestore();
  vi.advanceTimersByTime(30_000);
  file.write('after\n');
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('before\nafter\n');
  expect(told.dropped).toBe(3);
});

it.runIf(process.platform === 'linux')('says at once that its folder cannot be made, and drops lines', async () => {
  const { file, told } = openFile({ folder: '/proc/weft/logs' });
  expect(told.troubles).toEqual([expect.stringMatching(/^ENOENT.*\/proc\/weft/)]);
  file.write(LINE);
  expect(told.dropped).toBe(1);
  await file.close();
});
