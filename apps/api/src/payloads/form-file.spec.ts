import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileOfForm, isForm } from './form-file.js';

const TYPE = 'multipart/form-data; boundary=xyz';

/** The form in pieces of these sizes, the last one as often as it takes. */
async function* arriving(form: Buffer, sizes: readonly number[]): AsyncGenerator<Uint8Array, void> {
  for (let at = 0, i = 0; at < form.length; i += 1) {
    const size = sizes[Math.min(i, sizes.length - 1)] ?? 1;
    yield await Promise.resolve(form.subarray(at, at + size));
    at += size;
  }
}

function formOf(bytes: Buffer | string, disposition = 'form-data; name="file"; filename="a.csv"', more = ''): Buffer {
  const head = `--xyz\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/csv\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(bytes), Buffer.from(`\r\n--xyz${more}--\r\n`)]);
}

async function read(form: Buffer, sizes: readonly number[] = [form.length], type = TYPE) {
  const { bytes, ...file } = await fileOfForm(arriving(form, sizes), type);
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return { ...file, text: Buffer.concat(chunks).toString('latin1') };
}

describe('a form with a file', () => {
  it('gives its bytes, type and name, however they arrive', async () => {
    const content = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .constantFrom('', '\r\n', '\r\n--xy', '\r\n--xy\r\n--xz', '--xyz--', 'a\r\n\r\n--')
        .map((text) => Buffer.from(text)),
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(content, sizes, async (bytes, pieces) => {
        const read_ = await read(formOf(bytes), pieces);
        expect(read_).toEqual({ contentType: 'text/csv', filename: 'a.csv', text: bytes.toString('latin1') });
      }),
    );
  });

  it.each([
    ['form-data; name="file"; filename="gr\u00fc\u00df \\"1\\".csv"', 'gr\u00fc\u00df "1".csv'],
    ['form-data; name=file; filename=a.csv', 'a.csv'],
    ['form-data; filename="%22.csv"; name="file"', '".csv'],
    ['form-data; name="file"; filename=""', undefined],
  ])('reads the name in %s', async (disposition, filename) => {
    expect((await read(formOf('x', disposition))).filename).toBe(filename);
  });

  it.each([
    ['a field that is no file', formOf('x', 'form-data; name="file"'), /one part, a file with the name "file"/],
    ['another name', formOf('x', 'form-data; name="upload"; filename="a"'), /one part, a file with the name "file"/],
    [
      'a second part',
      formOf('x', undefined, '\r\nContent-Disposition: form-data; name="b"\r\n\r\n1\r\n--xyz'),
      /more parts/,
    ],
    ['no end', formOf('x').subarray(0, -12), /ends before its last boundary/],
    ['nothing', Buffer.from(''), /ends before/],
    ['no part', Buffer.alloc(40_000, 'a'), /does not begin with a part/],
  ])('refuses %s', async (_what, form, message) => {
    await expect(read(form)).rejects.toThrow(message);
  });

  it('is told by its type, which must name the boundary', async () => {
    expect([isForm(TYPE), isForm('Multipart/Form-Data;boundary=x'), isForm('text/csv'), isForm(undefined)]).toEqual([
      ...[true, true, false, false],
    ]);
    for (const type of ['multipart/form-data', 'multipart/form-data ', 'multipart/form-data; charset=utf-8']) {
      expect(isForm(type)).toBe(true);
      await expect(read(formOf('x'), [9], type)).rejects.toThrow(/names no boundary/);
    }
    expect((await read(formOf('x'), [9], 'multipart/form-data; boundary="xyz"')).text).toBe('x');
  });
});
