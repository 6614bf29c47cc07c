import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratchFolder } from '@weft/testing';
import { expect, it } from 'vitest';
import { ROOT } from './harness/compose-file.js';
import { sharedFleet, type Fleet } from './harness/fleet.js';

/** Two installations: each has ids of its own. */
const [dev, prod] = [await sharedFleet('standalone'), await sharedFleet()];
const work = scratchFolder('flow-folder');
const COMMAND = join(ROOT, 'libs/client/dist/weft.js');

/** The built command against one of them. */
async function commandOf({ admin, one }: Fleet, app: 'standalone' | 'api') {
  const { token } = await admin.createApiKey({ scope: 'api,admin' });
  const env = { PATH: process.env.PATH, HOME: work, WEFT_URL: one(app).url, WEFT_TOKEN: token };
  return (...args: readonly string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(process.execPath, [COMMAND, 'flows', ...args], { env, cwd: work }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      );
    });
}

const inDev = await commandOf(dev, 'standalone');
const inProd = await commandOf(prod, 'api');

interface Made {
  readonly id: string;
}
interface Shown extends Made {
  readonly version: number;
  readonly name: string;
  readonly layers: readonly { readonly args: Readonly<Record<string, unknown>> }[];
}

async function linkIn({ admin, ledger }: Fleet): Promise<string> {
  const body = { type: 'billing', name: 'Billing', key: 'billing-api', endpoint: ledger.url, access_token: 'xoxb-1' };
  return (await admin.must<Made>(201, 'POST', '/api/v1/integrations', body)).id;
}

async function flowIn({ admin }: Fleet, key: string): Promise<Shown> {
  const { items } = await admin.must<{ items: Made[] }>(200, 'GET', `/api/v1/flows?key=${key}`);
  return admin.must<Shown>(200, 'GET', `/api/v1/flows/${items[0]?.id}`);
}

const text = (name: string) => readFileSync(join(work, 'flows', name), 'utf8');
const document = (name: string) => JSON.parse(text(name)) as Record<string, unknown>;
const write = (name: string, value: object) => writeFileSync(join(work, 'flows', name), JSON.stringify(value));

it('goes from one installation to another by keys and variables, and never over the changes of others', async () => {
  const links = { dev: await linkIn(dev), prod: await linkIn(prod) };
  const called = await dev.admin.must<Made>(201, 'POST', '/api/v1/flows', {
    name: 'Charge',
    key: 'charge',
    layers: [
      {
        ref: 'call',
        appId: 'web-request',
        args: { url: '{{ $prev.args.url }}', auth: { integrationId: 'billing-api' }, method: 'POST' },
      },
    ],
  });
  const layers = [
    {
      ref: 'charge',
      appId: 'run-flow',
      args: { flow: 'charge', args: { url: 'https://{{ $blueprint.host }}/charges' } },
    },
    { ref: 'note', appId: 'text-template', args: { template: '{{ $blueprint.note }}' } },
  ];
  const path = '/api/v1/flows';
  const intake = await dev.admin.must<Made>(201, 'POST', path, { name: 'Intake', key: 'a-intake', layers });
  const blueprintVars = { host: 'dev.example', note: 'dev' };
  await dev.admin.must(200, 'PATCH', `${path}/${intake.id}`, { blueprintVars });

  // dev → folder
  const pulled = await inDev('pull', 'flows');
  expect(pulled).toMatchObject({ code: 0, out: 'flows/a-intake.json\nflows/charge.json\n' });
  expect(document('charge.json')).toMatchObject({ layers: [{ args: { auth: { integrationId: 'billing-api' } } }] });
  expect(document('a-intake.json')).toMatchObject({ blueprintVars, layers: [{ args: { flowId: 'charge' } }, {}] });
  const before = ['a-intake.json', 'charge.json', 'weft.lock.json'].map(text);
  expect((await inDev('pull', 'flows')).out).toBe('');
  expect(['a-intake.json', 'charge.json', 'weft.lock.json'].map(text)).toEqual(before);
  expect((await inDev('apply', '-f', 'flows')).err).toMatch(/Intake.*as it is[^]*Charge.*as it is/);

  // folder → prod: other ids, other values; what is run is made first
  mkdirSync(join(work, 'vars'));
  writeFileSync(join(work, 'vars/prod.json'), JSON.stringify({ host: 'prod.example', note: 'hush' }));
  const apply = ['apply', '-f', 'flows', '--vars', 'vars/prod.json', '--yes'];
  const applied = await inProd(...apply);
  expect([applied.code, applied.out]).toEqual([0, expect.stringMatching(/^\w+\tCharge\t1\n\w+\tIntake\t1\n$/)]);
  expect((await flowIn(prod, 'charge')).layers[0]?.args.auth).toEqual({ integrationId: links.prod });
  const charge = await flowIn(prod, 'charge');
  expect(charge.id).not.toBe(called.id);
  expect((await flowIn(prod, 'a-intake')).layers[0]?.args.flowId).toBe(charge.id);
  const inPlace = await inProd('export', 'Intake');
  expect(JSON.parse(inPlace.out)).toMatchObject({ blueprintVars: { host: 'prod.example', note: 'hush' } });
  expect((await inProd(...apply)).err).toMatch(/Charge.*as it is/);
  expect(['a-intake.json', 'charge.json'].map(text)).toEqual(before.slice(0, 2));
  expect(Object.keys(document('weft.lock.json').environments as object)).toHaveLength(2);

  // enabling is not a change of what the folder says
  await prod.admin.must(200, 'PATCH', `${path}/${charge.id}`, { enabled: true });
  write('charge.json', { ...document('charge.json'), description: 'by folder' });
  expect((await inProd(...apply)).code).toBe(0);
  expect((await inDev('pull', 'flows')).err).toContain('charge.json: has changes that were not applied\n');

  // somebody changes the flow in prod
  await prod.admin.must(200, 'PATCH', `${path}/${charge.id}`, { description: 'by hand' });
  write('charge.json', { ...document('charge.json'), category: 'Money' });
  const { version } = await flowIn(prod, 'charge');
  const diff = await inProd('diff', '-f', 'flows', '--vars', 'vars/prod.json');
  expect([diff.code, diff.out]).toEqual([0, '']);
  expect(diff.err).toMatch(/Charge.*changed at the server since flows\/charge\.json was applied or pulled/);
  expect(diff.err).toContain('~ flow: description "by hand" → "by folder"');
  const refused = await inProd(...apply);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toMatch(/nothing was changed: flows\/charge\.json[^]*weft flows pull flows[^]*--force/);
  expect((await flowIn(prod, 'charge')).version).toBe(version);

  // both have changed: nothing is lost without a word
  const pull = ['pull', 'flows', '--vars', 'vars/prod.json'];
  const conflict = await inProd(...pull);
  expect([conflict.code, document('charge.json').category]).toEqual([1, 'Money']);
  expect(conflict.err).toContain('charge.json: has changes that were not applied, and the flow has others');
  expect((await inProd(...pull, '--force')).code).toBe(0);
  expect(document('charge.json')).toMatchObject({ description: 'by hand', category: '' });
  expect(document('a-intake.json')).toMatchObject({ blueprintVars });
  expect((await inProd(...apply)).err).toMatch(/Charge.*as it is/);

  // a flow that is gone is not made again by the way
  await prod.admin.must(204, 'DELETE', `${path}/${charge.id}`);
  expect(await inProd(...apply)).toMatchObject({ code: 1, out: '' });
  const again = await inProd(...apply, '--force');
  expect([again.code, again.out]).toEqual([0, expect.stringMatching(/^\w+\tCharge\t1\n/)]);

  // a change whose note was lost, as by a kill, is as it is
  const lock = document('weft.lock.json');
  write('charge.json', { ...document('charge.json'), description: 'again' });
  expect((await inProd(...apply)).code).toBe(0);
  write('weft.lock.json', lock);
  expect((await inProd(...apply)).err).toMatch(/Charge.*as it is/);
  expect(document('weft.lock.json')).not.toEqual(lock);

  // the values of the environment are shown nowhere
  for (const { out, err } of [applied, diff, refused, conflict, again]) expect(out + err).not.toContain('hush');
  expect(readdirSync(join(work, 'flows'))).toEqual(['a-intake.json', 'charge.json', 'weft.lock.json']);
});

it('gives a flow without a key the one of its file, and says so before', async () => {
  const { id } = await prod.admin.must<Made>(201, 'POST', '/api/v1/flows', { name: 'By name' });
  mkdirSync(join(work, 'named'));
  const fields = { schema: 'weft.flow/1', name: 'By name', layers: [] };
  writeFileSync(join(work, 'named/by-name.json'), JSON.stringify(fields));
  expect((await inProd('apply', '-f', 'named', '--dry-run')).err).toContain('+ flow: key "by-name"');
  expect((await inProd('apply', '-f', 'named', '--yes')).out).toBe(`${id}\tBy name\t2\n`);
  // a file next to a lock is of the folder
  writeFileSync(join(work, 'named/by-name.json'), JSON.stringify({ ...fields, name: 'Renamed' }));
  expect((await inProd('apply', '-f', 'named/by-name.json', '--yes')).out).toBe(`${id}\tRenamed\t3\n`);
  // a copy is another flow
  writeFileSync(join(work, 'named/copy.json'), JSON.stringify({ ...fields, name: 'Renamed' }));
  const { out } = await inProd('apply', '-f', 'named', '--yes');
  expect(out).toMatch(new RegExp(`^${id}\tRenamed\t3\n(?!${id})\\w+\tRenamed\t1\n$`));
});
