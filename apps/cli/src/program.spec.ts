import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { waitFor } from '@weft/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { EXIT, Exit } from './io/exit.js';
import { perform } from './program.js';

const open: (() => void)[] = [];
afterEach(() => open.splice(0).forEach((close) => close()));

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A server that answers as it likes. */
async function server(answer: Answer): Promise<string> {
  const http = createServer(answer);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  open.push(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
}

const json =
  (value: unknown, status = 200): Answer =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

interface Setting {
  readonly columns?: number;
  readonly isTTY?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A command, started in a world of its own. */
function start(url: string, args: readonly string[], { columns, isTTY, env, signal }: Setting = {}) {
  const said = { out: '', err: '' };
  const stream = (name: 'out' | 'err') => {
    const written = new PassThrough();
    written.on('data', (text) => (said[name] += String(text)));
    return Object.assign(written, { isTTY, columns });
  };
  const streams = { in: new PassThrough(), out: stream('out'), err: stream('err') };
  const world = {
    streams,
    env: { WEFT_URL: url, WEFT_TOKEN: 'k', ...env },
    signal: signal ?? new AbortController().signal,
    version: '0',
  };
  /** As a pipe that nobody reads answers each write. */
  const leave = () => {
    const out = streams.out;
    const refuse = () => out.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
    out.on('error', () => undefined);
    out.write = () => refuse();
    refuse();
  };
  return { said, leave, ended: perform(world, args).then((code) => ({ code, ...said })) };
}

const weft = (...given: Parameters<typeof start>) => start(...given).ended;

describe('weft and a server that is not what it should be', () => {
  it.each([
    ['a page', (_request, response) => void response.end('<html><body>Sign in at the hotel</body></html>')],
    ['nothing', (_request, response) => void response.end()],
    ['a list of something', json({ items: [null, 7], nextCursor: null })],
    ['a refusal of any shape', json({ code: 'denied', detail: 'no', errors: [null, 7], requestId: 7 }, 403)],
  ] satisfies [string, Answer][])('says so in one sentence when it answers with %s', async (_what, answer) => {
    const { code, err } = await weft(await server(answer), ['plays', 'list']);
    expect(code).toBe(EXIT.failed);
    expect(err).not.toMatch(/\bat .*:\d+:\d+/); // of a stack
  });

  it('shows nothing that the terminal would obey', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\r\nroot# \u009b31m\u{e0041}\u202e';
    const play = {
      id: evil,
      state: evil,
      flowId: evil,
      createdAt: evil,
      duration: evil,
      error: { ref: evil, code: evil },
    };
    const url = await server(json({ items: [play], nextCursor: null, code: evil, detail: evil }));
    for (const setting of [{ isTTY: true, env: { NO_COLOR: '1' } }, {}]) {
      const listed = await weft(url, ['plays', 'list'], setting);
      expect(listed.out + listed.err).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}]/u);
      expect(listed.out.trim().split('\n')).toHaveLength('isTTY' in setting ? 2 : 1);
    }
    const refusal = { code: evil, detail: evil, errors: [{ path: evil, message: evil }], requestId: evil };
    const refused = await weft(await server(json(refusal, 403)), ['plays', 'list']);
    expect(refused.err).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('is not sent the key of another one', async () => {
    const asked: (string | undefined)[] = [];
    const thief = await server((request, response) => {
      asked.push(request.headers.authorization);
      response.end('{}');
    });
    const url = await server((_request, response) => void response.writeHead(307, { location: `${thief}/x` }).end());
    const { code, err } = await weft(url, ['plays', 'list']);
    expect([code, asked]).toEqual([EXIT.failed, []]);
    expect(err).toContain(`sends the request on to ${thief}/x`);
  });

  it('exits with 4 only where the key is refused', async () => {
    const problem = (code: string) => ({ code, detail: 'no', errors: [], retryable: false });
    const lookAt = async (status: number, code: string) =>
      (await weft(await server(json(problem(code), status)), ['plays', 'list'])).code;
    expect(await lookAt(401, 'token_revoked')).toBe(EXIT.notSignedIn);
    expect(await lookAt(403, 'insufficient_scope')).toBe(EXIT.failed);
    expect(await lookAt(500, 'internal')).toBe(EXIT.failed);
  });
});

describe('a run whose answer is lost', () => {
  it('says the key with which the command is repeated safely', async () => {
    const bodies: { idempotencyKey: string }[] = [];
    const url = await server(async (request, response) => {
      if (request.method === 'GET') return json({ id: 'f', name: 'f' })(request, response);
      const parts = await request.toArray();
      bodies.push(JSON.parse(Buffer.concat(parts as Buffer[]).toString()) as { idempotencyKey: string });
      json({ code: 'internal', detail: 'no', errors: [], retryable: false }, 500)(request, response);
    });
    const { code, err } = await weft(url, ['run', 'f']);
    expect(code).toBe(EXIT.failed);
    expect(bodies).toHaveLength(1);
    expect(err).toContain(`--key ${bodies[0]?.idempotencyKey}`);
    expect((await weft(url, ['run', 'f', '--key', 'my own'])).err).toContain(`--key 'my own'`);
  });

  it('says it, too, when somebody interrupts the command', async () => {
    const stop = new AbortController();
    let posts = 0;
    const url = await server((request, response) => {
      if (request.method === 'GET') json({ id: 'f', name: 'f' })(request, response);
      else posts += 1;
    });
    const { ended } = start(url, ['run', 'f'], { signal: stop.signal });
    await waitFor(() => posts > 0, { what: 'the run' });
    stop.abort(new Exit(EXIT.terminated));
    const { code, err } = await ended;
    expect(code).toBe(EXIT.terminated);
    expect(err).toMatch(/--key [0-9a-f-]{36} runs it once/);
  });
});

describe('a signal', () => {
  it.each([
    ['a list', ['plays', 'list']],
    ['a stream of changes', ['hooks', 'listen']],
    ['a watch', ['plays', 'watch', 'p']],
    ['a diagnosis', ['doctor']],
    ['a plan', ['flows', 'diff', 'f']],
  ])('ends %s that is not answered', async (_what, args) => {
    let isAsked = false;
    const stop = new AbortController();
    const url = await server(() => void (isAsked = true));
    const { ended } = start(url, args, { signal: stop.signal });
    await waitFor(() => isAsked, { what: 'a request' });
    stop.abort(new Exit(EXIT.interrupted));
    const { code, err } = await ended;
    expect(code).toBe(EXIT.interrupted);
    if (args[1] === 'watch') expect(err).toContain('weft plays watch p');
  });

  it('ends a command that reads its input', async () => {
    const stop = new AbortController();
    const { ended } = start('http://127.0.0.1:1', ['run', 'f', '--args', '-'], { signal: stop.signal });
    stop.abort(new Exit(EXIT.interrupted));
    expect((await ended).code).toBe(EXIT.interrupted);
  });
});

describe('lists', () => {
  const plays = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_one, i) => ({
      ...{ id: `0123456789abcdefghi${i}`, state: 'DONE', flowId: '0123456789abcdefghij', duration: 5, error: null },
      ...{ createdAt: '2026-11-24T09:00:00.000Z', ...more },
    }));

  it('fit into a narrow terminal, and keep their ids whole', async () => {
    const error = { ref: 'fetch', code: 'x'.repeat(200) };
    const url = await server(json({ items: plays(3, { error }), nextCursor: null }));
    const { out } = await weft(url, ['plays', 'list'], { isTTY: true, columns: 70, env: { NO_COLOR: '1' } });
    const lines = out.trimEnd().split('\n');
    expect(lines).toHaveLength(4);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(70);
    expect(lines[1]).toMatch(/^0123456789abcdefghi0 {2}DONE /);
    expect(lines[1]).toContain('…');
  });

  it('are written as they come, also without an end', async () => {
    const stop = new AbortController();
    const url = await server((request, response) => {
      const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('cursor') ?? 0);
      if (page < 3) json({ items: plays(200), nextCursor: String(page + 1) })(request, response);
    });
    for (const [setting, args] of [
      [{}, ['--json']],
      [{}, []],
      [{ isTTY: true }, []],
    ] as const) {
      const { said, ended } = start(url, ['plays', 'list', '--all', ...args], { ...setting, signal: stop.signal });
      await waitFor(() => said.out.split('\n').length > 600, { what: 'three pages' });
      if (args[0] === '--json') expect(JSON.parse(said.out.split('\n')[599] ?? '')).toMatchObject({ state: 'DONE' });
      open.push(() => void ended);
    }
    stop.abort(new Exit(EXIT.interrupted));
  });
});

/** Documents of flows that are named as their files. */
function folderOf(documents: Readonly<Record<string, object>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-documents-'));
  open.push(() => rmSync(folder, { recursive: true }));
  for (const [name, fields] of Object.entries(documents))
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ schema: 'weft.flow/1', name, ...fields }));
  return folder;
}

interface Sent {
  readonly document: { readonly name: string };
  readonly dryRun?: boolean;
}

/** Whether the server is asked for its judgement only. */
async function isDryRun(request: IncomingMessage): Promise<boolean> {
  const text = String(await request.toArray());
  return text !== '' && (JSON.parse(text) as Sent).dryRun === true;
}

describe('a folder of documents', () => {
  it.each([['--dry-run'], ['--yes']])('is judged by the server before anything is changed (%s)', async (option) => {
    const [judged, changed]: [string[], string[]] = [[], []];
    const url = await server(async (request, response) => {
      if (request.method === 'GET') return json({ items: [], nextCursor: null })(request, response);
      const { document, dryRun } = JSON.parse(String(await request.toArray())) as Sent;
      (dryRun ? judged : changed).push(document.name);
      if (document.name === 'a') return json({ id: 'x', name: 'a', version: 1 })(request, response);
      const errors = [{ path: `document.layers.0.args`, code: 'invalid', message: `of ${document.name} is wrong` }];
      json({ code: 'invalid_document', detail: 'no', errors }, 422)(request, response);
    });
    const args = ['flows', 'apply', '-f', folderOf({ a: {}, b: {}, c: {} }), option];
    const { code, out, err } = await weft(url, args);
    expect({ code, out, judged, changed }).toEqual({
      code: EXIT.failed,
      out: '',
      judged: ['a', 'b', 'c'],
      changed: [],
    });
    for (const name of ['b', 'c'])
      expect(err).toMatch(
        new RegExp(
          `${name}\\.json is refused \\(invalid_document\\)\\n  document\\.layers\\.0\\.args: of ${name} is wrong`,
        ),
      );
    expect(err).toMatch(/2 documents are refused, so nothing was changed: .*b\.json, .*c\.json/);
  });
});

describe('a folder of documents for several environments', () => {
  const runs = (flow: string) => ({ layers: [{ ref: 'run', appId: 'run-flow', args: { flow } }] });
  /** No flow is there yet; what is asked of it besides. */
  const empty = async () => {
    const asked: string[] = [];
    const url = await server(async (request, response) => {
      if (request.method === 'GET') return json({ items: [], nextCursor: null })(request, response);
      const { document, dryRun } = JSON.parse(String(await request.toArray())) as Sent;
      asked.push(`${dryRun ? 'judge' : 'change'} ${JSON.stringify(document)}`);
      json({ id: 'x', name: document.name, version: 1 })(request, response);
    });
    return { url, asked };
  };

  it('makes what is run first, judges the rest as if it were there, and refuses a circle', async () => {
    const { url, asked } = await empty();
    const folder = folderOf({ a: runs('b'), b: { settings: { onFailure: 'c' } }, c: {} });
    const { code, err } = await weft(url, ['flows', 'apply', '-f', folder, '--dry-run']);
    expect([code, err]).toEqual([EXIT.done, expect.stringMatching(/\+ flow "c"[^]*\+ flow "b"[^]*\+ flow "a"/)]);
    expect(asked.map((each) => /"name":"(.)"/.exec(each)?.[1])).toEqual(['c', 'b', 'a']);
    expect(asked.join()).toContain(`{"flowId":"${'0'.repeat(20)}"}`);
    expect(asked.join()).toContain('"onFailure":null');
    const circles: Record<string, object>[] = [{ a: runs('b'), b: runs('a') }, { a: runs('a') }];
    for (const circle of circles) {
      const refused = await weft(url, ['flows', 'apply', '-f', folderOf(circle), '--yes']);
      expect(refused).toMatchObject({ code: EXIT.failed, out: '' });
      expect(refused.err).toMatch(/a\.json → .*a\.json run each other in a circle[^]*put it back, and apply again/);
    }
    expect(asked).toHaveLength(3);
  });

  it('refuses variables that no document has, and shows no value of the environment', async () => {
    const { url, asked } = await empty();
    const folder = folderOf({ a: { blueprintVars: { host: 'dev.example', token: '[left out]' } }, b: {} });
    const vars = join(folderOf({}), 'prod.json');
    const run = (values: unknown) => {
      writeFileSync(vars, typeof values === 'string' ? values : JSON.stringify(values));
      return weft(url, ['flows', 'apply', '-f', folder, '--vars', vars, '--dry-run']);
    };
    for (const [values, says] of [
      [{ host: 'hush', hots: 'hush' }, 'has hots: no document has such a variable'],
      [{ host: 7 }, 'host is not a text'],
      [['hush'], 'must be an object of texts'],
      ['{"host": "hush"', 'is not JSON'],
    ] as const) {
      const { code, out, err } = await run(values);
      expect([code, out, err]).toEqual([EXIT.usage, '', expect.stringContaining(says)]);
      expect(err).not.toContain('hush');
    }
    expect(asked).toEqual([]);
    const { code, out, err } = await run({ host: 'hush', token: 'hush' });
    expect([code, out + err]).toEqual([EXIT.done, expect.not.stringContaining('hush')]);
    expect(asked[0]).toContain('{"host":"hush","token":"hush"}');
  });

  it('takes no name of a file that cannot be a key, no lock that it cannot read, and no key as a path', async () => {
    const { url } = await empty();
    const run = (folder: string) => weft(url, ['flows', 'apply', '-f', folder, '--dry-run']);
    expect(await run(folderOf({ 'Order intake': {} }))).toMatchObject({ code: EXIT.usage });
    const folder = folderOf({ a: {} });
    writeFileSync(join(folder, 'weft.lock.json'), '<<<<<<< ours');
    expect((await run(folder)).err).toContain('Resolve its conflicts if Git has left some');
    const items = ['../../evil', 'weft.lock', 'A', 'a'].map((key) => ({ id: 'f', key, name: 'f', version: 1 }));
    for (const [at, says] of ['cannot be the name', 'cannot be the name', 'differ in case only'].entries()) {
      const hostile = await server((request, response) => {
        const shown = at < 2 ? items.slice(at, at + 1) : items.slice(2);
        json({ items: shown, nextCursor: null })(request, response);
      });
      const target = join(folderOf({}), 'flows');
      const { code, err } = await weft(hostile, ['flows', 'pull', target]);
      expect([code, err]).toEqual([EXIT.failed, expect.stringContaining(says)]);
      expect(readdirSync(target)).toEqual([]);
    }
  });
});

describe('a document that is applied', () => {
  it.each([
    ['the tag', '"3-0123456789abcdef"', '"3-0123456789abcdef"'],
    ['a weak tag', 'W/"3-0123456789abcdef"', 'W/"3-0123456789abcdef"'],
    ['the version, where a proxy has removed the tag,', null, '"3"'],
  ])(
    'with %s changes nothing that has changed since the plan, and says what it did not try',
    async (_by, etag, ifMatch) => {
      const flow = { id: 'f', version: 3, category: '', isBlueprint: false, when: null, settings: {}, layers: [] };
      const puts: (string | undefined)[] = [];
      const url = await server(async (request, response) => {
        if (await isDryRun(request)) return json({ ...flow, name: 'a' })(request, response);
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
        const named = { ...flow, name: searchParams.get('q') ?? 'a', description: 'theirs' };
        if (request.method === 'PUT') {
          puts.push(`${pathname} ${request.headers['if-match']}`);
          json({ code: 'version_conflict', detail: 'no', errors: [], retryable: false }, 412)(request, response);
        } else if (pathname.endsWith('/flows') || pathname.endsWith('/test-cases'))
          json({ items: pathname.endsWith('/flows') ? [named] : [], nextCursor: null })(request, response);
        else json(named)(request, etag === null ? response : response.setHeader('etag', etag));
      });
      const folder = folderOf({ a: { description: 'mine' }, b: { description: 'mine' } });
      const { code, out, err } = await weft(url, ['flows', 'apply', '-f', folder, '--yes']);
      expect([code, out, puts]).toEqual([EXIT.failed, '', [`/api/v1/flows/f/document ${ifMatch}`]]);
      expect(err).toContain('~ flow: description "theirs" → "mine"');
      expect(err).toContain(
        'Somebody else has changed a or its test cases since the plan, which compares with version 3',
      );
      expect(err).toMatch(/a\.json was not applied\. Not tried: .*b\.json/);
    },
  );

  it('does not replace a flow that got the key after the plan', async () => {
    let lists = 0;
    const sent: (string | undefined)[] = [];
    const url = await server(async (request, response) => {
      if (await isDryRun(request)) return json({ id: 'n', name: 'n', version: 1 })(request, response);
      if (request.method !== 'GET') sent.push(request.url);
      const items = (lists += 1) === 1 ? [] : [{ id: 'theirs', name: 'Theirs', version: 1 }];
      json({ items, nextCursor: null })(request, response);
    });
    const args = ['flows', 'apply', '-f', folderOf({ a: {} }), '--key', 'orders', '--yes'];
    const { code, err } = await weft(url, args);
    expect([code, sent, lists]).toEqual([EXIT.failed, [], 2]);
    expect(err).toContain('Somebody else has made Theirs (theirs) with the key orders since the plan');
  });

  it('is compared with as many test cases as a flow can have, whatever the server says', async () => {
    const flow = {
      id: 'f',
      key: 'a',
      name: 'a',
      version: 3,
      category: '',
      description: '',
      isBlueprint: false,
      when: null,
    };
    const settings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null };
    let pages = 0;
    const url = await server(async (request, response) => {
      if (await isDryRun(request)) return json(flow)(request, response);
      const { pathname } = new URL(request.url ?? '', 'http://x');
      if (pathname.endsWith('/flows')) json({ items: [flow], nextCursor: null })(request, response);
      else if (pathname.endsWith('/test-cases')) {
        const items = ['b', 'a'].map((name) => ({ id: `${name}${pages}`, name: `${name}${pages}` }));
        json({ items, nextCursor: String((pages += 1)) })(request, response);
      } else json({ ...flow, settings, layers: [] })(request, response.setHeader('etag', '"3-0123456789abcdef"'));
    });
    const { code, out } = await weft(url, ['flows', 'apply', '-f', folderOf({ a: {} }), '--dry-run', '--json']);
    const { changes } = JSON.parse(out) as { changes: string[] };
    expect([code, pages, changes.length, changes[0]]).toEqual([EXIT.done, 50, 100, '- test case "a0"']);
  });
});

describe('a reader who leaves early', () => {
  it.each([
    ['a list', ['plays', 'list', '--all']],
    ['a stream of changes', ['hooks', 'listen']],
  ])('ends %s', async (_what, args) => {
    let isAsked = false;
    const { leave, ended } = start(await server(() => void (isAsked = true)), args);
    await waitFor(() => isAsked, { what: 'a request' });
    leave();
    expect(await ended).toEqual({ code: EXIT.done, out: '', err: '' });
  });

  it('does not end what changes something, nor hides how it ends', async () => {
    const folder = folderOf({ a: {}, b: {}, c: {} });
    const made: unknown[] = [];
    const url = await server(async (request, response) => {
      if (request.method === 'GET') return json({ items: [], nextCursor: null })(request, response);
      const sent = JSON.parse(String(await request.toArray())) as Sent & { readonly name: string };
      if (sent.dryRun) return json({ id: 'x', name: sent.document.name, version: 1 })(request, response);
      if (made.length === 0) leave();
      made.push(sent.name);
      if (sent.name === 'c') json({ code: 'denied', detail: 'no', errors: [] }, 403)(request, response);
      else json({ id: sent.name, key: sent.name, name: sent.name, version: 1 }, 201)(request, response);
    });
    const { leave, ended } = start(url, ['flows', 'apply', '-f', folder, '--yes']);
    expect(await ended).toMatchObject({ code: EXIT.failed, err: expect.stringContaining('c.json was not') as string });
    expect(made).toEqual(['a', 'b', 'c']);
  });
});

describe('what a person types', () => {
  const nowhere = 'http://127.0.0.1:1';

  it('is corrected', async () => {
    expect(await weft(nowhere, ['plyas', 'list'])).toMatchObject({
      code: EXIT.usage,
      err: expect.stringContaining('Did you mean plays?') as string,
    });
    expect((await weft(nowhere, ['plays', 'list', '--stat', 'x'])).err).toContain('Did you mean --state?');
  });

  it.each([
    [['plays', 'list', '--limit', '0']],
    [['plays', 'list', '--limit', '1e3']],
    [['plays', 'list', '--since', '999999999d']],
    [['run', 'f', '--args', '[]']],
    [['run', 'f', '--args', '@/nothing/here']],
    [['flows', 'apply', '-f', '/nothing/here']],
    [['hooks', 'listen', '-t', 'http://u:p@localhost']],
    [['approvals', 'decide', 'p', 'r']],
    [['completion', 'tcsh']],
  ])('is refused before anything is asked: %j', async (args) => {
    expect(await weft(nowhere, args)).toMatchObject({ code: EXIT.usage, out: '' });
  });

  it('shows examples of each command that has options', async () => {
    for (const args of [['run'], ['plays', 'list'], ['flows', 'apply'], ['hooks', 'listen'], ['login'], ['open']]) {
      const { code, out } = await weft(nowhere, [...args, '--help'], { columns: 60 });
      expect([code, out]).toEqual([EXIT.done, expect.stringContaining(`Examples:\n  `)]);
      expect(out).toContain(`weft ${args.join(' ')}`);
    }
  });

  it('opens the dashboard where it is asked to', async () => {
    expect((await weft(nowhere, ['open'])).out).toBe(`${nowhere}/\n`);
    expect((await weft(nowhere, ['open', '--play', 'p/../q'])).out).toBe(`${nowhere}/plays/p%2F..%2Fq\n`);
  });
});

describe('hooks listen', () => {
  it('reads a play again after an outage, and loses none of its events', async () => {
    const stop = new AbortController();
    const change = { cursor: 'c1', playId: 'p', flowId: 'f', seq: 3, type: 'play_state_change', state: 'DONE' };
    let [feeds, reads] = [0, 0];
    const url = await server((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://x');
      if (pathname.endsWith('/changes')) {
        feeds += 1;
        if (feeds < 3) response.end(`${JSON.stringify(feeds === 1 ? { cursor: 'c0' } : change)}\n`);
      } else if ((reads += 1) === 1) response.writeHead(500).end('no');
      else json({ id: 'p', state: 'DONE', labels: {} })(request, response);
    });
    const { said, ended } = start(url, ['hooks', 'listen', '--json'], { signal: stop.signal });
    await waitFor(() => said.out.endsWith('\n'), { what: 'the event' });
    expect(JSON.parse(said.out)).toMatchObject({ type: 'play.done', data: { playId: 'p', seq: 3 } });
    stop.abort(new Exit(EXIT.interrupted));
    const { code, err } = await ended;
    expect([code, reads]).toEqual([EXIT.interrupted, 2]);
    expect(err).toMatch(/^listening\n.*500.*Trying again …\n/);
  });
});

describe('the secret of hooks listen', () => {
  it.each(['', 'whsk_x', 'not base64!'])('is refused when it is %j', async (secret) => {
    const { code, out } = await weft('http://127.0.0.1:1', ['hooks', 'listen', '-t', 'localhost:1'], {
      env: { WEFT_WEBHOOK_SECRET: secret || '!' },
    });
    expect([code, out]).toEqual([EXIT.usage, '']);
  });
});
