import type { LinkKind } from '@weft/shapes';
import { Mongo, SystemScope, TenantScope } from '@weft/store';
import {
  ensureIndexes,
  INTEGRATIONS,
  IntegrationRepository,
  TokenRecords,
  type IntegrationDocument,
} from '@weft/records';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { SecretBox } from '../secrets/secret-box.js';
import { FreshTokens, TokenUnusable } from './fresh-tokens.js';
import { OidcFailure, type IssuedTokens, type IdentityProvider } from './identity-provider.js';
import { IntegrationTokens } from './integration-tokens.js';
import { openRefreshToken, sealTokens } from './stored-tokens.js';
import type { OAuthClient } from './token-endpoint.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const links = mongo.collection<IntegrationDocument>(INTEGRATIONS);
const records = new TokenRecords(mongo, INTEGRATIONS);
const secrets = new SecretBox({ encKeySecret: 'a'.repeat(64), encKeySecretPrevious: [], envKeySalt: '5'.repeat(64) });
const provider = { id: 'idp', name: 'ID', issuer: 'https://id.example' } as IdentityProvider;
const MINUTE = 60_000;
const SCOPE = new SystemScope('spec');
const START = Date.UTC(2026, 0, 1);

/** Replicas of a process on one clock, and a provider that counts. */
function setUp(
  answer: (refreshToken: string) => IssuedTokens | Error | Promise<IssuedTokens> = (token) => given(`${token}+`),
) {
  const state = { now: START, asked: [] as string[], clients: [] as OAuthClient[], issuer: provider.issuer };
  const oidc = {
    refresh: async (_provider: IdentityProvider, refreshToken: string) => {
      state.asked.push(refreshToken);
      await records.find(SCOPE, 'nobody'); // takes a turn, as a provider does
      const said = await answer(refreshToken);
      if (said instanceof Error) throw said;
      return said;
    },
  };
  const endpoint = {
    refresh: (client: OAuthClient, refreshToken: string) => {
      state.clients.push(client);
      return oidc.refresh(provider, refreshToken);
    },
    assumeRole: () => Promise.reject(new Error('no link here has a role')),
    clientCredentials: (client: OAuthClient, scopes: readonly string[]) => {
      state.clients.push(client);
      return oidc.refresh(provider, scopes.join(' '));
    },
  };
  const replica = (processTag: string) =>
    new FreshTokens({
      records,
      secrets,
      providers: { find: async () => ({ ...provider, issuer: state.issuer }) },
      oidc,
      endpoint,
      serverNow: () => state.now,
      processTag,
    });
  return { state, replica };
}

function given(name: string, lifeMs: number | null = 60 * MINUTE): IssuedTokens {
  const expiresAt = lifeMs === null ? null : new Date(START + lifeMs);
  return { accessToken: `access ${name}`, refreshToken: name, expiresAt, scopes: ['a'] };
}

async function store(tokens: IssuedTokens, id = 'link1', companyId = 'c1'): Promise<IntegrationDocument> {
  const link: IntegrationDocument = {
    _id: id,
    CompanyID: companyId,
    UserID: 'u1',
    Endpoint: 'https://api.example.com/v1',
    IntegrationType: 'idp',
    Name: 'Link',
    ...sealTokens(secrets, { companyId, collection: INTEGRATIONS, recordId: id }, tokens, START),
    Scopes: tokens.scopes,
    ProviderID: 'idp',
    Issuer: provider.issuer,
    RefreshBy: null,
    RefreshLease: null,
    ProviderUserID: null,
    ProviderUserEmail: null,
    CreatedAt: new Date(START),
    UpdatedAt: new Date(START),
  };
  await links.insertOne(link);
  return link;
}

/** A link with a client of its own, whose secret is `s`. */
async function storeClient(Kind: LinkKind, refreshToken: string | null): Promise<IntegrationDocument> {
  const link = await store({ ...given('none', 0), refreshToken }, 'link2');
  const place = { companyId: 'c1', collection: INTEGRATIONS, recordId: 'link2', field: 'ClientSecret' };
  const fields = {
    ...{ Kind, ProviderID: null, Issuer: null, RefreshAt: new Date(START), Scopes: ['a', 'b'] },
    ...{ Settings: { token_url: 'https://as.example/token', client_id: 'id' }, ClientSecret: secrets.seal(place, 's') },
  };
  await links.updateOne({ _id: 'link2' }, { $set: fields });
  return { ...link, ...fields };
}

beforeEach(() => links.deleteMany({}));

describe('a token of a link with a client of its own', () => {
  const client = { settings: { token_url: 'https://as.example/token', client_id: 'id' }, secret: 's' };
  const issued = { accessToken: 'access', refreshToken: null, expiresAt: new Date(START + 60 * MINUTE), scopes: ['a'] };

  it('is fetched when it is used, by one process for all, and again before it ends', async () => {
    const { state, replica } = setUp(() => ({ ...issued, expiresAt: new Date(state.now + 60 * MINUTE) }));
    const link = await storeClient('oauth2_client_credentials', null);
    const tokens = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((tag) => replica(tag).accessToken(link)));
    expect(new Set(tokens)).toEqual(new Set(['access']));
    expect(state).toMatchObject({ asked: ['a b'], clients: [client] });
    state.now += 56 * MINUTE;
    // nobody uses it, so nobody asks for it
    expect(await replica('a').refreshDue(10, () => undefined)).toBe(0);
    await replica('a').accessToken((await links.findOne({ _id: 'link2' }))!);
    // what the server granted does not replace what the link asks for
    expect(state.asked).toEqual(['a b', 'a b']);
    expect(await links.findOne({ _id: 'link2' })).toMatchObject({ Scopes: ['a', 'b'] });
  });

  it('says what its server refuses, and is asked for again later', async () => {
    const { state, replica } = setUp(() =>
      state.asked.length === 1 ? new OidcFailure('invalid_response', 'invalid_client') : issued,
    );
    const link = await storeClient('oauth2_client_credentials', null);
    const use = async () => replica('a').accessToken((await links.findOne({ _id: link._id }))!);
    for (let i = 0; i < 3; i += 1) await expect(use()).rejects.toThrow('gives it no token: invalid_client');
    expect(state.asked).toHaveLength(1);
    state.now += 5 * MINUTE;
    expect(await use()).toBe('access');
  });

  it('is refreshed where the consent came from, and needs another consent when that is refused', async () => {
    const { state, replica } = setUp((token) =>
      token === 'r1' ? { ...issued, refreshToken: 'r2' } : new OidcFailure('refresh_refused', 'invalid_grant'),
    );
    const link = await storeClient('oauth2', 'r1');
    expect(await replica('a').accessToken(link)).toBe('access');
    state.now += 61 * MINUTE;
    const later = (await links.findOne({ _id: link._id }))!;
    await expect(replica('a').accessToken(later)).rejects.toThrow('connect it again');
    expect(state).toMatchObject({ asked: ['r1', 'r2'], clients: [client, client] });
    expect(later.Scopes).toEqual(['a', 'b']);
  });
});

describe('an access token', () => {
  it('is the stored one until a refresh is due, five minutes before its end', async () => {
    const { state, replica } = setUp();
    const link = await store(given('r1'));
    state.now = START + 54 * MINUTE;
    expect(await replica('a').accessToken(link)).toBe('access r1');
    state.now = START + 55 * MINUTE;
    expect(await replica('a').accessToken(link)).toBe('access r1+');
    expect(state.asked).toEqual(['r1']);
  });

  it('is refreshed by one process at a time, and all get the new one', async () => {
    const { state, replica } = setUp(() => given('the second', 120 * MINUTE));
    const link = await store(given('r1'));
    state.now = START + 61 * MINUTE;
    const tokens = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((tag) => replica(tag).accessToken(link)));
    expect(new Set(tokens)).toEqual(new Set(['access the second']));
    expect(state.asked).toEqual(['r1']);
    const stored = (await links.findOne({ _id: 'link1' }))!;
    expect(openRefreshToken(secrets, INTEGRATIONS, stored)).toBe('the second');
    expect(stored).toMatchObject({ RefreshBy: null, RefreshLease: null });
    // words that no ciphertext can have by chance
    expect(JSON.stringify(stored)).not.toMatch(/the second|access/);
  });

  it('is not lost when the store is away just as the provider has answered', async () => {
    const { state, replica } = setUp();
    const link = await store(given('r1'));
    state.now = START + 55 * MINUTE;
    const away = vi.spyOn(records, 'endLease').mockRejectedValueOnce(new Error('no primary'));
    expect(await replica('a').accessToken(link)).toBe('access r1+');
    expect(away).toHaveBeenCalledTimes(2);
    away.mockRestore();
    expect(state.asked).toEqual(['r1']);
  });

  it('is the old one for the others, while that one lasts', async () => {
    const { state, replica } = setUp();
    const link = await store(given('r1'));
    state.now = START + 56 * MINUTE;
    await records.lease(SCOPE, 'link1', 'other', new Date(state.now), new Date(state.now + MINUTE));
    expect(await replica('a').accessToken(link)).toBe('access r1');
    state.now += MINUTE; // the other one died: its lease has ended
    expect(await replica('a').accessToken(link)).toBe('access r1+');
  });

  it('does not come from a refresh that a newer connection overtook', async () => {
    const newer = given('newer', 600 * MINUTE);
    const sealed = sealTokens(secrets, { companyId: 'c1', collection: INTEGRATIONS, recordId: 'link1' }, newer, START);
    const { state, replica } = setUp();
    const link = await store(given('r1'));
    state.now = START + 56 * MINUTE;
    const leased = await records.lease(SCOPE, 'link1', 'slow', new Date(state.now), new Date(state.now + MINUTE));
    expect(leased).not.toBeNull();
    await links.updateOne({ _id: 'link1' }, { $set: { ...sealed, RefreshBy: null, RefreshLease: null } });
    expect(await records.endLease(SCOPE, 'link1', 'slow', { AccessToken: 'stale' })).toBe(false);
    expect(await replica('a').accessToken((await links.findOne({ _id: link._id }))!)).toBe('access newer');
  });

  it('lasts as long as the provider is away, and no longer', async () => {
    const { state, replica } = setUp(() => new OidcFailure('provider_unavailable', 'away'));
    const link = await store(given('r1'));
    state.now = START + 56 * MINUTE;
    expect(await replica('a').accessToken(link)).toBe('access r1');
    state.now = START + 61 * MINUTE;
    await expect(replica('a').accessToken((await links.findOne({}))!)).rejects.toThrow(TokenUnusable);
    expect(state.asked).toHaveLength(2);
    await expect(replica('a').accessToken((await links.findOne({}))!)).rejects.toThrow(TokenUnusable);
    expect(state.asked).toHaveLength(2);
  });

  it('is not asked for again where the provider refused for good', async () => {
    const { state, replica } = setUp(() => new OidcFailure('refresh_refused', 'invalid_grant'));
    await store(given('r1'));
    state.now = START + 61 * MINUTE;
    await expect(replica('a').accessToken((await links.findOne({}))!)).rejects.toThrow(/connect it again/);
    await expect(replica('a').accessToken((await links.findOne({}))!)).rejects.toThrow(/connect it again/);
    expect(state.asked).toEqual(['r1']);
  });

  it('is shown to no other issuer that took over the entry of its provider', async () => {
    const { state, replica } = setUp();
    await store(given('r1'));
    state.now = START + 61 * MINUTE;
    state.issuer = 'https://evil.example';
    await expect(replica('a').accessToken((await links.findOne({}))!)).rejects.toThrow(TokenUnusable);
    expect(state.asked).toEqual([]);
  });

  it('of no known end is refreshed each hour, and used while that fails', async () => {
    const { state, replica } = setUp((token) =>
      token === 'r1' ? given('r2', null) : new OidcFailure('refresh_refused', 'invalid_grant'),
    );
    await store(given('r1', null));
    const use = async () => replica('a').accessToken((await links.findOne({}))!);
    state.now = START + 54 * MINUTE;
    expect(await use()).toBe('access r1');
    state.now = START + 55 * MINUTE;
    expect(await use()).toBe('access r2');
    state.now = START + 120 * MINUTE;
    expect(await use()).toBe('access r2');
    expect(state.asked).toEqual(['r1', 'r2']);
  });

  it('without a refresh token is used as it is', async () => {
    const { state, replica } = setUp();
    const endless = await store({ ...given('r1', null), refreshToken: null }, 'endless');
    const fixed = await store({ ...given('r2'), refreshToken: null }, 'fixed');
    state.now = START + 59 * MINUTE;
    expect(await replica('a').accessToken(endless)).toBe('access r1');
    expect(await replica('a').accessToken(fixed)).toBe('access r2');
    state.now = START + 60 * MINUTE;
    await expect(replica('a').accessToken(fixed)).rejects.toThrow(TokenUnusable);
    expect(state.asked).toEqual([]);
  });

  it('that was moved to another record does not open', async () => {
    const { replica } = setUp();
    const [mine, theirs] = [await store(given('r1'), 'mine'), await store(given('r2'), 'theirs')];
    await expect(replica('a').accessToken({ ...mine, AccessToken: theirs.AccessToken })).rejects.toThrow(
      /cannot be read/,
    );
    await expect(replica('a').accessToken({ ...mine, CompanyID: 'c2' })).rejects.toThrow(/cannot be read/);
  });
});

describe('a token that a peer has refused', () => {
  const endless = (name: string) => given(name, null);

  it('is renewed once for all processes, before its end', async () => {
    const { state, replica } = setUp(() => endless('r2'));
    const link = await store(given('r1'));
    const renewed = await Promise.all(['a', 'b', 'c', 'c', 'c'].map((tag) => replica(tag).renewed(link, 'access r1')));
    expect(new Set(renewed)).toEqual(new Set(['access r2']));
    expect(state.asked).toEqual(['r1']);
    // whoever still has the old one gets the new one
    expect(await replica('d').renewed((await links.findOne({}))!, 'access r1')).toBe('access r2');
    expect(state.asked).toEqual(['r1']);
  });

  it('is renewed without consent where none is needed', async () => {
    const issued = { accessToken: 'access', refreshToken: null, expiresAt: null, scopes: [] };
    const { state, replica } = setUp(() => ({ ...issued, accessToken: `access ${state.asked.length}` }));
    const one = replica('a');
    expect(await one.accessToken(await storeClient('oauth2_client_credentials', null))).toBe('access 1');
    const read = async () => (await links.findOne({ _id: 'link2' }))!;
    expect(await one.renewed(await read(), 'access 1')).toBe('access 2');
    expect(state.asked).toHaveLength(2);
  });

  it('stays when the new one is refused at once: another one would be, too', async () => {
    const { state, replica } = setUp();
    await store(given('r1'));
    const one = replica('a');
    const renew = async (refused: string) => one.renewed((await links.findOne({}))!, refused);
    expect(await renew('access r1')).toBe('access r1+');
    expect(await renew('access r1+')).toBeNull();
    state.now += 10_000;
    expect(await renew('access r1+')).toBe('access r1++');
    expect(state.asked).toEqual(['r1', 'r1+']);
  });

  it('stays when its server gives no other, and is used by those that it serves', async () => {
    const { state, replica } = setUp(() => new OidcFailure('provider_unavailable', 'away'));
    const link = await store(given('r1'));
    expect(await replica('a').renewed(link, 'access r1')).toBeNull();
    expect(await replica('a').accessToken((await links.findOne({}))!)).toBe('access r1');
    const fixed = await store({ ...given('r2'), refreshToken: null }, 'fixed');
    expect(await replica('a').renewed(fixed, 'access r2')).toBeNull();
    expect(state.asked).toEqual(['r1']);
  });

  it('is not what a link gives any more', async () => {
    const tokens = new IntegrationTokens(mongo, setUp().replica('a'));
    await store(given('r1'));
    expect(await tokens.find('c1', 'link1')).toMatchObject({ secret: 'access r1' });
    expect(await tokens.renewed('c2', 'link1', 'access r1')).toBeNull();
    expect(await tokens.renewed('c1', 'link1', 'access r1')).toMatchObject({ kind: 'bearer', secret: 'access r1+' });
    expect(await tokens.find('c1', 'link1')).toMatchObject({ secret: 'access r1+' });
  });
});

describe('a pass over all tokens', () => {
  it('refreshes what is due and tells of what could not be', async () => {
    const { state, replica } = setUp((token) =>
      token === 'bad' ? new OidcFailure('refresh_refused', 'invalid_grant') : given('next', 600 * MINUTE),
    );
    await store(given('good'), 'link1');
    await store(given('bad'), 'link2');
    await store(given('later', 300 * MINUTE), 'link3');
    state.now = START + 58 * MINUTE;
    const faults: string[] = [];
    const passes = await Promise.all(['a', 'b'].map((tag) => replica(tag).refreshDue(10, (id) => faults.push(id))));
    expect(passes[0]! + passes[1]!).toBe(1);
    expect(faults).toEqual(['link2']);
    expect(state.asked.toSorted()).toEqual(['bad', 'good']);
  });

  it('is not held up by the slow servers of one company, of which it asks few at a time', async () => {
    const next = given('next', 600 * MINUTE);
    const slow: (() => void)[] = [];
    let quick = 0;
    for (let i = 0; i < 12; i += 1) await store(given(`slow${i}`), `slow${i}`);
    for (let i = 0; i < 8; i += 1) await store(given(`quick${i}`, 61 * MINUTE), `quick${i}`, `c${2 + (i % 2)}`);
    const { state, replica } = setUp((token) => {
      if (token.startsWith('slow')) return new Promise((resolve) => slow.push(() => resolve(next)));
      quick += 1;
      return next;
    });
    state.now = START + 58 * MINUTE;
    const pass = replica('a').refreshDue(100, (id, error) => expect.fail(`${id}: ${String(error)}`));
    await expect.poll(() => quick).toBe(8);
    await expect.poll(() => slow).toHaveLength(4);
    expect(state.asked.filter((token) => token.startsWith('slow'))).toHaveLength(4);
    for (let done = 0; done < 12; done += 1) {
      await expect.poll(() => slow.length).toBeGreaterThan(done);
      expect(slow.length - done).toBeLessThanOrEqual(4);
      slow[done]!();
    }
    expect(await pass).toBe(20);
  });

  it('has tokens of each company, however many of one are due for longer, and ends while slow ones are left', async () => {
    const next = given('next', 600 * MINUTE);
    const slow: (() => void)[] = [];
    for (let i = 0; i < 12; i += 1) await store(given(`slow${i}`), `slow${i}`);
    for (const company of ['c2', 'c3']) await store(given(`quick ${company}`, 61 * MINUTE), company, company);
    const { state, replica } = setUp((token) =>
      token.startsWith('slow') ? new Promise((resolve) => slow.push(() => resolve(next))) : next,
    );
    state.now = START + 58 * MINUTE;
    const pass = replica('a').refreshDue(8, (id, error) => expect.fail(`${id}: ${String(error)}`));
    await expect.poll(() => slow).toHaveLength(4);
    await expect.poll(() => state.asked).toHaveLength(6);
    expect(state.asked.filter((token) => token.startsWith('quick')).toSorted()).toEqual(['quick c2', 'quick c3']);
    state.now += 20_000;
    for (const end of slow) end();
    expect(await pass).toBe(6);
    expect(state.asked).toHaveLength(6);
  });

  it('goes on with the others when the store fails for one, and says so', async () => {
    const { state, replica } = setUp(() => given('next', 600 * MINUTE));
    for (const id of ['a', 'b', 'c']) await store(given(id), id);
    state.now = START + 58 * MINUTE;
    const away = vi.spyOn(records, 'lease').mockRejectedValueOnce(new Error('no primary'));
    await expect(replica('a').refreshDue(10, () => undefined)).rejects.toThrow('no primary');
    away.mockRestore();
    expect(state.asked).toHaveLength(2);
  });
});

describe('the token of a link', () => {
  it('comes with how it is shown: as a bearer token, for an account at a provider', async () => {
    const tokens = new IntegrationTokens(mongo, setUp().replica('a'));
    await store(given('r1'));
    await store(given('r2'), 'link2');
    const fields = { Kind: 'header', Settings: { header: 'X-Key' } } as const;
    await links.updateOne({ _id: 'link2' }, { $set: fields });
    expect(await tokens.find('c1', 'link1')).toMatchObject({ kind: 'bearer', settings: {}, secret: 'access r1' });
    expect(await tokens.find('c1', 'link2')).toMatchObject({ kind: 'header', settings: fields.Settings });
  });

  it('is given to its own company alone', async () => {
    const link = await store(given('r1'));
    const tokens = new IntegrationTokens(mongo, setUp().replica('a'));
    const { IntegrationType: type, Endpoint: endpoint } = link;
    expect(await tokens.find('c1', link._id)).toMatchObject({ type, endpoint, secret: 'access r1' });
    expect(await tokens.find('c2', link._id)).toBeNull();
    expect(await tokens.find('c1', 'nobody')).toBeNull();
    expect(await new IntegrationRepository(mongo).find(new TenantScope('c2'), link._id)).toBeNull();
  });
});
