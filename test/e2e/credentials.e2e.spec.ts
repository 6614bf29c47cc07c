// Processes of its own: one of them gets another secret.
import { ApiClient, type ApiAnswer } from '@weft/testing';
import mongoose from 'mongoose';
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';

const ROTATED = createHash('sha256').update('the secret after the rotation').digest('hex');
const BEFORE = createHash('sha256').update('weft test enc-key-secret').digest('hex');
/** How long a replica may use a revoked credential (docs/http-api.md §1.8). */
const TRUST_MS = 1_000;

const { admin, of, add, servers } = await startFleet({ apps: ['api', 'api'] });
const replicas = of('api').map(({ url }) => new ApiClient(url));

const codeOf = ({ status, body }: ApiAnswer<unknown>) => `${status} ${(body as { code?: string }).code ?? ''}`.trim();
const me = (client: ApiClient) => client.send('GET', '/api/v1/auth/me');

describe('a key that is revoked', () => {
  it('is refused by every replica, in the words of the contract, while it is in full use', async () => {
    const { id, token } = await admin.createApiKey();
    const used = replicas.map((replica) => replica.withKey(token));
    const answers: { readonly sentAtMs: number; readonly answer: ApiAnswer<unknown> }[] = [];
    let answeredAtMs = Number.POSITIVE_INFINITY;
    const use = async (client: ApiClient): Promise<void> => {
      for (let refused = 0; refused < 20;) {
        const sentAtMs = performance.now();
        const answer = await me(client);
        answers.push({ sentAtMs, answer });
        if (answer.status !== 200) refused += 1;
        // used long enough to be in every cache
        if (answers.length === 40) void revoke();
      }
    };
    const revoke = async () => {
      const answer = await admin.send('DELETE', `/api/v1/admin/api-keys/${id}`);
      answeredAtMs = answer.status === 204 ? performance.now() : Number.NaN;
    };
    await Promise.all([...used, ...used, ...used].map(use));
    expect(answers.filter(({ answer }) => answer.status === 200).length).toBeGreaterThanOrEqual(35);
    expect(answeredAtMs).not.toBeNaN();
    const late = answers.filter(({ sentAtMs }) => sentAtMs > answeredAtMs + TRUST_MS);
    expect(late.filter(({ answer }) => answer.status === 200)).toEqual([]);
    const refused = answers.map(({ answer }) => answer).filter(({ status }) => status !== 200);
    expect(new Set(refused.map(codeOf))).toEqual(new Set(['401 token_revoked']));
    expect(refused[0]?.body).toMatchObject({ reason: 'token revoked' });
  });
});

describe('while the secret rotates', () => {
  it('tokens of the secret before are good at a replica that has both, and new ones only there', async () => {
    const { token } = await admin.createApiKey();
    const rotated = await add('api', { env: { ENC_KEY_SECRET: ROTATED, ENC_KEY_SECRET_PREVIOUS: BEFORE } });
    const there = new ApiClient(rotated.url);
    expect((await me(there.withKey(token))).status).toBe(200);
    const { token: newer } = await admin.at(rotated.url).createApiKey();
    expect((await me(there.withKey(newer))).status).toBe(200);
    expect(codeOf(await me(replicas[0]!.withKey(newer)))).toBe('401 token_invalid');
  });
});

describe('what opens a door', () => {
  it('lies in no collection and no log', async () => {
    const { token } = await admin.createApiKey();
    await me(replicas[1]!.withKey(token));
    await me(replicas[1]!.withKey(`${token}x`));
    const session = await admin.login();
    const sid = session.credentials.cookie?.replace('sid=', '') ?? '';
    expect(sid.length).toBeGreaterThan(40);
    const secrets = [token, token.split('.')[2] ?? '', sid, decodeURIComponent(sid), 'correct horse battery'];

    const client = await mongoose.mongo.MongoClient.connect(servers.mongodbUri, { maxPoolSize: 1 });
    const db = client.db(servers.mongodbDb);
    const collections = await db.listCollections({ type: 'collection' }).toArray();
    const documents = await Promise.all(collections.map(({ name }) => db.collection(name).find().toArray()));
    await client.close();
    const stored = JSON.stringify(documents);
    expect(stored).toContain('api_key_created');
    const written = of('api').map(({ output }) => output());
    expect(written.join('')).toContain('/auth/me');
    for (const secret of secrets) expect([stored, ...written].filter((text) => text.includes(secret))).toEqual([]);
  });
});
