import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { fileURLToPath } from 'node:url';

const module = (name: string) => new URL(`../../../tools/setup/${name}`, import.meta.url).href;
const SETUP = { npm: module('end-with-npm.mjs'), run: module('run.mjs') };
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** `npm`, which starts `tool`, which runs `app`: each tells its process id, the two that are left also how they end. */
const APP = `console.log('app', process.pid);
setInterval(() => {}, 1000);
process.once('disconnect', () => { console.log('app stops'); process.exit(0); });
process.once('SIGTERM', () => { console.log('app stops'); process.exit(0); });`;
const TOOL = `import { endWithNpm } from '${SETUP.npm}';
import { become } from '${SETUP.run}';
endWithNpm();
console.log('tool', process.pid);
await become(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(APP)}], { tethered: true });
console.log('tool stops');
process.exit(0);`;
const NPM = `import { spawn } from 'node:child_process';
spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(TOOL)}], { stdio: 'inherit' });
setInterval(() => {}, 1000);`;

/** @returns what is printed after the named process was killed, until all of them have ended */
async function afterKilling(who: 'npm' | 'tool'): Promise<readonly string[]> {
  const npm = spawn(process.execPath, ['--input-type=module', '-e', NPM], {
    cwd: HERE,
    env: { ...process.env, npm_lifecycle_event: 'start' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const printed = createInterface({ input: npm.stdout });
  const closed = once(printed, 'close');
  const pids: Record<string, number | undefined> = { npm: npm.pid };
  const isUp = new Promise<void>((resolve) =>
    printed.on('line', (line) => {
      const [name = '', pid] = line.split(' ');
      if (Number(pid) > 0) pids[name] = Number(pid);
      else lines.push(line);
      if (pids.tool !== undefined && pids.app !== undefined) resolve();
    }),
  );
  await isUp;
  process.kill(pids[who] ?? 0, 'SIGKILL');
  if (who === 'tool') npm.kill('SIGKILL');
  await closed; // nobody has the pipe any more
  return lines;
}

describe('what npm started', () => {
  it('stops when npm is killed', async () => {
    expect(await afterKilling('npm')).toEqual(['app stops', 'tool stops']);
  });

  it('stops when the tool in between is killed', async () => {
    expect(await afterKilling('tool')).toEqual(['app stops']);
  });
});
