import { describe, expect, it } from 'vitest';
import { Weft } from '../weft.js';

const UPLOADED = { $ref: '/api/v1/payloads/a', bytes: 3 };

function client() {
  const sent: Request[] = [];
  const weft = new Weft({
    url: 'https://weft.example',
    token: 'key',
    fetch: async (request) => {
      sent.push(request);
      return Response.json(UPLOADED, { status: 201 });
    },
  });
  return { weft, sent };
}

describe('files.upload', () => {
  it('sends bytes as they are, with their type and name', async () => {
    const { weft, sent } = client();
    const bytes = new Uint8Array([0, 255, 10]);
    expect(await weft.files.upload(bytes, { filename: 'a b.bin', contentType: 'image/png' })).toEqual(UPLOADED);
    const [request] = sent;
    const { pathname, searchParams } = new URL(request?.url ?? '');
    expect([pathname, searchParams.get('filename')]).toEqual(['/api/v1/payloads', 'a b.bin']);
    expect(request?.headers.get('content-type')).toBe('image/png');
    expect(new Uint8Array((await request?.arrayBuffer()) ?? new ArrayBuffer())).toEqual(bytes);
  });

  it('sends a text as it is, not as JSON, and a blob with its own type', async () => {
    const { weft, sent } = client();
    await weft.files.upload('{"a":1}');
    await weft.files.upload(new Blob(['x'], { type: 'text/csv' }));
    expect(await sent[0]?.text()).toBe('{"a":1}');
    expect(sent.map(({ headers }) => headers.get('content-type'))).toEqual(['application/octet-stream', 'text/csv']);
  });
});
