import { createConnection, type ConnectionOptions, type RowDataPacket } from 'mysql2/promise';
import { expect, it } from 'vitest';
import { PRIVATE_CA } from '../private-authority.js';
import { liveMariadb } from './live-mariadb.js';

async function ask(uri: string, text: string, ssl?: ConnectionOptions['ssl']): Promise<unknown> {
  const connection = await createConnection({ uri, disableEval: true, ...(ssl && { ssl }) });
  try {
    return (await connection.query<RowDataPacket[]>(text))[0];
  } finally {
    await connection.end();
  }
}

it('gives each that asks an empty database of one server, which takes nobody without the password', async () => {
  const [one, other] = [await liveMariadb(), await liveMariadb()];
  expect(one.port).toBe(other.port);
  await ask(one.uri, 'create table mine (id int)');
  expect(await ask(one.uri, 'show tables')).toHaveLength(1);
  expect(await ask(other.uri, 'show tables')).toEqual([]);
  expect(await ask(one.uri, 'select user, host from mysql.global_priv')).toEqual([{ user: 'weft', host: '127.0.0.1' }]);
  await expect(ask(one.uri.replace(/:\w+@/, ':guess@'), 'select 1')).rejects.toThrow(/Access denied/);
});

it('offers TLS with a certificate', async () => {
  const { uri } = await liveMariadb();
  const [cipher] = (await ask(uri, "show status like 'Ssl_cipher'", { ca: PRIVATE_CA })) as { Value: string }[];
  expect(cipher?.Value).toMatch(/TLS/);
});
