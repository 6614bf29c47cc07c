import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';

/** One worker process, from its start to its end. */
@Injectable()
export class WorkerState {
  /** Names this process; new at each start. */
  readonly bootId = randomUUID().slice(0, 13);
  /** No effect starts any more: plays end, or are handed back. */
  isStopping = false;
  /** Nothing is waited for any more. */
  isClosing = false;
  readonly closing = (): boolean => this.isClosing;
}
