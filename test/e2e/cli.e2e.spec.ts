import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseJson, verifyWebhook, writeJson } from '@weft/client';
import { scratchFolder, waitFor, mcpServer, type Offer } from '@weft/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ROOT } from './harness/compose-file.js';
import { sharedFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, one } = await sharedFleet('standalone');
/** What the ledger answers as a document. */
let description: object = {};
ledger.answerWith(({ path, body }) =>
  path === '/openapi.json'
    ? { body: description }
    : {
        headers: { 'content-type': 'application/json' },
        body: writeJson({ n: (parseJson(body) as { n: unknown }).n }),
      },
);
const { url } = one('standalone');
const { token } = await admin.createApiKey({ scope: 'api,admin' });
const flow = await twoLayerFlow(admin, ledger.url, 'Ask \u202eand\u2066 tell');
const folder = scratchFolder('cli');
const COMMAND = join(ROOT, 'libs/client/dist/weft.js');
/** What the command reads of its environment. */
type Env = Readonly<Record<string, string | undefined>>;
const ENV: Env = { PATH: process.env.PATH, HOME: folder, WEFT_URL: url, WEFT_TOKEN: token };

interface Started {
  readonly out: () => string;
  readonly err: () => string;
  readonly ended: Promise<number>;
  readonly program: ReturnType<typeof spawn>;
}

function start(file: string, args: readonly string[], input: string, env: Env = ENV): Started {
  const program = spawn(file, args, { env, cwd: folder });
  const said = { out: '', err: '' };
  program.stdout.on('data', (text) => (said.out += String(text)));
  program.stderr.on('data', (text) => (said.err += String(text)));
  program.stdin.on('error', () => undefined); // it may end without reading
  program.stdin.end(input);
  onTestFinished(() => void program.kill());
  return {
    out: () => said.out,
    err: () => said.err,
    program,
    ended: once(program, 'close').then(([code]) => code as number),
  };
}

/** The command in a pipe, to its end. */
async function weft(args: readonly string[], { input = '', env = ENV }: { input?: string; env?: Env } = {}) {
  const { out, err, ended } = start(process.execPath, [COMMAND, ...args], input, env);
  return { code: await ended, out: out(), err: err() };
}

/** The command on a terminal of its own, with somebody who types these answers when they are asked for. */
async function onTerminal(
  args: readonly string[],
  answers: readonly (readonly [question: string, answer: string])[],
  env: Env = ENV,
) {
  const script = join(ROOT, 'test/e2e/harness/on-terminal.py');
  const { out, err, ended } = start(
    'python3',
    [script, JSON.stringify(answers), process.execPath, COMMAND, ...args],
    '',
    env,
  );
  return { code: await ended, shown: out(), err: err() };
}

describe('weft apis', () => {
  const documentOf = (operations: readonly string[]) => ({
    openapi: '3.1.0',
    info: { title: 'Orders', version: '1' },
    servers: [{ url: ledger.url }],
    paths: Object.fromEntries(
      operations.map((operationId) => [
        `/${operationId}`,
        { get: { operationId, responses: { 200: { description: 'ok' } } } },
      ]),
    ),
  });

  it('imports a document, compares it with another one, and refreshes it', async () => {
    description = documentOf(['list', 'read']);
    const imported = await weft(['apis', 'import', `${ledger.url}/openapi.json`, '--key', 'orders']);
    expect(imported).toMatchObject({ code: 0, err: '2 operations, 0 skipped, 0 warnings\n' });
    const listed = await weft(['apis', 'list']);
    expect(listed.out.split('\t').slice(0, 4)).toEqual([imported.out.trim(), 'orders', 'orders', 'ready']);
    const securitySchemes = { login: { type: 'apiKey', in: 'header', name: 'X-Key' } };
    description = { ...documentOf(['list', 'read']), security: [{ login: [] }], components: { securitySchemes } };
    const needs = `asks for    a link of the kind header at ${ledger.url}, header X-Key (login)\n`;
    expect((await weft(['apis', 'refresh', 'orders'])).err).toContain(needs);
    const shown = await weft(['apis', 'get', 'orders']);
    expect(shown.out).toContain(`operations  2\nserver      ${ledger.url}\n${needs}`);
    expect((await weft(['apis', 'list'])).out.split('\t')[4]).toBe('2');
    description = documentOf(['read', 'write', 'delete']);
    const compared = await weft(['apis', 'refresh', 'orders', '--dry-run']);
    expect(compared).toMatchObject({ code: 0, err: '2 added, 1 removed, 1 breaking, 0 changed\n' });
    const refreshed = await weft(['apis', 'refresh', 'orders']);
    expect(refreshed.err).toBe('3 operations, 0 skipped, 0 warnings\n2 added, 1 removed, 1 breaking, 0 changed\n');
    expect(await weft(['apis', 'diff', 'orders', '--adopt'])).toMatchObject({ code: 0, out: '' });
    description = { openapi: '4.0.0' };
    const refused = await weft(['apis', 'refresh', 'orders']);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('says version 4.0.0') as string });
  });

  it('mends a document by an overlay in JSON or YAML', async () => {
    description = documentOf(['list', 'read']);
    await weft(['apis', 'import', `${ledger.url}/openapi.json`, '--key', 'mended']);
    const file = join(folder, 'mends.yaml');
    writeFileSync(file, 'overlay: 1.0.0\nactions: [{ target: "$.paths[\'/read\']", remove: true }]\n');
    expect(await weft(['apis', 'overlay', 'mended', file])).toMatchObject({
      code: 0,
      err: 'From the next import on: weft apis refresh mended --dry-run shows what it changes.\n',
    });
    expect(JSON.parse((await weft(['apis', 'overlay', 'mended'])).out)).toEqual({
      overlay: '1.0.0',
      actions: [{ target: "$.paths['/read']", remove: true }],
    });
    expect((await weft(['apis', 'refresh', 'mended'])).err).toContain('0 added, 1 removed');
    const wrong = await weft(['apis', 'overlay', 'mended', '-'], { input: '{"overlay":"1.0.0","actions":[{}]}' });
    expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining('overlay.actions.0.target') as string });
    const unread = await weft(['apis', 'overlay', 'mended', '-'], { input: '{' });
    expect(unread).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read as JSON or YAML') as string });
    await weft(['apis', 'overlay', 'mended', '--remove']);
    expect((await weft(['apis', 'overlay', 'mended'])).out).toBe('null\n');
  });

  it('sends a document of any size along', async () => {
    const file = join(folder, 'openapi.json');
    const large = { ...documentOf(['list']), 'x-more': 'x'.repeat(1_500_000) };
    writeFileSync(file, JSON.stringify(large));
    expect(await weft(['apis', 'import', file])).toMatchObject({
      code: 0,
      err: '1 operations, 0 skipped, 0 warnings\n',
    });
    const piped = await weft(['apis', 'import', '-', '--name', 'piped'], { input: JSON.stringify(documentOf(['a'])) });
    expect(piped).toMatchObject({ code: 0 });
    const parts = join(folder, 'parts');
    mkdirSync(join(parts, 'paths'), { recursive: true });
    writeFileSync(join(parts, 'openapi.json'), JSON.stringify({ openapi: '3.1.0', paths: { $ref: 'paths/all.json' } }));
    writeFileSync(join(parts, 'paths', 'all.json'), JSON.stringify(documentOf(['a', 'b']).paths));
    expect(await weft(['apis', 'import', parts])).toMatchObject({
      code: 0,
      err: '2 operations, 0 skipped, 0 warnings\n',
    });
    const gone = await weft(['apis', 'import', join(folder, 'nothing.json')]);
    expect(gone).toMatchObject({ code: 2, err: expect.stringContaining('cannot be read') as string });
  });
});

describe('weft mcp-servers', () => {
  it('adds a server, lists its tools, and shows what has changed', async () => {
    const offer: Offer = {
      tools: [{ name: 'add', inputSchema: { type: 'object' } }],
      perform: () => ({ content: [] }),
    };
    const adder = await mcpServer('2026', offer);
    const added = await weft(['mcp-servers', 'add', adder.url, '--key', 'adder']);
    expect(added).toMatchObject({ code: 0, err: '1 tools, 0 skipped, 0 warnings\n' });
    const listed = await weft(['mcp-servers', 'list']);
    expect(listed.out.split('\t').slice(0, 5)).toEqual([added.out.trim(), 'adder', 'adder', 'ready', adder.url]);
    expect((await weft(['mcp-servers', 'tools', 'adder'])).out.split('\t')[0]).toBe('add');
    offer.tools = [];
    const compared = await weft(['mcp-servers', 'refresh', 'adder', '--dry-run']);
    expect(compared).toMatchObject({ code: 0, err: '0 added, 1 removed, 0 breaking, 0 changed\n' });
    expect(await weft(['mcp-servers', 'diff', 'adder', '--adopt'])).toMatchObject({ code: 0, out: '' });
    await adder.close();
    const gone = await weft(['mcp-servers', 'refresh', 'adder']);
    expect(gone).toMatchObject({ code: 1, err: expect.stringContaining('mcp_unreachable') as string });
  });
});

describe('weft in a pipe', () => {
  it('writes data to the output and everything else to the other one, and shows nothing of data that a terminal would obey', async () => {
    const listed = await weft(['flows', 'list', '-q', ' tell']);
    expect(listed).toMatchObject({ code: 0, err: '' });
    expect(listed.out.split('\t').slice(0, 2)).toEqual([flow.id, 'Ask \\u202eand\\u2066 tell']);
    const json = await weft(['flows', 'list', '-q', ' tell', '--json']);
    expect(JSON.parse(json.out.split('\n')[0] ?? '')).toMatchObject({
      id: flow.id,
      name: 'Ask \u202eand\u2066 tell',
    });
    expect(listed.out + json.out).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u202e\u2066]/);
  });

  it('runs a flow, once per key, and ends by how the play has ended', async () => {
    const args = join(folder, 'args.json');
    writeFileSync(args, '{"n":7}');
    const run = await weft(['run', flow.id, '--args', `@${args}`, '--key', 'k-7', '--watch']);
    expect(run).toMatchObject({ code: 0, out: '{\n  "text": "Play 7 was answered 7."\n}\n' });
    const again = await weft(['run', flow.id, '--args', '-', '--key', 'k-7', '--json'], { input: '{"n":7}' });
    const { playId } = JSON.parse(again.out) as { playId: string };
    const frames = await weft(['plays', 'watch', playId, '--json']);
    expect(
      frames.out
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { seq: number }).seq),
    ).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await weft(['plays', 'list', '--flow', flow.id, '--state', 'done'])).out).toContain(playId);
  });

  it('sends and shows integers that a number does not hold with every digit', async () => {
    const id = '7615917337495251231';
    const run = await weft(['run', flow.id, '--args', `{"n":${id}}`, '--watch', '--json']);
    expect(run.out).toContain(`"json":{"n":${id}}`);
    expect(run.out).toContain(`Play ${id} was answered ${id}.`);
    const file = join(folder, 'with-id.json');
    const layer = {
      ref: 'ask',
      appId: 'web-request',
      args: { url: `${ledger.url}/x`, method: 'POST', body: { id: 0 } },
    };
    const document = { schema: 'weft.flow/1', name: 'With an id', layers: [layer] };
    writeFileSync(file, JSON.stringify(document).replace('"id":0', `"id":${id}`));
    const made = await weft(['flows', 'apply', '-f', file, '--yes', '--json']);
    expect(made.code).toBe(0);
    // a constant of a layer is stored as the text of its digits
    expect((await weft(['flows', 'export', 'With an id'])).out).toContain(`"id": "${id}"`);
    expect((await weft(['flows', 'apply', '-f', file])).err).toContain('as it is');
  });

  it('exits with 10 when the play has failed, says why, and retries it', async () => {
    const failing = await admin.createFlow({ name: 'Fails' });
    await admin.addLayer(failing.id, { ref: 'bad', appId: 'web-request', args: { url: `${ledger.url}/\u0000` } });
    const run = await weft(['run', 'Fails', '--watch']);
    expect(run.code).toBe(10);
    const playId = /weft plays why (\w+)/.exec(run.err)?.[1] ?? '';
    expect((await weft(['plays', 'why', playId])).out).toMatch(new RegExp(`^${playId} {2}FAIL {2}bad: `));
    expect((await weft(['plays', 'retry', playId, '--watch'])).code).toBe(10);
    expect((await weft(['plays', 'cancel', playId])).err).toContain('illegal_move');
  });

  it('exits with 11 when the time is over, 12 when a person is asked, 4 without a key, 2 for what it does not know', async () => {
    const later = await weft(['run', flow.id, '--delay', '1h', '--watch', '--timeout', '300ms']);
    expect(later).toMatchObject({ code: 11, out: '' });
    const playId = /weft plays watch (\w+)/.exec(later.err)?.[1] ?? '';
    expect((await weft(['plays', 'why', playId, '--json'])).out).toContain('"reason":"due"');
    expect((await weft(['plays', 'cancel', playId])).out).toBe(`${playId}\tFAIL\n`);

    const asking = await admin.createFlow({ name: 'Asks' });
    await admin.addLayer(asking.id, { ref: 'ok', appId: 'approval', args: { message: 'Shall I?' } });
    await admin.addLayer(asking.id, { ref: 'sure', appId: 'approval', args: { message: 'Sure?' } });
    const asked = await weft(['run', 'Asks', '--watch']);
    expect(asked.code).toBe(12);
    const [, waiting = ''] = /weft approvals decide (\w+) ok --approve/.exec(asked.err) ?? [];
    expect((await weft(['approvals', 'list'])).out).toMatch(
      new RegExp(`^${waiting}\tok\tAsks\t.*\tyes\tShall I\\?\t\n$`),
    );
    expect((await weft(['approvals', 'decide', waiting, 'ok', '--approve'])).code).toBe(0);
    const again = await weft(['plays', 'watch', waiting]);
    expect(again).toMatchObject({
      code: 12,
      err: expect.stringContaining(`decide ${waiting} sure --approve`) as string,
    });
    expect((await weft(['approvals', 'decide', waiting, 'sure', '--approve'])).code).toBe(0);
    expect((await weft(['plays', 'watch', waiting])).code).toBe(0);

    expect(await weft(['flows', 'list'], { env: { ...ENV, WEFT_TOKEN: 'x.y.z' } })).toMatchObject({ code: 4, out: '' });
    expect(await weft(['flows', 'list'], { env: { PATH: ENV.PATH, HOME: folder } })).toMatchObject({
      code: 4,
      out: '',
    });
    expect((await weft(['flows', 'lst'])).err).toContain('Did you mean list?');
    expect((await weft(['flows', 'lst'])).code).toBe(2);
  });

  it('applies a document: the plan first, nothing twice, secrets stay what they are', async () => {
    const link = await admin.createFlow({ name: 'By document' });
    const args = { url: `${ledger.url}/x`, headers: { authorization: 'Bearer hush' } };
    await admin.addLayer(link.id, { ref: 'fetch', appId: 'web-request', args, timeoutMs: 30_000 });
    await admin.addLayer(link.id, { ref: 'old', appId: 'text-template', args: { template: 'x' } });
    const file = join(folder, 'flow.json');
    expect((await weft(['flows', 'export', 'By document', '-o', file])).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('[left out]');
    expect((await weft(['flows', 'apply', '-f', file])).err).toContain('as it is');

    const document = JSON.parse(readFileSync(file, 'utf8')) as {
      layers: Record<string, unknown>[];
      testCases: object[];
    };
    const [fetched] = document.layers;
    const added = { ref: 'first', appId: 'text-template', args: { template: 'y' } };
    document.layers = [
      added,
      {
        ...fetched,
        timeoutMs: 10_000,
        args: { ...args, url: `${ledger.url}/y`, headers: { authorization: '[left out]' } },
      },
    ];
    document.testCases = [{ name: 'a case', args: { n: 1 }, fixtures: { fetch: { statusCode: 200 } } }];
    writeFileSync(file, JSON.stringify(document));
    const refused = await weft(['flows', 'apply', '-f', file]);
    expect(refused).toMatchObject({ code: 2, out: '' });
    expect(refused.err).toContain('~ layer fetch: timeoutMs 30000 → 10000');
    expect(refused.err).toContain('- layer old');
    const { version } = await admin.must<{ version: number }>(200, 'GET', `/api/v1/flows/${link.id}`);
    const planned = await weft(['flows', 'apply', '-f', file, '--dry-run', '--json']);
    expect(JSON.parse(planned.out)).toMatchObject({
      version,
      created: false,
      changes: expect.arrayContaining(['- layer old', '+ layer first (text-template)']) as string[],
    });
    expect((await weft(['flows', 'apply', '-f', file, '--yes'])).out).toBe(`${link.id}\tBy document\t${version + 1}\n`);
    const layers = await admin.must<{ ref: string; timeoutMs: number; args: object }[]>(
      200,
      'GET',
      `/api/v1/flows/${link.id}/layers`,
    );
    expect(layers.map(({ ref }) => ref)).toEqual(['first', 'fetch']);
    expect(layers[1]).toMatchObject({
      timeoutMs: 10_000,
      args: { url: `${ledger.url}/y`, headers: { authorization: 'Bearer hush' } },
    });
    expect((await weft(['flows', 'apply', '-f', file])).err).toContain('as it is');
    const made = await weft(['flows', 'apply', '-f', file, '--yes', '--json', '--flow', link.id]);
    expect(JSON.parse(made.out)).toMatchObject({ created: false, changes: [] });
    expect((await weft(['flows', 'diff', 'By document', '1'])).out).toContain('layers.first');
    writeFileSync(file, JSON.stringify({ ...document, name: 'Made by document', layers: [added] }));
    expect((await weft(['flows', 'apply', '-f', file, '--yes', '--enable'])).code).toBe(0);
    const byKey = ['flows', 'apply', '-f', file, '--key', 'by-key', '--yes', '--json'];
    expect(JSON.parse((await weft(byKey)).out)).toMatchObject({ version: 1, created: true });
    writeFileSync(file, JSON.stringify({ ...document, name: 'Renamed', layers: [added] }));
    expect(JSON.parse((await weft(byKey)).out)).toMatchObject({ version: 2, created: false, name: 'Renamed' });
    expect(JSON.parse((await weft(['flows', 'get', 'Made by document'])).out)).toMatchObject({ enabled: true });
  });

  it('changes nothing while a document of the folder is refused, and says where it is wrong', async () => {
    const documents = scratchFolder('documents');
    const write = (name: string, layers: object[]) =>
      writeFileSync(join(documents, `${name}.json`), JSON.stringify({ schema: 'weft.flow/1', name, layers }));
    write('a', [{ ref: 'x', appId: 'text-template', args: { template: 'x' } }]);
    write('b', [{ ref: 'x', appId: 'no-such-module' }]);
    write('c', []);
    const { code, out, err } = await weft(['flows', 'apply', '-f', documents, '--yes']);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`${join(documents, 'b.json')} is refused (`);
    expect(err).toContain('document.layers.0.appId');
    expect(err).toContain(`so nothing was changed: ${join(documents, 'b.json')}`);
    write('b', []);
    const rest = await weft(['flows', 'apply', '-f', documents, '--yes']);
    expect([rest.code, rest.err]).toEqual([0, expect.stringMatching(/^\+ flow "a"[^]*^\+ flow "b"/m)]);
    expect(rest.out).toMatch(/^\w+\ta\t1\n\w+\tb\t1\n\w+\tc\t1\n$/);
  });

  it('ends by its signal, and says how to go on with the play; a pipe that is closed ends it quietly', async () => {
    const watching = start(process.execPath, [COMMAND, 'run', flow.id, '--delay', '1h', '--watch'], '');
    await waitFor(() => watching.err().includes('DEFERRED'), { what: 'the play to be shown' });
    watching.program.kill('SIGTERM');
    expect(await watching.ended).toBe(143);
    const [, playId = ''] = /weft plays watch (\w+)/.exec(watching.err()) ?? [];
    expect((await weft(['plays', 'cancel', playId, '--reason', 'not needed'])).code).toBe(0);
    expect((await weft(['plays', 'why', playId])).out).toContain('not needed');
    const args = ['-c', 'set -o pipefail; "$0" "$1" plays list --all | head -n 1', process.execPath, COMMAND];
    const piped = start('bash', args, '');
    expect([await piped.ended, piped.err()]).toEqual([0, '']);
    expect(piped.out().split('\n')).toHaveLength(2);
  });

  it('posts the events of plays to a receiver on this machine, signed', async () => {
    const got: { headers: Record<string, unknown>; body: string }[] = [];
    const receiver = createServer(async (request, response) => {
      got.push({ headers: request.headers, body: String(await buffer(request)) });
      response.writeHead(204).end();
    });
    receiver.listen(0, '127.0.0.1');
    await once(receiver, 'listening');
    onTestFinished(() => void receiver.close());
    const port = (receiver.address() as AddressInfo).port;
    const listening = start(
      process.execPath,
      [COMMAND, 'hooks', 'listen', '--forward-to', `127.0.0.1:${port}`, '--events', 'play.done'],
      '',
    );
    await waitFor(() => listening.err().includes('listening'), { what: 'the command to listen' });
    const { playId } = await admin.run(flow.id, { args: { n: 3 } });
    const delivery = await waitFor(() => got[0], { what: 'the event' });
    const [, secret = ''] = /(whsec_\S+)/.exec(listening.err()) ?? [];
    const event = await verifyWebhook(delivery.body, delivery.headers as Record<string, string>, { secret });
    expect(event).toMatchObject({ type: 'play.done', data: { playId, state: 'DONE', seq: 6 } });
    await waitFor(() => listening.err().includes('204 play.done'), { what: 'the answer' });
    listening.program.kill('SIGINT');
    expect(await listening.ended).toBe(130);
  });

  it('makes and revokes keys, finds what is wrong, and completes words', async () => {
    const made = await weft(['keys', 'create', 'by the command', '--scope', 'api:read', '--expires', '1h']);
    expect(made.out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const reader = { ...ENV, WEFT_TOKEN: made.out.trim() };
    expect((await weft(['keys', 'create', 'more'], { env: reader })).err).toContain('insufficient_scope');
    expect((await weft(['doctor'], { env: reader })).out.match(/^ok/gm)).toHaveLength(5);
    const id = made.err.split(',')[0] ?? '';
    expect((await weft(['keys', 'revoke', id])).code).toBe(0);
    const broken = await weft(['doctor', '--json'], { env: reader });
    expect(broken.code).toBe(1);
    expect(broken.out).toContain('"check":"key","ok":false');
    expect((await weft(['completion', 'bash'])).out).toContain('"flows apply")');
  });
});

describe('weft on a terminal', () => {
  const contexts = join(folder, '.config/weft/contexts.json');
  const env: Env = { PATH: ENV.PATH, HOME: folder, TERM: 'xterm' };

  it('signs in with a key that is neither shown nor in its arguments, and keeps it for its owner only', async () => {
    const login = await onTerminal(
      ['login'],
      [
        ['Address of Weft: ', url],
        ['API key (not shown): ', token],
      ],
      env,
    );
    expect(login.code).toBe(0);
    expect(login.shown).toContain('Signed in as');
    expect(login.shown).not.toContain(token.slice(0, 20));
    expect(statSync(contexts).mode & 0o777).toBe(0o600);
    expect((await weft(['context', 'list'], { env })).out).toContain(`*\t${new URL(url).host}/`);
    expect((await weft(['flows', 'list'], { env: { ...env, WEFT_URL: 'http://127.0.0.1:1' } })).code).toBe(4); // the key is not sent elsewhere
  });

  it('draws the play as a tree, and asks before it changes a flow', async () => {
    const run = await onTerminal(['run', flow.id, '-a', '{"n":5}', '--watch'], [], env);
    expect(run.code).toBe(0);
    expect(run.shown).toContain('├─ \u001b[32m✓ fetch');
    expect(run.shown).toContain('└─ \u001b[32m✓ tell');
    expect(run.shown).toContain('"text": "Play 5 was answered 5."');
    expect(run.shown).not.toContain('\u0007');
    const plain = await onTerminal(['plays', 'list', '-n', '1'], [], { ...env, NO_COLOR: '1' });
    expect(plain.shown).toMatch(/^ID .*STATE/);
    expect(plain.shown).not.toContain('\u001b[3');
    const file = join(folder, 'asked.json');
    writeFileSync(file, JSON.stringify({ schema: 'weft.flow/1', name: 'Asked for' }));
    const no = await onTerminal(['flows', 'apply', '-f', file], [['[y/N]: ', 'n']], env);
    expect(no.code).toBe(1);
    const yes = await onTerminal(['flows', 'apply', '-f', file], [['[y/N]: ', 'y']], env);
    expect(yes.code).toBe(0);
    expect((await weft(['flows', 'get', 'Asked for'], { env })).code).toBe(0);
    expect((await weft(['logout'], { env })).code).toBe(0);
    expect((await weft(['flows', 'list'], { env })).code).toBe(4);
  });
});
