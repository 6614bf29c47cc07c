import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { inflate } from '@sparticuz/chromium';
import { chromium, type Browser } from 'playwright-core';

/** Without these flags, Chromium spends its time on requests to its vendor. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A headless Chromium, unpacked once per machine. */
export async function openChromium(): Promise<Browser> {
  const executablePath = await unpacked();
  const launch = (env?: NodeJS.ProcessEnv) =>
    chromium.launch({
      executablePath,
      headless: true,
      args: FLAGS,
      ...(env && { env }),
    });
  try {
    return await launch();
  } catch (error) {
    if (!String(error).includes('error while loading shared libraries')) throw error;
    const libraries = await inflate(join(packageFolder(), 'bin', 'al2023.tar.br'));
    return launch({ ...process.env, LD_LIBRARY_PATH: join(libraries, 'lib') });
  }
}

/** It gets its name only when it is complete, because another run may be unpacking it, too, or have been killed meanwhile. */
async function unpacked(): Promise<string> {
  const { version } = createRequire(import.meta.url)(join(packageFolder(), 'package.json')) as { version: string };
  const folder = join(tmpdir(), `weft-chromium-${version}`);
  const path = join(folder, 'chromium');
  if (existsSync(path)) return path;
  await mkdir(folder, { recursive: true });
  const draft = `${path}.${process.pid}`;
  try {
    await pipeline(
      createReadStream(join(packageFolder(), 'bin', 'chromium.br')),
      createBrotliDecompress(),
      createWriteStream(draft, { mode: 0o700 }),
    );
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  return path;
}

function packageFolder(): string {
  return dirname(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')));
}
