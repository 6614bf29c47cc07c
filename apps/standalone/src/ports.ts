import { freePort, isFree } from '#tools/servers/index.mjs';
import { Trouble } from '#tools/setup/trouble.mjs';
import type { DataFolder } from './data-folder.js';

/** @throws Trouble when another program has it */
export async function demandFree(port: number, host: string): Promise<void> {
  if (port === 0 || (await isFree(port, host))) return;
  throw new Trouble(
    `Port ${port} is taken by another program (perhaps another Weft).`,
    `Stop it, or start on another port: SERVER_PORT=${port + 1} npm start`,
  );
}

/** A loopback port for each name: the one of the last start if it is still free. */
export async function choosePorts<N extends string>(
  folder: DataFolder,
  names: readonly N[],
): Promise<Record<N, number>> {
  const known = folder.recall().ports;
  const chosen: Record<string, number> = {};
  for (const name of names) {
    const last = known[name];
    chosen[name] = last !== undefined && (await isFree(last)) ? last : await freePort();
  }
  folder.remember({ ports: { ...known, ...chosen } });
  return chosen;
}
