import { waitFor } from '@weft/testing';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { IMPORT_TIMEOUT_MS } from './limits.js';
import { openapiAnswer } from './openapi-answer.js';
import { SandboxProcess } from './sandbox-process.js';
import { Sandbox } from './sandbox.js';
import type { Program } from './task.js';

const started: SandboxProcess[] = [];
const start = (program: Program): SandboxProcess => {
  const one = new SandboxProcess(program);
  started.push(one);
  return one;
};
const sandbox = new Sandbox({ concurrency: 2, start });
afterAll(() => sandbox.close());

const call = { companyId: 'acme', timeoutMs: IMPORT_TIMEOUT_MS, signal: new AbortController().signal };

async function importOf(document: unknown, from: string | null = null) {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return openapiAnswer(await sandbox.run({ kind: 'openapi', document: Buffer.from(text), from }, call));
}

const post = (operationId: string, schema: object): object => ({
  post: {
    operationId,
    requestBody: { content: { 'application/json': { schema } } },
    responses: { 200: { description: 'ok' } },
  },
});
const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const api = (paths: object, schemas: object = {}): object => ({
  openapi: '3.1.0',
  info: { title: 'Orders', version: '1' },
  paths,
  components: { schemas },
});

describe('the import of a document', () => {
  it('gives what the document says of itself, its operations one by one, and the report', async () => {
    const { facts, operations, report } = await importOf(
      api({ '/orders': post('create', ref('order')) }, { order: {} }),
      'https://x.example/doc/api.json',
    );
    expect(facts).toMatchObject({ title: 'Orders', servers: [{ url: 'https://x.example/' }] });
    expect([...operations].map(({ name, plan }) => [name, plan.path])).toEqual([['create', '/orders']]);
    expect([...operations]).toHaveLength(1);
    expect(report).toMatchObject({ operations: 1, skippedCount: 0 });
  });

  it('says of a document that cannot be imported what is wrong with it', async () => {
    await expect(importOf('[1]')).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/not an object/) as string,
    });
    await expect(importOf('{"openapi": "3.1.0"')).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/neither JSON nor YAML/) as string,
    });
    await expect(importOf({ openapi: '4.0.0' })).rejects.toMatchObject({
      message: expect.stringMatching(/says version 4.0.0/) as string,
    });
  });

  it('takes a bomb of references, and circles, without making them larger', async () => {
    const levels = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => {
        const next = ref(`l${i + 1}`);
        return [`l${i}`, i === 39 ? { type: 'string' } : { type: 'object', properties: { x: next, y: next } }] as const;
      }),
    );
    const schemas = { ...levels, self: ref('self'), a: ref('b'), b: ref('a'), c: { allOf: [ref('c')] } };
    const paths = {
      '/bomb': post('bomb', ref('l0')),
      '/self': post('self', ref('self')),
      '/two': post('two', ref('a')),
      '/c': post('c', ref('c')),
    };
    const { operations, report } = await importOf(api(paths, schemas));
    const [bomb] = [...operations];
    expect(JSON.stringify(bomb?.argsSchema).length).toBeLessThan(10_000);
    expect(report.operations).toBe(4);
    expect(report.warnings.map(({ reason }) => reason)).toEqual([
      'refers to "#/components/schemas/self", which refers to itself; any value is taken there',
      'refers to "#/components/schemas/a", which refers to itself; any value is taken there',
      'is a schema of itself, without a field between; any value is taken there',
    ]);
  });

  it('refuses aliases of YAML that multiply', async () => {
    const lists = Array.from(
      { length: 9 },
      (_, i) => `l${i + 1}: &l${i + 1} [${Array.from({ length: 9 }, () => `*l${i}`).join(',')}]`,
    );
    const bomb = `openapi: 3.1.0\nl0: &l0 [x,x,x,x,x,x,x,x,x]\n${lists.join('\n')}\npaths: {}\n`;
    await expect(importOf(bomb)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/alias/i) as string,
    });
  });

  it('refuses what is nested too deep or has too many values, and harms nobody else', async () => {
    const deep = '['.repeat(300_000) + ']'.repeat(300_000);
    await expect(importOf(`{"openapi":"3.1.0","paths":{},"x":${deep}}`)).rejects.toMatchObject({
      message: expect.stringMatching(/nested deeper than 200/) as string,
    });
    const many = `{"openapi":"3.1.0","paths":{},"x":[${'{},'.repeat(4_100_000)}{}]}`;
    await expect(importOf(many)).rejects.toMatchObject({
      message: expect.stringMatching(/more than 4000000 values/) as string,
    });
    expect((await importOf(api({}))).report.operations).toBe(0);
  });

  it('takes names that mean something to JavaScript for names', async () => {
    const text = JSON.stringify(api({ '/a': post('__proto__', ref('__proto__')) }, { X: {} })).replace(
      '"X":{}',
      '"__proto__":{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["__proto__"]}',
    );
    const [operation] = [...(await importOf(text)).operations];
    expect(operation?.name).toBe('proto__'.replace(/_+$/, ''));
    const [definition] = Object.values(
      operation?.argsSchema.$defs as Record<string, { properties: object; required: string[] }>,
    );
    expect(Object.keys(definition?.properties ?? {})).toEqual(['__proto__', 'constructor']);
    expect(definition?.required).toEqual(['__proto__']);
  });
});

describe('a document that takes long', () => {
  it('is given up with the limit that it exceeds', async () => {
    const document = Buffer.from(`openapi: 3.1.0\npaths: {}\nx:\n${'  - [a, b, c]\n'.repeat(300_000)}`);
    const given = sandbox.run({ kind: 'openapi', document, from: null }, { ...call, timeoutMs: 1_000 });
    await expect(given).rejects.toMatchObject({
      code: 'sandbox_limit',
      message: expect.stringMatching(/longer than|more memory than 512 MB/) as string,
    });
  });
});

describe('a document of 10 MB with 1,000 operations, whose schemas all lead to each other', () => {
  it('is imported in a few seconds of a processor, with the nearest schemas of each', async () => {
    const field = { type: 'string', description: 'x'.repeat(300) };
    const schemas = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => {
        const properties = Object.fromEntries(Array.from({ length: 30 }, (_n, n) => [`field${n}`, field]));
        return [
          `s${i}`,
          {
            type: 'object',
            properties: { ...properties, next: ref(`s${(i + 1) % 1_000}`), other: ref(`s${(i * 7) % 1_000}`) },
          },
        ] as const;
      }),
    );
    const paths = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, i) => [`/things${i}/{id}`, post(`op${i}`, ref(`s${i}`))] as const),
    );
    const document = JSON.stringify(api(paths, schemas));
    expect(document.length).toBeGreaterThan(10 * 1024 * 1024);
    const before = process.resourceUsage();
    const { operations, report } = await importOf(document);
    expect(report.operations).toBe(1_000);
    const all = [...operations];
    expect(all.map(({ name }) => name)).toEqual(Array.from({ length: 1_000 }, (_, i) => `op${i}`));
    expect(JSON.stringify(all).length).toBeLessThan(33 * 1024 * 1024);
    const [first] = all;
    expect(Object.keys(first?.argsSchema.$defs as object)).toContain('s1');
    expect(report.warnings.some(({ reason }) => reason.includes('the farthest ones take any value'))).toBe(true);
    // of this process, which only takes the answer
    expect(process.resourceUsage().userCPUTime - before.userCPUTime).toBeLessThan(5_000_000);
  });
});

describe.runIf(process.platform === 'linux')('the process of an import', () => {
  it('takes the processors that others leave, with all its threads', async () => {
    await importOf(api({ '/orders': post('create', {}) }));
    const { pid = 0 } = started.find(({ isEnding }) => !isEnding) ?? {};
    const threads = readdirSync(`/proc/${pid}/task`).map(Number);
    expect(threads.length).toBeGreaterThan(1);
    for (const thread of threads) expect(getPriority(thread)).toBe(constants.priority.PRIORITY_LOW);
  });

  it('also while it starts', () => {
    const { pid = 0 } = start('openapi');
    expect(getPriority(pid)).toBe(constants.priority.PRIORITY_LOW);
  });

  it.runIf(existsSync('/proc/self/autogroup'))('also when they are of other sessions, such as a database', async () => {
    // without privileges, Linux takes such a change ten times a second
    const isLast = () => readFileSync(`/proc/${start('openapi').pid}/autogroup`, 'utf8').endsWith(' nice 10\n');
    await waitFor(isLast, { what: 'a process whose session has a low priority' });
    expect(readFileSync('/proc/self/autogroup', 'utf8')).not.toMatch(/ nice 10\n/);
  });
});
