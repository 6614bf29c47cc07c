// Processes of its own: they run from an installation without development packages, on read-only files.
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';
import { productionInstall } from './harness/production-install.js';
import { readOnlyStart } from './harness/read-only.js';

const install = productionInstall();
/** At its end, each process tells. */
const REPORT = "process.on('exit', () => console.log('fast: ' + %HasFastProperties(String.prototype)))";
const flags = ['--allow-natives-syntax', '--import', `data:text/javascript,${encodeURIComponent(REPORT)}`];
const { spawn, mayWrite } = readOnlyStart(install, flags);
const { admin, ledger, of, one } = await startFleet({ spawn });

it('the four processes run a flow, and write nothing but /tmp and the data folder', async () => {
  expect(mayWrite).toBe(false);
  ledger.answerWith(() => ({ body: { items: [1, 2, 3] } }));
  const flow = await admin.createFlow({ name: 'read-only' });
  await admin.addLayer(flow.id, { ref: 'fetch', appId: 'web-request', args: { url: ledger.url } });
  // the expression runs in a sandbox process, which the worker starts
  await admin.addLayer(flow.id, {
    ref: 'sum',
    appId: 'text-template',
    args: { template: '{{ $sum(.fetch.json.items) }}' },
  });
  const { playId } = await admin.run(flow.id);
  const play = await admin.waitForPlay(playId);
  const layers = await admin.layers(playId);
  expect([play.state, layers.at(-1)?.out]).toEqual(['DONE', { text: '6' }]);

  const processes = (['api', 'worker', 'realtime', 'scheduler'] as const).flatMap(of);
  for (const process of processes) expect(process.output()).not.toMatch(/"level":"(ERROR|FATAL)"|EROFS|EACCES|EPERM/);
  expect(readdirSync(join(install.folder, 'data', 'logs')).length).toBe(processes.length);
  expect(install.written()).toEqual([]);
});

it('an older Node is refused in one sentence, before a library fails on it', async () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.11.0' } })";
  const main = join(install.folder, 'weft/dist/apps/api/src/main.js');
  const start = promisify(execFile)(process.execPath, ['--import', `data:text/javascript,${older}`, main], { env: {} });
  await expect(start).rejects.toMatchObject({
    code: 1,
    stderr: 'Weft needs Node 24 or later, this is 22.11.0. Start it with a newer one.\n',
  });
});

it.each(['api', 'worker', 'realtime', 'scheduler'] as const)('%s has kept the methods of strings fast', async (app) => {
  const process = one(app);
  await process.stop();
  await expect.poll(() => /^fast: .*$/m.exec(process.output())?.[0]).toBe('fast: true');
});

it('requests are fast, although each of the first ones is collected before the next', async () => {
  const requests = `
    import { createServer } from 'node:http';
    let isFast;
    const server = createServer((request, response) => {
      isFast = [%HasFastProperties(request), %HasFastProperties(response)];
      response.end();
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    for (let i = 0; i < 10; i += 1) {
      const headers = { connection: 'close' };
      await (await fetch('http://127.0.0.1:' + server.address().port, { headers })).text();
      gc();
    }
    console.log(String(isFast));
    server.close();`;
  const askWith = async (...args: readonly string[]) => {
    const flags = ['--allow-natives-syntax', '--expose-gc', ...args, '--input-type=module', '--eval', requests];
    return (await promisify(execFile)(process.execPath, flags, { env: {} })).stdout.trim();
  };
  const first = join(install.folder, 'weft/dist/libs/process/src/before-packages.js');
  expect(await Promise.all([askWith(), askWith('--import', first)])).toEqual(['false,false', 'true,true']);
});

it('the bill of materials of the image names a licence of every package that is installed, or bundled into the dashboard', async () => {
  const script = fileURLToPath(new URL('../../tools/image/sbom.mjs', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script], { maxBuffer: 64 * 1024 * 1024 });
  const bom = JSON.parse(stdout) as {
    bomFormat: string;
    components: readonly { name: string; licenses: readonly object[] }[];
  };
  expect(bom.bomFormat).toBe('CycloneDX');
  const names = bom.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['node', 'mongoose', 'bullmq', 'react', 'scheduler']));
  expect(names).not.toEqual(expect.arrayContaining(['vitest']));
  for (const { name, licenses } of bom.components) expect([name, licenses.length > 0]).toEqual([name, true]);
});
