import { createEgressClient } from '@weft/egress';
import { afterAll, expect, it } from 'vitest';
import { assumeRole } from './assume-role.js';
import { discoverAuthorization } from './discover-authorization.js';
import { TokenEndpoint } from './token-endpoint.js';

const http = createEgressClient({ allow: [] });
afterAll(() => http.close());

const client = { client_id: 'https://weft.example/oauth/client.json', client_name: 'Weft' } as never;
const role = { id: 'l', companyId: 'c', settings: { region: 'eu-west-1', role_arn: 'arn' }, keys: '{}' };

it.each(['http://169.254.169.254/latest', 'http://127.0.0.1:1/', 'http://[fd00:ec2::254]/'])(
  'nothing is asked at %s for tokens, for keys of a role, or who gives tokens',
  async (url) => {
    const blocked = { code: 'provider_unavailable', message: expect.stringContaining('may not be called') as string };
    const asked = new TokenEndpoint(http, () => 0);
    const settings = { token_url: url, client_id: 'id' };
    await expect(asked.clientCredentials({ settings, secret: 's' }, [])).rejects.toMatchObject(blocked);
    await expect(assumeRole(http, { ...role, endpoint: url })).rejects.toMatchObject(blocked);
    await expect(discoverAuthorization(http, url, client, () => null)).rejects.toMatchObject(blocked);
  },
);
