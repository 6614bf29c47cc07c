import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { envExample, settingsPage } from '#tools/docs/settings-page.mjs';
import { CATALOG } from './catalog.js';
import { loadSettings } from './load-settings.js';
import { SettingsError } from './settings-error.js';

const REMEDY = '`npm run docs` writes it';

function read(name: string): string {
  return readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
}

/** Without the white space that the formatter adds for alignment. */
function bare(markdown: string): string[] {
  return markdown.split('\n').map((line) => line.replace(/ +/g, ' ').replace(/-{3,}/g, '---'));
}

describe('docs/reference/configuration.md', () => {
  it(`has every setting of the catalogue, with its default and meaning: ${REMEDY}`, () => {
    const page = read('docs/reference/configuration.md');
    expect(bare(page)).toEqual(bare(settingsPage(page, CATALOG)));
  });
});

describe('.env.example', () => {
  const example = read('.env.example');

  it(`has every setting of the catalogue: ${REMEDY}`, () => {
    expect(example).toBe(envExample(CATALOG));
  });

  it('is what the processes take, once its secrets are filled in', () => {
    const given = [...example.matchAll(/^#?([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]);
    const env = Object.fromEntries(given) as Record<string, string>;
    expect(Object.keys(env)).toEqual(Object.values(CATALOG).map((entry) => entry.env));
    expect(() => loadSettings(env, { standalone: false })).toThrow(
      new SettingsError([
        'ENC_KEY_SECRET: is not set; write the output of "openssl rand -hex 32", the same for every process',
        'ENV_KEY_SALT: is not set; write the output of "openssl rand -hex 32", the same for every process',
      ]),
    );
    const [ENC_KEY_SECRET, ENV_KEY_SALT] = ['a', 'b'].map((text) => createHash('sha256').update(text).digest('hex'));
    const settings = loadSettings({ ...env, ENC_KEY_SECRET, ENV_KEY_SALT }, { standalone: false });
    expect(settings.mongodb.uri).toContain('replicaSet');
  });
});
