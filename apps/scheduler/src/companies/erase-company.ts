import { playKeyOf, type Mongo, type MongoPlayStore, type OpenPlaysRepository } from '@weft/store';
import { CompanyEraser, ERASED, type CompanyJobDocument, type CompanyJobsRepository } from '@weft/records';
import type { AdmissionWindow } from '@weft/queue';
import type { PlayCommands } from '@weft/runs';
import { inParallel } from '../in-parallel.js';

export interface ErasureDeps {
  readonly mongo: Mongo;
  readonly jobs: CompanyJobsRepository;
  readonly window: Pick<AdmissionWindow, 'rung' | 'forget'>;
  readonly plays: Pick<OpenPlaysRepository, 'byIds'>;
  readonly store: Pick<MongoPlayStore, 'find'>;
  readonly commands: Pick<PlayCommands, 'apply'>;
  /** From the end of the company until the last look for what was written late. */
  readonly lookAgainMs: number;
}

const PAGE = 500;
const AT_ONCE = 16;
const ERROR = { code: 'cancelled', message: 'The company is being erased.', ref: null } as const;

/**
 * Erases a company that was stopped: cancels what workers have in hand, deletes everything in portions, then the company itself, and a
 * while later what was written meanwhile. Each step may be repeated.
 *
 * @param goesOn asked between two portions
 * @returns whether nothing is left
 */
export async function eraseCompany(
  { _id, about, look_again_at }: CompanyJobDocument,
  deps: ErasureDeps,
  goesOn: () => Promise<boolean>,
): Promise<boolean> {
  const { mongo, jobs, window, lookAgainMs } = deps;
  await cancelRunning(about, deps);
  const eraser = new CompanyEraser(mongo, jobs);
  for (const entry of ERASED)
    do if (!(await goesOn())) return false;
    while (await eraser.portion(entry, about, _id));
  const wasThere = await eraser.removeCompany(about, _id, lookAgainMs);
  await window.forget(about);
  return !wasThere && look_again_at !== null;
}

/** Of a stopped company only these can run. The others wait until they are deleted. */
async function cancelRunning(companyId: string, { window, plays, store, commands }: ErasureDeps): Promise<void> {
  const rung = await window.rung(companyId);
  for (let at = 0; at < rung.length; at += PAGE) {
    const open = await plays.byIds(rung.slice(at, at + PAGE), companyId);
    await inParallel(open, AT_ONCE, async (play) => {
      await commands.apply({
        read: () => store.find(playKeyOf(play)),
        order: (found) => found && { play: found, command: { kind: 'cancel', error: ERROR } },
      });
    });
  }
}
