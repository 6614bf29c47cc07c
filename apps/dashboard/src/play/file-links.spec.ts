import { describe, expect, it } from 'vitest';
import { filesIn } from './file-links';

const file = (n: number) => ({
  ...{ $ref: `/api/v1/payloads/${String(n).padStart(24, '0')}`, bytes: 3, contentType: 'a/b', sha256: '' },
  filename: null,
});

describe('filesIn', () => {
  it('finds each file of an output once', () => {
    expect(filesIn({ body: file(1), items: [{ out: file(2) }, file(1)] })).toEqual([file(1), file(2)]);
  });

  it('takes nothing else for a file: no other address becomes a link', () => {
    const others = ['javascript:alert(1)', '//evil.example/x', '/api/v1/payloads/../../x', '/api/v1/plays/p'];
    expect(filesIn([null, 'x', ...others.map(($ref) => ({ ...file(1), $ref })), { $ref: file(1).$ref }])).toEqual([]);
  });

  it('offers a bounded number', () => {
    expect(filesIn(Array.from({ length: 100 }, (_, n) => file(n)))).toHaveLength(20);
  });
});
