import { describe, expect, it } from 'vitest';
import { client, get, serveTcp } from './local-servers.fixture.js';

/** What is read of an answer with these headers. */
async function answer(headers: readonly string[], status = '200 OK') {
  const paths: string[] = [];
  const origin = await serveTcp((socket) => {
    socket.on('data', (chunk) => {
      paths.push(chunk.toString().split(' ')[1] ?? '');
      const said = paths.length === 1 ? [`HTTP/1.1 ${status}`, ...headers] : ['HTTP/1.1 200 OK'];
      socket.end(Buffer.from([...said, 'content-length: 0', 'connection: close', '', ''].join('\r\n'), 'latin1'));
    });
  });
  return { ...(await client().request(get(`${origin}/`, { maxRedirects: 1 }))), paths };
}

const utf8 = (text: string): string => Buffer.from(text).toString('latin1');

describe('headers of an answer', () => {
  it('are read as UTF-8 where they name files and addresses', async () => {
    const name = 'attachment; filename="Größe Ж.pdf"';
    const { headers } = await answer([`Content-Disposition: ${utf8(name)}`, `ETag: ${utf8('"ü"')}`]);
    expect(headers).toMatchObject({ 'content-disposition': name, etag: utf8('"ü"') });
    expect((await answer(['Link: </caf\xe9>; rel="next"'])).headers.link).toBe('</café>; rel="next"');
  });

  it('lead to the address that the server means', async () => {
    expect((await answer([`Location: ${utf8('/café x?q=Ж')}`], '302 Found')).paths).toEqual([
      '/',
      '/caf%C3%A9%20x?q=%D0%96',
    ]);
  });

  it('that are sent twice are one where they have one value, or joined', async () => {
    const twice = (line: string) => [line, line];
    const { headers } = await answer([
      ...twice('Content-Type: application/json'),
      ...twice('X-A: 1'),
      ...['Content-Disposition: inline', 'Content-Disposition: attachment'],
    ]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': 'inline, attachment',
      'x-a': '1, 1',
    });
    expect((await answer(twice('Location: /x'), '302 Found')).paths).toEqual(['/', '/x']);
  });

  it('have each cookie by itself, too', async () => {
    const lines = ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/', 'b=2; HttpOnly'];
    const { headers, cookies } = await answer(lines.map((line) => `Set-Cookie: ${line}`));
    expect(cookies).toEqual(lines);
    expect(headers['set-cookie']).toBe(lines.join(', '));
    expect(await answer([`Set-Cookie: ${lines[0]}`])).toMatchObject({ cookies: [lines[0]] });
    expect(await answer([])).not.toHaveProperty('cookies');
  });

  it('that end their lines wrongly are refused, with the reason', async () => {
    const origin = await serveTcp((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\ncontent-length: 0\n\n')),
    );
    await expect(client().request(get(origin))).rejects.toMatchObject({
      code: 'connect_failed',
      message: expect.stringMatching(/^what 127\.0\.0\.1:\d+ answered is not valid HTTP/) as string,
    });
  });
});
