import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contextOf, readContexts, writeContexts } from './contexts.js';

const HOME = { url: 'https://weft.test', token: 'stored', company: 'Heron' };

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weft-contexts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The environment of somebody who is signed in. */
function signedIn(context: object = HOME) {
  const env = { HOME: newFolder() };
  writeContexts(env, { current: 'home', contexts: { home: { ...HOME, ...context } } });
  return env;
}

describe('a stored key', () => {
  it('goes to its installation only', () => {
    const env = signedIn();
    expect(contextOf(env, undefined)).toEqual({ ...HOME, streamUrl: undefined });
    expect(contextOf({ ...env, WEFT_URL: 'https://weft.test/' }, undefined)).toMatchObject({ token: 'stored' });
    for (const WEFT_URL of [
      'https://evil.test',
      'http://weft.test',
      'https://weft.test.evil.test',
      'https://weft.test:8443',
    ])
      expect(() => contextOf({ ...env, WEFT_URL }, undefined)).toThrow('not to the address in WEFT_URL');
  });

  it('goes to no live streams that it was not stored with', () => {
    const env = signedIn({ streamUrl: 'https://live.weft.test' });
    expect(contextOf(env, undefined).streamUrl).toBe('https://live.weft.test');
    for (const WEFT_STREAM_URL of ['https://live.weft.test/', 'https://weft.test'])
      expect(contextOf({ ...env, WEFT_STREAM_URL }, undefined)).toMatchObject({ streamUrl: WEFT_STREAM_URL });
    const elsewhere = { ...env, WEFT_STREAM_URL: 'wss://evil.test' };
    expect(() => contextOf(elsewhere, undefined)).toThrow('WEFT_STREAM_URL is not an address of the context');
    expect(contextOf({ ...elsewhere, WEFT_TOKEN: 'own' }, undefined)).toMatchObject({
      token: 'own',
      streamUrl: 'wss://evil.test',
    });
  });

  it('is of the context that is named, or of none', () => {
    const env = signedIn();
    for (const name of ['other', '__proto__', 'constructor'])
      expect(() => contextOf(env, name)).toThrow(`There is no context ${name}.`);
    expect(() => contextOf({ ...env, WEFT_CONTEXT: 'other' }, undefined)).toThrow('There is no context other.');
    expect(contextOf({ ...env, WEFT_CONTEXT: 'home' }, undefined).token).toBe('stored');
    expect(() => contextOf({ HOME: newFolder() }, undefined)).toThrow('You are not signed in.');
  });
});

describe('the file of contexts', () => {
  it('is for its owner only, in a folder for its owner only, and leaves nothing else', () => {
    const env = { HOME: newFolder() };
    const folder = join(env.HOME, '.config/weft');
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    writeContexts(env, { current: null, contexts: {} });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'contexts.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder)).toEqual(['contexts.json']);
  });

  it('is written neither through a link nor into a folder whose mode somebody has chosen', () => {
    const folder = newFolder();
    const [WEFT_CONFIG, other] = [join(folder, 'mine.json'), join(folder, 'other')];
    const mode = statSync(folder).mode;
    writeFileSync(other, 'untouched');
    symlinkSync(other, WEFT_CONFIG);
    writeContexts({ WEFT_CONFIG }, { current: 'home', contexts: { home: HOME } });
    expect(readFileSync(other, 'utf8')).toBe('untouched');
    expect(readContexts({ WEFT_CONFIG }).current).toBe('home');
    expect(statSync(folder).mode).toBe(mode);
  });

  it('that cannot be written is an error, and leaves no other file', () => {
    const folder = newFolder();
    const WEFT_CONFIG = join(folder, 'taken');
    mkdirSync(join(WEFT_CONFIG, 'by a folder'), { recursive: true });
    expect(() => writeContexts({ WEFT_CONFIG }, { current: null, contexts: {} })).toThrow('cannot be written');
    expect(readdirSync(folder)).toEqual(['taken']);
    expect(existsSync(join(WEFT_CONFIG, 'by a folder'))).toBe(true);
  });

  it.each(['null', '[]', '{"contexts":null}', '{"contexts":{"a":null,"b":1,"c":{}},"current":"a"}'])(
    'has no contexts where it is %s',
    (text) => {
      const WEFT_CONFIG = join(newFolder(), 'contexts.json');
      writeFileSync(WEFT_CONFIG, text);
      expect(() => contextOf({ WEFT_CONFIG }, undefined)).toThrow(/not signed in|not a file of contexts/);
    },
  );

  it('may have many contexts', () => {
    const env = { HOME: newFolder() };
    const contexts = Object.fromEntries(Array.from({ length: 10_000 }, (_one, i) => [`c${i}`, HOME]));
    writeContexts(env, { current: 'c9999', contexts });
    expect(contextOf(env, 'c5000').token).toBe('stored');
  });
});
