interface StartWish {
  readonly runAt?: Date | null;
  readonly delayMs?: number | null;
}

/** When a run starts; null: at once, also when its time is past. */
export function dueAtOf({ runAt, delayMs }: StartWish, serverNow: Date): Date | null {
  if (runAt) return runAt > serverNow ? runAt : null;
  return delayMs ? new Date(serverNow.getTime() + delayMs) : null;
}
