/** The in-memory implementation of the play store: the same contract, with `applyWrite` and a scan instead of filters and indexes. */
import {
  applyWrite,
  type OwnedPlay,
  type Play,
  type PlayKey,
  type PlayStore,
  type PlayWrite,
  type Written,
} from '@weft/engine';

export class MemoryPlayStore implements PlayStore {
  private readonly plays = new Map<string, Play>();

  /** @param serverNow the clock used instead of MongoDB's */
  constructor(private readonly serverNow: () => Date = () => new Date()) {}

  accept(play: Play, takesKeyOf?: string): Promise<{ readonly play: Play; readonly replayed: boolean }> {
    const known = this.plays.get(play._id);
    if (known) return answer({ play: known, replayed: false });
    const holder = this.holderOf(play);
    if (holder && (holder.state !== 'FAIL' || holder._id !== takesKeyOf))
      return answer({ play: holder, replayed: true });
    if (holder) this.plays.set(holder._id, withoutKey(holder));
    this.plays.set(play._id, structuredClone(play));
    return answer({ play, replayed: false });
  }

  find(key: PlayKey): Promise<Play | null> {
    return answer(this.at(key));
  }

  async write(key: PlayKey, write: PlayWrite): Promise<boolean> {
    return (await this.writeEnd(key, write)).isStored;
  }

  writeEnd(key: PlayKey, write: PlayWrite): Promise<Written> {
    const play = this.at(key);
    const written = play && applyWrite(play, structuredClone(write), this.serverNow());
    if (!written) return answer({ isStored: false });
    this.plays.set(key.playId, written);
    return answer({ isStored: true, completedAt: written.completedAt });
  }

  renew(owned: readonly OwnedPlay[]): Promise<readonly OwnedPlay[]> {
    const lost = owned.filter(({ key, owner }) => {
      const play = this.at(key);
      if (play?.owner !== owner || (play.state !== 'RUN' && play.state !== 'ON_HOLD')) return true;
      this.plays.set(play._id, { ...play, heartbeatAt: this.serverNow() });
      return false;
    });
    return answer(lost);
  }

  private at({ playId, companyId, flowId }: PlayKey): Play | null {
    const play = this.plays.get(playId);
    return play?.company_id === companyId && play.flowId === flowId ? play : null;
  }

  private holderOf({ company_id, flowId, key }: Play): Play | undefined {
    if (key === undefined) return undefined;
    return [...this.plays.values()].find(
      (play) => play.key === key && play.company_id === company_id && play.flowId === flowId,
    );
  }
}

function withoutKey({ key: _key, ...play }: Play): Play {
  return play;
}

/** Copies, so that callers cannot change the store. */
function answer<T>(value: T): Promise<T> {
  return Promise.resolve(structuredClone(value));
}
