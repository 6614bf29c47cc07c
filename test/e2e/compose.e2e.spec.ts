// Processes of its own: docker-compose.yml says how they are started.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { ApiClient, scratchFolder, socketClient } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { CATALOG } from '../../libs/config/src/catalog.js';
import { createAjv, faultsOf } from '../api/json-schema.js';
import { readComposeFile, ROOT } from './harness/compose-file.js';
import { ComposeStandIn } from './harness/compose-stand-in.js';

const { services, ...others } = readComposeFile();
const all = Object.entries(services);
const ours = all.filter(([, { image }]) => image.startsWith('weft:'));

describe('docker-compose.yml', () => {
  it('is a compose file', () => {
    const schema = JSON.parse(readFileSync(`${ROOT}k8s/schemas/compose-spec.json`, 'utf8')) as object;
    expect(faultsOf(createAjv().compile(schema), { services, ...others })).toEqual([]);
  });

  it.each(all)('gives %s a read-only root and no rights that it does not need', (name, service) => {
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
    expect(service.cap_add ?? []).toEqual({ secrets: ['CHOWN'], front: ['NET_BIND_SERVICE'] }[name] ?? []);
    // the image's own user is 10001
    if (!ours.some(([each]) => each === name)) expect(service.user).not.toMatch(/^(0|root)/);
    for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('publishes one address, and its databases reach nobody', () => {
    expect(all.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['front']);
    for (const name of ['mongo', 'valkey']) expect(services[name]?.networks).toEqual(['stores']);
    expect(others).toMatchObject({ networks: { stores: { internal: true } } });
  });

  it('sets only settings of the catalogue, secrets as files', () => {
    const known = Object.values(CATALOG).map((entry) => ('secret' in entry ? `${entry.env}_FILE` : entry.env));
    for (const [, { environment = {} }] of ours)
      expect(known).toEqual(expect.arrayContaining(Object.keys(environment)));
  });
});

describe('the commands of docker-compose.yml', async () => {
  const standIn = await ComposeStandIn.open();

  it('print a login and a command, which signs in and runs a flow through the one address', async () => {
    expect(await standIn.run('secrets')).toContain('were made');
    await standIn.start('valkey');
    await standIn.startHealthy('mongo');
    await Promise.all(['api', 'worker', 'realtime', 'scheduler'].map((name) => standIn.startHealthy(name)));
    await standIn.startHealthy('front');
    const said = await standIn.run('welcome');

    const command = said.split('\n').find((line) => line.startsWith('curl ')) ?? '';
    const { stdout } = await promisify(execFile)('bash', ['-ec', command], { cwd: scratchFolder('jar') });
    const outcome = JSON.parse(stdout.slice(stdout.lastIndexOf('{"playId"'))) as { playId: string };
    expect(outcome).toMatchObject({ state: 'DONE', out: { text: 'Hello world!' } });

    const [, url = ''] = /address {2}(\S+)/.exec(said) ?? [];
    const [, email = '', password = ''] = /login {4}(\S+) {3}password (\S+)/.exec(said) ?? [];
    const person = await new ApiClient(url).login({ email, password });
    const socket = socketClient(`${url}/ws/plays/${outcome.playId}`, { headers: person.credentials });
    await socket.waitForFrame(({ type }) => type === 'play_complete');
    expect((await person.send('GET', '/metrics')).status).toBe(404);

    // a second `docker compose up`
    expect(await standIn.run('secrets')).toContain('keeps');
    expect(await standIn.run('welcome')).toBe(said);
    const changed = await person.send('POST', '/api/v1/auth/password', {
      current_password: password,
      new_password: 'another password of the first admin',
    });
    expect(changed.status).toBe(204);
    const later = await standIn.run('welcome');
    expect(later).toContain(`${email}, whose first password was changed`);
    expect(later).not.toContain(password);
  });
});
