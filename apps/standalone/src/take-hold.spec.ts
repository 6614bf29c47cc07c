import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { takeHold } from './take-hold.js';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-hold-'));
  path = join(folder, 'standalone.pid');
});
afterEach(() => rmSync(folder, { recursive: true }));

const GONE = 7;
const [ONE, OTHER, THIRD] = [1001, 1002, 1003] as const;
const isHolder = async (pid: number) => Promise.resolve(pid !== GONE);
const holder = () => Number(readFileSync(path, 'utf8'));

describe('a file that one process has', () => {
  it('is had by one of several that take it over from a process that is gone at the same moment', async () => {
    writeFileSync(path, String(GONE));
    const outcomes = await Promise.all([ONE, OTHER, THIRD].map((pid) => takeHold(path, pid, isHolder)));
    expect(outcomes.filter((other) => other === null)).toHaveLength(1);
    expect(outcomes.filter((other) => other !== null)).toEqual([holder(), holder()]);
    expect(readdirSync(folder)).toEqual(['standalone.pid']);
  });

  it('is given back to who took it over while somebody else looked', async () => {
    writeFileSync(path, String(GONE));
    const overtaken = async (pid: number) => {
      if (pid === GONE) expect(await takeHold(path, OTHER, isHolder)).toBeNull();
      return isHolder(pid);
    };
    expect(await takeHold(path, ONE, overtaken)).toBe(OTHER);
    expect(holder()).toBe(OTHER);
    expect(readdirSync(folder)).toEqual(['standalone.pid']);
  });

  it('is not had by a process that was killed and had the same id, nor by what is no id', async () => {
    for (const left of [String(ONE), '', 'x', '-1']) {
      writeFileSync(path, left);
      expect(await takeHold(path, ONE, isHolder)).toBeNull();
      expect(holder()).toBe(ONE);
    }
  });
});
