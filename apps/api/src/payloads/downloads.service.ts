import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { PayloadStore, PlayReadsRepository, TenantScope, type KnownFile } from '@weft/store';
import { PlayRights, seesOwnOnly } from '../plays/play-rights.js';

/** Plays of a file that are looked at for one that the caller may read, those that came last first. */
const MOST_PLAYS = 10_000;

/** Gives files to those who uploaded them, and to those who may read a play that refers to them. */
@Injectable()
export class DownloadsService {
  constructor(
    private readonly payloads: PayloadStore,
    private readonly plays: PlayReadsRepository,
    private readonly rights: PlayRights,
  ) {}

  /** @throws WeftError `not_found`, `denied` */
  async open(caller: Principal, id: string): Promise<KnownFile> {
    const scope = new TenantScope(caller.companyId);
    const file = await this.payloads.userFiles.open(scope, id);
    if (!file) throw new WeftError('not_found', 'There is no such file, or it is not kept any more.');
    if (file.by === caller.userId) return file;
    let looked = 0;
    for await (const playIds of file.plays()) {
      if (await this.mayReadOne(caller, scope, playIds)) return file;
      looked += playIds.length;
      if (looked >= MOST_PLAYS) break;
    }
    throw new WeftError('denied', 'You may read none of the plays that have this file.');
  }

  private async mayReadOne(caller: Principal, scope: TenantScope, playIds: readonly string[]): Promise<boolean> {
    const plays = await this.plays.findRights(scope, playIds);
    const own = seesOwnOnly(caller, 'GET') ? plays.filter((play) => play.triggeredBy === caller.userId) : plays;
    return (await this.rights.permitted(caller, 'read', own)).length > 0;
  }
}
