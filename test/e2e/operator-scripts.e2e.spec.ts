// Processes of its own: scripts reset the password of their admin and rotate their secrets.
import { ApiClient, processEnv, TEST_ADMIN } from '@weft/testing';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';
import { runScript, type Ran } from './harness/run-script.js';

const NEW_SECRET = createHash('sha256').update('the secret after the rotation').digest('hex');

const { admin, servers, add, one } = await startFleet({ apps: ['api'] });
const env = processEnv(servers);
const { ENC_KEY_SECRET: secret = '' } = env;
const rotated = { ENC_KEY_SECRET: NEW_SECRET, ENC_KEY_SECRET_PREVIOUS: secret };

const reset = (args: readonly string[] = [], more: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  runScript('standalone/src/reset-admin-password.main.js', args, { ...env, ...more });
const rotate = (args: readonly string[], more: Readonly<Record<string, string>>): Promise<Ran> =>
  runScript('standalone/src/rotate-secrets.main.js', args, { ...env, ...more });

describe('an operator who has lost the password', () => {
  it('is given a new one by the script, which ends the sessions and is in the audit log', async () => {
    const thief = await new ApiClient(one('api').url).login();
    const { code, said } = await reset();
    expect([code, said]).toEqual([0, expect.stringContaining(TEST_ADMIN.email)]);
    const password = /the password (\S+) from now on/.exec(said)?.[1] ?? '';
    for (const client of [thief, admin]) {
      await expect.poll(async () => (await client.send('GET', '/api/v1/auth/me')).status).toBe(401);
    }
    const old = await new ApiClient(one('api').url).send('POST', '/api/v1/auth/login', TEST_ADMIN);
    expect(old.status).toBe(401);
    const signedIn = await new ApiClient(one('api').url).login({ email: TEST_ADMIN.email, password });
    const { body } = await signedIn.send<{ items: readonly object[] }>('GET', '/api/v1/audit?action=password_reset');
    expect(body.items).toMatchObject([{ UserID: null, reason: 'npm run admin:reset-password' }]);
    expect((await signedIn.send('GET', '/api/v1/audit/verify')).body).toMatchObject({ ok: true });
  });

  it('is told in a sentence what is wrong, and nothing happens', async () => {
    const unknown = await reset(['nobody@weft.test']);
    expect(unknown).toMatchObject({
      code: 1,
      said: expect.stringContaining(`this installation: ${TEST_ADMIN.email}`) as string,
    });
    const foreign = await reset([], { ENC_KEY_SECRET: NEW_SECRET });
    expect(foreign).toMatchObject({
      code: 1,
      said: expect.stringContaining('is not that of the installation') as string,
    });
    expect(foreign.said).not.toContain('    at ');
  });
});

describe('a change of the secret', () => {
  const starts = async (more: Readonly<Record<string, string>>): Promise<string> => {
    const process = await add('api', { env: more, readyWithinMs: 0 });
    await expect.poll(() => !process.isRunning() || process.output().includes('"ready"')).toBe(true);
    return process.isRunning() ? 'starts' : process.output();
  };

  it('is complete after the script, which lets the new secret stand alone and no other start', async () => {
    expect(await rotate([], rotated)).toMatchObject({ code: 0, said: expect.stringContaining('Done') as string });
    const [alone, before] = await Promise.all([starts({ ENC_KEY_SECRET: NEW_SECRET }), starts({})]);
    expect(alone).toBe('starts');
    expect(before).toMatch(/ENC_KEY_SECRET or ENV_KEY_SALT is not that of the installation/);
  });

  it('is made the installation’s by the script where the one before is lost', async () => {
    expect((await rotate([], {})).code).toBe(1);
    expect((await rotate(['--lost'], {})).said).toContain('Processes start with the present secrets');
    expect((await rotate([], {})).said).not.toContain('is not that of the installation');
  });
});
