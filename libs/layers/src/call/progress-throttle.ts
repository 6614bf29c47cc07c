import type { LayerContext } from '../layer-module.js';
import type { LayerCall } from './layer-call.js';

/**
 * From a layer's start to its first report, and between two reports. A layer that ends before the first is never
 * reported.
 */
const FIRST_AFTER_MS = 300;
const EVERY_MS = 1_000;
const MAX_STATUS = 200;

/**
 * Limits the progress reports of one call of a layer: at most once a second, always the latest, and never less than
 * before. The caller calls `end`.
 */
export class ProgressThrottle {
  private readonly send: (percent: number, status: string) => void;
  private nextAtMs = performance.now() + FIRST_AFTER_MS;
  private percent = 0;
  private status = '';
  private timer: NodeJS.Timeout | null = null;
  private ended = false;

  constructor(send: (percent: number, status: string) => void) {
    this.send = send;
  }

  readonly report = (percent: number, status: string): void => {
    if (this.ended || !Number.isFinite(percent)) return;
    this.percent = Math.max(this.percent, Math.min(100, Math.floor(percent)));
    this.status = status.slice(0, MAX_STATUS);
    this.timer ??= setTimeout(() => this.sendLatest(), Math.max(0, this.nextAtMs - performance.now())).unref();
  };

  end(): void {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private sendLatest(): void {
    this.timer = null;
    this.nextAtMs = performance.now() + EVERY_MS;
    this.send(this.percent, this.status);
  }
}

/** Runs a call whose reports of its progress are passed on, not too often. */
export async function throttled<End>(
  { position, attempt, progress }: Pick<LayerCall, 'position' | 'attempt' | 'progress'>,
  act: (progress: LayerContext['progress']) => Promise<End>,
): Promise<End> {
  if (!progress) return act(() => undefined);
  const throttle = new ProgressThrottle((percent, status) => progress({ position, attempt, percent, status }));
  try {
    return await act(throttle.report);
  } finally {
    throttle.end();
  }
}
