import { createEgressClient } from '@weft/egress';
import { afterAll, expect, it } from 'vitest';
import { withDiscovered } from './discover-openid.js';

const http = createEgressClient({ allow: [] });
afterAll(() => http.close());

it('asks no OpenID server of a document at an address that layers may not call', async () => {
  const addresses = ['http://169.254.169.254/', 'http://127.0.0.1:1/', 'file:///etc/passwd'];
  const schemes = Object.fromEntries(
    addresses.map((openIdConnectUrl, i) => [`s${i}`, { type: 'openIdConnect', openIdConnectUrl }]),
  );
  const found = await withDiscovered(http, schemes, new AbortController().signal);
  expect(found.schemes).toEqual(schemes);
  expect(found.warnings.map(({ reason }) => reason)).toEqual(
    addresses.map(() => expect.stringMatching(/may not be called|only http and https may be called/) as string),
  );
});
