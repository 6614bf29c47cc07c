import { PEER_EXAMPLE, PRIVATE_CA } from '@weft/testing';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { mongodbUri, redisUri } from './store-uri.js';

const folder = mkdtempSync(join(tmpdir(), 'weft-store-uri-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const ca = file('ca.pem', PRIVATE_CA);
const own = file('own.pem', `${PEER_EXAMPLE.cert}\n${PEER_EXAMPLE.key}`);
const missing = join(folder, 'missing.pem');

describe.each([
  ['MONGODB_URI', mongodbUri, 'mongodb://u:secret@a,b/?replicaSet=rs0&tls=true'],
  ['REDIS_URL', redisUri, 'rediss://:secret@a:6379/?family=4'],
] as const)('%s', (_name, parse, uri) => {
  it('may name the authority and the certificate of TLS', () => {
    const given = `${uri}&tlsCAFile=${ca}&tlsCertificateKeyFile=${own}`;
    expect(parse(given)).toBe(given);
  });

  it.each([
    [`tlsCAFile=${missing}`, 'missing.pem cannot be read (ENOENT)'],
    [`tlsCertificateKeyFile=${ca}`, 'ca.pem has no private key'],
  ])('with %s is refused without its password', (named, said) => {
    expect(() => parse(`${uri}&${named}`)).toThrow(said);
    expect(() => parse(`${uri}&${named}`)).not.toThrow('secret');
  });
});

describe('REDIS_URL', () => {
  it('that names certificates and no TLS is refused', () => {
    expect(() => redisUri(`redis://a/?tlsCAFile=${ca}`)).toThrow('write rediss');
  });

  it('that names several servers is refused', () => {
    expect(() => redisUri('redis://a:1,b:2')).toThrow('write the address of the primary');
  });

  it.each(['redis+sentinel://u:secret@a:1,b/plays?db=1', 'rediss+sentinel://a,b/plays'])(
    'that names Sentinels and their primary is taken: %s',
    (uri) => {
      expect(redisUri(uri)).toBe(uri);
    },
  );

  it.each([
    'redis+cluster://u:secret@a:1,b',
    'rediss+cluster://a',
    `rediss+cluster://a:1/?tlsCAFile=${ca}`,
    `rediss+cluster://a:1,b?tlsCAFile=${ca}`,
  ])('that names servers of a cluster is taken: %s', (uri) => {
    expect(redisUri(uri)).toBe(uri);
  });

  it.each(['redis+cluster://a:1,b/2', 'redis+cluster://a/?db=2'])(
    'that names a database of a cluster is refused: %s',
    (uri) => {
      expect(() => redisUri(uri)).toThrow('which has one alone');
    },
  );

  it.each([
    ['rediss+cluster://a?tlsCAfile=/nope', 'names tlsCAfile, which is unknown'],
    ['redis+cluster://a?sentinelPassword=secret', 'names sentinelPassword, which is unknown'],
    ['redis+sentinel://a,b/plays?sentinelPasword=secret', 'names sentinelPasword, which is unknown'],
    ['redis+cluster://a:99999,b', 'names port 99999'],
    ['redis://a:99999', 'names port 99999'],
    ['redis+sentinel://:se%cret@a/plays', 'has a % without a character'],
    ['redis+cluster://:secret%@a', 'has a % without a character'],
  ])('that nothing could be made of is refused: %s', (uri, said) => {
    expect(() => redisUri(uri)).toThrow(said);
    expect(() => redisUri(uri)).not.toThrow(/secret|se%cret/);
  });

  it.each(['redis+sentinel://u:secret@a:1,b', 'redis+sentinel://a/', 'rediss+sentinel://a?db=1'])(
    'that names Sentinels and no primary is refused: %s',
    (uri) => {
      expect(() => redisUri(uri)).toThrow(/primary|such an address/);
    },
  );
});
