import { describe, expect, it } from 'vitest';
import { readCurl } from './read-curl';

const argsOf = (text: string) => {
  const read = readCurl(text);
  return read !== null && 'args' in read ? read.args : read;
};
const notesOf = (text: string) => {
  const read = readCurl(text);
  return read !== null && 'notes' in read ? read.notes : read;
};

describe('a curl command', () => {
  it('becomes a request with its query, headers and JSON', () => {
    const text = `curl -sS -X PUT 'https://api.example.com/orders/7?dry=true&tag=a&tag=b%20c' \\
      -H 'Content-Type: application/json' -H "accept: application/json" --data-raw $'{"who":"O\\'Neil"}' --max-time 2.5`;
    expect(argsOf(text)).toEqual({
      url: 'https://api.example.com/orders/7',
      method: 'PUT',
      query: { dry: 'true', tag: ['a', 'b c'] },
      headers: { accept: 'application/json' },
      body: { who: "O'Neil" },
      timeoutMs: 2_500,
    });
  });

  it('is read as curl reads it: -d makes a POST of a form, -G a query, --json both headers', () => {
    expect(argsOf('curl example.com -d a=1 -d b=2')).toEqual({
      ...{ url: 'http://example.com', method: 'POST', body: 'a=1&b=2', bodyType: 'text' },
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(argsOf('curl -G https://example.com/x -d a=1')).toEqual({ url: 'https://example.com/x', query: { a: '1' } });
    expect(argsOf(`curl https://example.com --json '{"a":[1]}'`)).toEqual({
      ...{ url: 'https://example.com', method: 'POST', body: { a: [1] } },
      headers: { accept: 'application/json' },
    });
    expect(argsOf(`curl -F name=Ada -F 'note=a;b' https://example.com`)).toMatchObject({
      ...{ method: 'POST', bodyType: 'multipart' },
      body: [{ name: 'name', content: 'Ada' }, { name: 'note' }],
    });
  });

  it('keeps numbers that JSON.parse would round', () => {
    expect(argsOf(`curl https://example.com --json '{"id":7615917337495251231}'`)).toMatchObject({
      body: '{"id":7615917337495251231}',
    });
  });

  it('ends where the shell begins something else', () => {
    expect(argsOf('curl https://example.com/a?b=c | jq . # first')).toEqual({
      url: 'https://example.com/a',
      query: { b: 'c' },
    });
  });

  it('says what is left out, what is a secret, and what the shell would have filled in', () => {
    expect(notesOf('curl -k --proxy localhost:8080 -u me:pässword https://example.com/$ID')).toEqual([
      'Left out: -k, --proxy.',
      expect.stringContaining('Variables of the shell') as string,
      expect.stringContaining('credential') as string,
    ]);
    expect(argsOf('curl -u me:pässword https://example.com')).toMatchObject({
      headers: { authorization: `Basic ${Buffer.from('me:pässword').toString('base64')}` },
    });
    expect(notesOf('curl https://example.com -d @order.json')).toEqual([
      expect.stringContaining('order.json') as string,
    ]);
    expect(notesOf('curl -sSL --compressed https://example.com')).toEqual([]);
  });

  it('that is none says why', () => {
    expect(readCurl('  ')).toBeNull();
    expect(readCurl('wget https://example.com')).toEqual({ fault: 'A command begins with “curl”, not with “wget”.' });
    expect(readCurl('curl --no-such-thing https://example.com')).toEqual({
      fault: expect.stringContaining('--no-such-thing') as string,
    });
    expect(readCurl('curl')).toEqual({ fault: expect.any(String) as string });
    expect(readCurl(`curl https://example.com -H`)).toEqual({ fault: expect.stringContaining('-H') as string });
  });
});
