import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

import { WORK_CONTEXT } from '../work-context.js';
import { openLog, type LogOptions } from './log.js';

const folder = mkdtempSync(join(tmpdir(), 'weft-log-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ROTATION = { maxSizeMb: 1, maxBackups: 2, maxAgeDays: 30, compress: true };

function openTestLog(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = openLog({ level: 'info', file: null, out: { write: (line) => lines.push(line) }, ...options });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('openLog', () => {
  it('writes one JSON line with timestamp, level in capitals, component and fields', () => {
    const { log, lines, last } = openTestLog();
    log.pino.child({ component: 'mongo' }).warn({ duration_ms: 512 }, 'slow');
    expect(lines[0]).toMatch(/^\{.*\}\n$/);
    expect(last()).toMatchObject({ level: 'WARN', component: 'mongo', duration_ms: 512, message: 'slow' });
    expect(new Date(String(last().timestamp)).toISOString()).toBe(last().timestamp);
  });

  it('names the request that is being served', () => {
    const { log, last } = openTestLog();
    WORK_CONTEXT.run({ request_id: 'r-1' }, () => log.pino.info('inside'));
    expect(last()).toMatchObject({ request_id: 'r-1' });
    log.pino.info('outside');
    expect(last()).not.toHaveProperty('request_id');
  });

  it('hides secrets in fields and in texts, and encodes line breaks', () => {
    const { log, lines } = openTestLog();
    log.pino.info({ token: 'swordfish', note: 'a\nb' }, 'sent Bearer swordfish');
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('swordfish');
    expect(lines[0]?.trimEnd()).not.toContain('\n');
  });

  it('tells an error under the key error', () => {
    const { log, last } = openTestLog();
    log.pino.error(new RangeError('too far'));
    expect(last().error).toMatchObject({ type: 'RangeError', message: 'too far' });
  });

  it('drops what is below its level', () => {
    const { log, lines } = openTestLog({ level: 'warn' });
    log.pino.info('quiet');
    expect(lines).toEqual([]);
  });

  it('takes another level while it runs, its children too', () => {
    const { log, lines } = openTestLog();
    const child = log.pino.child({ component: 'mongo' }).child({ part: 'deep' });
    log.setLevel('debug');
    for (const each of [log.pino, child]) each.debug('loud');
    log.setLevel('error');
    for (const each of [log.pino, child, log.pino.child({})]) each.warn('quiet');
    expect(lines).toHaveLength(2);
  });

  it('writes the same lines into the file', async () => {
    const { log, lines } = openTestLog({ file: { folder, name: 'weft-a', ...ROTATION } });
    log.pino.info('kept');
    await log.close();
    expect(readFileSync(join(folder, 'weft-a.log'), 'utf8')).toBe(lines.join(''));
  });

  it('goes on, says so once and counts what is lost when the file cannot be written', async () => {
    const blocked = join(folder, 'a-file-where-the-folder-should-be');
    writeFileSync(blocked, '');
    let dropped = 0;
    let told: (line: string) => void;
    let troubles = 0;
    const trouble = new Promise<string>((resolve) => (told = resolve));
    const log = openLog({
      level: 'info',
      file: { folder: blocked, name: 'weft-b', ...ROTATION },
      onDropped: () => (dropped += 1),
      out: {
        write: (line) => {
          if (!line.includes('"component":"log"')) return;
          troubles += 1;
          told(line);
        },
      },
    });
    expect(await trouble).toContain(`The log file in ${blocked} cannot be written`);
    log.pino.info('only on standard output');
    log.pino.info('and this');
    expect(dropped).toBe(2);
    await log.close();
    expect(troubles).toBe(1);
  });

  it.runIf(process.platform === 'linux')('goes on where the folder of the file cannot be made', async () => {
    const { log, lines } = openTestLog({ file: { folder: '/proc/weft/logs', name: 'weft-c', ...ROTATION } });
    log.pino.info('only on standard output');
    expect(lines).toEqual([expect.stringContaining('cannot be written'), expect.stringContaining('only on')]);
    await log.close();
  });
});
