import pg from 'pg';
import { expect, it } from 'vitest';
import { livePostgres } from './live-postgres.js';
import { PRIVATE_CA } from '../private-authority.js';

async function ask(uri: string, text: string, ssl: pg.ClientConfig['ssl'] = false): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: uri, ssl });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

it('gives each that asks an empty database of one server, which takes nobody without the password', async () => {
  const [one, other] = [await livePostgres(), await livePostgres()];
  expect(one.port).toBe(other.port);
  await ask(one.uri, 'create table mine (id int)');
  const tables = "select count(*)::int as n from pg_tables where schemaname = 'public'";
  expect([await ask(one.uri, tables), await ask(other.uri, tables)]).toEqual([[{ n: 1 }], [{ n: 0 }]]);
  await expect(ask(one.uri.replace(/:\w+@/, ':guess@'), 'select 1')).rejects.toThrow(/password/);
});

it('offers TLS with a certificate', async () => {
  const { uri } = await livePostgres();
  const text = 'select ssl from pg_stat_ssl where pid = pg_backend_pid()';
  expect(await ask(uri, text, { ca: PRIVATE_CA })).toEqual([{ ssl: true }]);
});
