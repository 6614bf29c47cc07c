import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from './make-folder.js';

it('makes a folder with those above it for its owner only, and leaves one that is there', () => {
  const root = mkdtempSync(join(tmpdir(), 'weft-folder-'));
  const deep = join(root, 'a', 'b', 'c');
  makeFolder(deep);
  makeFolder(deep);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
  rmSync(root, { recursive: true });
});

it.runIf(process.platform === 'linux')('fails at once where a file system takes no folders', () => {
  expect(() => makeFolder('/proc/weft/logs')).toThrow(/ENOENT.*\/proc\/weft/);
});
