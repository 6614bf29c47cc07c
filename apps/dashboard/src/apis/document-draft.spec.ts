import { describe, expect, it } from 'vitest';
import { fileOf, isGiven, nameFor, NO_DOCUMENT, tooLarge, type DocumentDraft } from './document-draft';

const draft = (fields: Partial<DocumentDraft>): DocumentDraft => ({ ...NO_DOCUMENT, ...fields });
const file = (bytes: number) => new File([new Uint8Array(bytes)], 'orders.v2.yaml');
const MOST = 16 * 1_024 * 1_024;

describe('the document of a form', () => {
  it.each<[Partial<DocumentDraft>, boolean]>([
    [{}, false],
    [{ url: ' ' }, false],
    [{ url: 'https://api.example.com/openapi.json' }, true],
    [{ from: 'file' }, false],
    [{ from: 'file', url: 'https://api.example.com' }, false],
    [{ from: 'file', file: file(10) }, true],
    [{ from: 'file', file: file(MOST) }, true],
    [{ from: 'file', file: file(MOST + 1) }, false],
    [{ from: 'text', text: '\n' }, false],
    [{ from: 'text', text: 'openapi: 3.1.0' }, true],
    [{ from: 'same' }, true],
  ])('%j is given: %s', (fields, expected) => {
    expect(isGiven(draft(fields))).toBe(expected);
  });

  it('is counted in bytes, not in characters', () => {
    expect(tooLarge(draft({ from: 'text', text: 'é'.repeat(MOST / 2) }))).toBeNull();
    expect(tooLarge(draft({ from: 'text', text: 'é'.repeat(MOST / 2 + 1) }))).toContain('16 MB at most');
  });

  it('is uploaded as it was typed', async () => {
    const text = '# orders\nopenapi: 3.1.0\n';
    expect(await fileOf(draft({ from: 'text', text }))?.text()).toBe(text);
    expect(fileOf(draft({ url: 'https://api.example.com' }))).toBeNull();
  });

  it.each<[Partial<DocumentDraft>, string]>([
    [{ url: ' https://api.example.com:8443/v2/openapi.json?x=1 ' }, 'api.example.com'],
    [{ url: 'api.exam' }, ''],
    [{ from: 'file', file: file(1) }, 'orders.v2'],
    [{ from: 'text', text: 'openapi: 3.1.0' }, ''],
    [
      { from: 'text', text: 'openapi: 3.1.0\ninfo:\n  version: 1\n  title: Orders of Acme # ours\npaths: {}' },
      'Orders of Acme',
    ],
    [{ from: 'text', text: "info:\n  title: 'Orders: all'\n" }, 'Orders: all'],
    [{ from: 'text', text: '{"openapi":"3.1.0","info":{"version":"1","title":"Orders"},"paths":{}}' }, 'Orders'],
    [{ from: 'text', text: '{"info":{"title":"Or\\u0064ers"}}' }, ''],
    [{ from: 'text', text: 'title: of nothing\n' }, ''],
  ])('gives the API a name until somebody does: %j', (fields, expected) => {
    expect(nameFor(draft(fields))).toBe(expected);
  });
});
