import { Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { WeftError } from '@weft/kernel';
import { PayloadStore, PlayReadsRepository, TenantScope, type KnownFile } from '@weft/persistence';
import { PlayRights } from '../plays/play-rights.js';

/** Plays of a file that are looked at for one that the caller may read. */
const MOST_PLAYS = 20;

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
    for (const playId of file.playIds.slice(-MOST_PLAYS)) {
      if (await this.mayRead(caller, scope, playId)) return file;
    }
    throw new WeftError('denied', 'You may read none of the plays that have this file.');
  }

  private async mayRead(caller: Principal, scope: TenantScope, playId: string): Promise<boolean> {
    try {
      await this.rights.assertMay(caller, 'read', await this.plays.find(scope, playId));
      return true;
    } catch (error) {
      if (error instanceof WeftError && (error.code === 'denied' || error.code === 'not_found')) return false;
      throw error;
    }
  }
}
