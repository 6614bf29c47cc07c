import type { PlayJob } from '@weft/contracts';
import type { Play, PlayKey } from '@weft/engine';

export function playKeyOf(play: Pick<Play, '_id' | 'company_id' | 'flowId'>): PlayKey {
  return { playId: play._id, companyId: play.company_id, flowId: play.flowId };
}

export function jobOf(play: Pick<Play, '_id' | 'company_id' | 'flowId' | 'epoch'>): PlayJob {
  return { ...playKeyOf(play), epoch: play.epoch };
}
