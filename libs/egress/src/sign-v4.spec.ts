import { describe, expect, it } from 'vitest';
import { presigned, sha256Of, withSignature, type SignableRequest } from './sign-v4.js';

/** A request as it is written; headers by their names. */
function request(method: string, url: string, headers: Readonly<Record<string, string>> = {}): SignableRequest {
  const entries = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [name, value]] as const);
  return { method, url, headers: new Map(entries) };
}

function authorizationOf({ headers }: SignableRequest): string {
  return headers.get('authorization')?.[1] ?? '';
}

const SUITE = {
  keys: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  scope: { region: 'us-east-1', service: 'service' },
  nowMs: Date.parse('2015-08-30T12:36:00Z'),
};
const HOST = 'https://example.amazonaws.com';
const UNRESERVED = '-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const TOKEN =
  'AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==';

/** The published suite aws-sig-v4-test-suite: what is signed, and the signature that has to come out. */
describe('the test suite of Signature Version 4', () => {
  const EMPTY_GET = '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31';
  it.each([
    ['get-vanilla', request('GET', `${HOST}/`), 'host;x-amz-date', EMPTY_GET],
    [
      'post-vanilla',
      request('POST', `${HOST}/`),
      'host;x-amz-date',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    ['get-relative-relative', request('GET', `${HOST}/example1/example2/../..`), 'host;x-amz-date', EMPTY_GET],
    ['get-slash', request('GET', `${HOST}//`), 'host;x-amz-date', EMPTY_GET],
    [
      'get-vanilla-query-order-key-case',
      request('GET', `${HOST}/?Param2=value2&Param1=value1`),
      'host;x-amz-date',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'get-unreserved',
      request('GET', `${HOST}/${UNRESERVED}`),
      'host;x-amz-date',
      '07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f',
    ],
    [
      'get-vanilla-utf8-query',
      request('GET', `${HOST}/?ሴ=bar`),
      'host;x-amz-date',
      '2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04',
    ],
    [
      'post-header-key-sort',
      request('POST', `${HOST}/`, { 'My-Header1': 'value1' }),
      'host;my-header1;x-amz-date',
      'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
    ],
    [
      'post-header-value-case',
      request('POST', `${HOST}/`, { 'My-Header1': 'VALUE1' }),
      'host;my-header1;x-amz-date',
      'cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d',
    ],
    [
      'get-header-value-trim',
      request('GET', `${HOST}/`, { 'My-Header1': ' value1', 'My-Header2': ' "a   b   c"' }),
      'host;my-header1;my-header2;x-amz-date',
      'acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736',
    ],
  ])('%s', (_name, given, names, signature) => {
    const { keys, scope, nowMs } = SUITE;
    const signed = withSignature(given, keys, scope, { payloadHash: sha256Of(''), nowMs });
    expect(authorizationOf(signed)).toBe(
      `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    );
    expect(signed.headers.get('x-amz-date')).toEqual(['X-Amz-Date', '20150830T123600Z']);
    expect(signed.headers.has('x-amz-content-sha256')).toBe(false);
  });

  it('post-x-www-form-urlencoded', () => {
    const given = request('POST', `${HOST}/`, { 'Content-Type': 'application/x-www-form-urlencoded' });
    const { keys, scope, nowMs } = SUITE;
    const signed = withSignature(given, keys, scope, { payloadHash: sha256Of('Param1=value1'), nowMs });
    expect(authorizationOf(signed)).toContain(
      'SignedHeaders=content-type;host;x-amz-date, Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    );
  });

  it('post-sts-header-before: a token is sent and signed', () => {
    const { keys, scope, nowMs } = SUITE;
    const withToken = { ...keys, sessionToken: TOKEN };
    const signed = withSignature(request('POST', `${HOST}/`), withToken, scope, { payloadHash: sha256Of(''), nowMs });
    expect(signed.headers.get('x-amz-security-token')?.[1]).toBe(TOKEN);
    expect(authorizationOf(signed)).toContain(
      'SignedHeaders=host;x-amz-date;x-amz-security-token, Signature=85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead',
    );
  });

  it('the example of the General Reference: ListUsers of IAM', () => {
    const type = { 'Content-Type': 'application/x-www-form-urlencoded; charset=utf-8' };
    const given = request('GET', 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08', type);
    const scope = { region: 'us-east-1', service: 'iam' };
    const signed = withSignature(given, SUITE.keys, scope, { payloadHash: sha256Of(''), nowMs: SUITE.nowMs });
    expect(authorizationOf(signed)).toContain(
      'Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    );
  });
});

/** The examples of the API reference of S3: sig-v4-header-based-auth and sigv4-query-string-auth. */
describe('the examples of S3', () => {
  const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' };
  const scope = { region: 'us-east-1', service: 's3' };
  const nowMs = Date.parse('2013-05-24T00:00:00Z');
  const BUCKET = 'https://examplebucket.s3.amazonaws.com';
  const dated = { Date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' };

  it.each([
    [
      request('GET', `${BUCKET}/test.txt`, { Range: 'bytes=0-9' }),
      '',
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      request('PUT', `${BUCKET}/test$file.text`, dated),
      'Welcome to Amazon S3.',
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    [request('GET', `${BUCKET}/?lifecycle`), '', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    [
      request('GET', `${BUCKET}/?max-keys=2&prefix=J`),
      '',
      '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
    ],
  ])('are signed as they are there: %#', (given, body, signature) => {
    const signed = withSignature(given, keys, scope, { payloadHash: sha256Of(body), nowMs });
    expect(authorizationOf(signed)).toContain(`Signature=${signature}`);
    expect(signed.headers.get('x-amz-content-sha256')?.[1]).toBe(sha256Of(body));
  });

  it('have the address that shows its signature', () => {
    const given = request('GET', `${BUCKET}/test.txt`);
    expect(presigned(given, keys, scope, { expiresInSeconds: 86_400, nowMs })).toBe(
      `${BUCKET}/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404`,
    );
  });
});

describe('an address that is signed', () => {
  const sent = (url: string, service = 's3') =>
    withSignature(request('GET', url), SUITE.keys, { region: 'x-1', service }, { payloadHash: '', nowMs: 0 }).url;

  it('is written in one way only (RFC 3986), however it came', () => {
    expect(sent("https://a/b!'()*+ c/%7e%2f%zz/ü?q=a+b&r=(*)&s&t=%c3%bc&u=%2B")).toBe(
      'https://a/b%21%27%28%29%2A%2B%20c/~%2F%25zz/%C3%BC?q=a%20b&r=%28%2A%29&s=&t=%C3%BC&u=%2B',
    );
    expect(sent('https://a:8443')).toBe('https://a:8443/');
  });

  it('has no choice left: signed once more it is the same', () => {
    const once = sent('https://a/%ff%C3%/x y?%=1&&=2&a=b=c');
    expect(sent(once)).toBe(once);
  });

  it('replaces a signature that the request had', () => {
    const given = request('GET', 'https://a/', {
      Authorization: 'other',
      'X-AMZ-DATE': 'old',
      'X-Amz-Security-Token': 't',
    });
    const { headers } = withSignature(given, SUITE.keys, SUITE.scope, { payloadHash: '', nowMs: 0 });
    expect([...headers.keys()].toSorted()).toEqual(['authorization', 'x-amz-date']);
    expect(headers.get('authorization')?.[1]).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/19700101\//);
  });
});
