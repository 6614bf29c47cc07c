import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MOST_INPUT_BYTES } from '../io/ask.js';
import { Exit } from '../io/exit.js';
import { readDocuments } from './document.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'weft-document-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function refusalOf(path: string): string {
  try {
    readDocuments(path);
  } catch (error) {
    if (error instanceof Exit) return error.message;
    throw error;
  }
  throw new Error('It was read.');
}

describe('files of documents', () => {
  it.each([
    ['is not JSON', (path: string) => writeFileSync(path, '{')],
    ['is no document', (path: string) => writeFileSync(path, '{}')],
    ['is a folder', (path: string) => mkdirSync(path)],
    ['leads to nothing', (path: string) => symlinkSync(`${path}\n`, path)],
  ])('are named on one line when one %s', (_what, make) => {
    make(join(folder, 'a\nforged: all applied\u001b[2J.json'));
    const refusal = refusalOf(folder);
    expect(refusal).toContain('a\\u000aforged');
    expect(refusal).not.toMatch(/\p{Cc}/u);
  });

  it('are named on one line when there are none', () => {
    const path = join(folder, 'a\nb');
    expect(refusalOf(path)).not.toContain('\n');
    mkdirSync(path);
    expect(refusalOf(path)).toMatch(/^There is no \.json file in .*a\\u000ab\.$/);
  });

  it.each(['hunter2', '{"a": hunter2}', '{"a":1,} hunter2'])('are not quoted when they are not JSON: %s', (text) => {
    const path = join(folder, 'secret.json');
    writeFileSync(path, text);
    const refusal = refusalOf(path);
    expect(refusal).toContain('secret.json is not JSON');
    expect(refusal).not.toContain('hunter2');
    if (text.includes(',}')) expect(refusal).toContain(': it breaks at position 7.');
  });

  it('are read only where they have an end', () => {
    const path = join(folder, 'a.json');
    symlinkSync('/dev/zero', path);
    expect(refusalOf(folder)).toBe(`${path} is not a file.`);
    rmSync(path);
    writeFileSync(path, '');
    truncateSync(path, MOST_INPUT_BYTES + 1);
    expect(refusalOf(folder)).toBe(`${path} has more than ${MOST_INPUT_BYTES} bytes.`);
  });
});

describe('what a layer leaves out', () => {
  it('is what the server takes for it', () => {
    const options = { retry: { attempts: 3 }, forEach: { in: '{{ $prev.args.l }}' }, repeat: { until: 'true' } };
    const layers = [
      { ref: 'a', appId: 'code', ...options },
      { ref: 'b', appId: 'code', retry: { attempts: 2, delayMs: 90_000 } },
      { ref: 'c', appId: 'code', retry: 'often' },
    ];
    const path = join(folder, 'a.json');
    writeFileSync(path, JSON.stringify({ schema: 'weft.flow/1', name: 'x', layers }));
    expect(readDocuments(path)[0]?.document.layers).toMatchObject([
      {
        retry: { attempts: 3, backoff: 'exponential', delayMs: 1_000, maxDelayMs: 60_000 },
        forEach: { in: '{{ $prev.args.l }}', concurrency: 1 },
        repeat: { until: 'true', max: 100, delayMs: 0 },
      },
      { retry: { attempts: 2, backoff: 'exponential', delayMs: 90_000, maxDelayMs: 90_000 } },
      { retry: 'often' },
    ]);
  });

  it('have the texts that are stored of integers that a number does not hold', () => {
    const path = join(folder, 'a.json');
    writeFileSync(path, '{"schema":"weft.flow/1","name":"x","layers":[{"ref":"a","args":{"id":7615917337495251231}}]}');
    expect(readDocuments(path)[0]?.document.layers[0]?.args).toEqual({ id: '7615917337495251231' });
  });
});
