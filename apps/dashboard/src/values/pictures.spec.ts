import { describe, expect, it } from 'vitest';
import { pictureOf, pictureType, picturesIn } from './pictures';

describe('pictures', () => {
  it('are known by their type, whatever else it says', () => {
    expect(['image/PNG', 'image/svg+xml; charset=utf-8'].map(pictureType)).toEqual(['image/png', 'image/svg+xml']);
    expect(['text/html', 'image/x" onerror="', '', null, 7].map(pictureType)).toEqual([null, null, null, null, null]);
  });

  it('are files, and bodies in base64', () => {
    const file = { $ref: '/f', bytes: 5, contentType: 'image/png', filename: null, sha256: '' };
    expect(picturesIn([file, { ...file, contentType: 'text/csv' }, { ...file, bytes: 20_000_000 }])).toEqual([file]);
    const out = { body: 'aGk=', bodyEncoding: 'base64', headers: { 'content-type': 'image/gif' } };
    expect(pictureOf(out)).toBe('data:image/gif;base64,aGk=');
    expect(pictureOf({ ...out, headers: null })).toBeNull();
    expect(pictureOf({ ...out, bodyEncoding: undefined })).toBeNull();
  });
});
