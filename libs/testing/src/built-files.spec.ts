import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { programsIn } from '#tools/setup/programs.mjs';
import { ROOT } from '#tools/setup/root.mjs';
import { isSource, serviceFiles, WATCHED } from '#tools/setup/sources.mjs';

const root = mkdtempSync(join(tmpdir(), 'weft-built-'));
afterAll(() => rmSync(root, { recursive: true }));

/** The tools that a source imports, by way of others, too. */
function toolsOf(file: string, found = new Set<string>()): Set<string> {
  for (const [, tool, near] of readFileSync(join(ROOT, file), 'utf8').matchAll(
    /from '(?:#(tools\/.+)|(\.{1,2}\/.+\.mjs))';/g,
  )) {
    const imported = tool ?? join(dirname(file), near ?? '');
    if (!found.has(imported)) toolsOf(imported, found.add(imported));
  }
  return found;
}

describe('a build of the services', () => {
  it('is due, and is noticed, after a change of any tool that is in it', () => {
    const programs = globSync('apps/standalone/src/**/*.ts', {
      cwd: ROOT,
      exclude: (file) => file.endsWith('.spec.ts'),
    });
    const tools = [...new Set(programs.flatMap((file) => [...toolsOf(file)]))];
    expect(tools).toContain('tools/servers/local-server.mjs');
    expect(serviceFiles()).toEqual(expect.arrayContaining(tools));
    const isWatched = (file: string) =>
      isSource(file) && WATCHED.some((folder) => !relative(folder, file).startsWith('..'));
    expect(tools.filter((file) => !isWatched(file))).toEqual([]);
  });

  it('starts from programs that have a source, and removes the others', async () => {
    const built = [
      'x/src/main.js',
      'x/src/old.main.js',
      'x/src/old.main.js.map',
      'x/src/domain.js',
      'y/src/jobs/do-main.js',
    ];
    const sources = ['x/src/main.ts', 'y/src/jobs/do-main.ts'];
    for (const file of [
      ...built.map((each) => join('dist', 'apps', each)),
      ...sources.map((each) => join('apps', each)),
    ]) {
      mkdirSync(join(root, dirname(file)), { recursive: true });
      writeFileSync(join(root, file), '');
    }
    const starts = (await programsIn(root)).map((file) => relative(join(root, 'dist', 'apps'), file));
    expect(starts.sort()).toEqual(['x/src/main.js', 'y/src/jobs/do-main.js']);
    const left = built.filter((file) => existsSync(join(root, 'dist', 'apps', file)));
    expect(left).toEqual(['x/src/main.js', 'x/src/domain.js', 'y/src/jobs/do-main.js']);
  });
});
