export { BusSeal } from './bus-seal.js';
export { InvalidationBus, type InvalidationKind } from './invalidation-bus.js';
export { afterWrite, noticeJournal, type NoticeJournal } from './notice-journal.js';
export { PlayNotices, type JournalNotice, type NoticesListener, type PlayNoticesOptions } from './play-notices.js';
export { PlayProgress, type ProgressListener } from './play-progress.js';
export { LayerTries, type AnsweredTry, type AskedTry, type OfferedTry, type TryListener } from './layer-tries.js';
export { PlaySignals } from './play-signals.js';
