import { describe, expect, it } from 'vitest';
import { publicPathOf } from './public-path.js';

describe('the path that logs and problems show', () => {
  it.each([
    ['/api/v1/flows/f1?token=secret', '/api/v1/flows/f1'],
    ['/hooks', '/hooks'],
    ['/hooks/', '/hooks/'],
    ['/webhooks/w1', '/webhooks/w1'],
    [undefined, ''],
  ])('of %s is %s', (url, path) => {
    expect(publicPathOf(url)).toBe(path);
  });

  it.each([
    ...['/hooks/canary', '/hooks/canary?x=1', '/hooks/canary/more', '/HOOKS/canary', '//hooks//canary'],
    ...['/api/v1/hooks/canary', '/%68ooks/canary', '/hooks%2fcanary', '/hooks/can%61ry', '/%48%4f%4f%4b%53%2Fcanary'],
  ])('of %s has no token', (url) => {
    expect(publicPathOf(url)).toMatch(/^[^?]*hooks\/+\[token\]$/i);
  });
});
