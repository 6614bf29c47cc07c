/** An output of which only some values were read: it stands for the output where those are asked for, and has nothing else. */
export class ReadValues {
  private readonly values = new Map<string, unknown>();

  /** @param value undefined: there is nothing at that path */
  set(path: readonly (string | number)[], value: unknown): void {
    if (value !== undefined) this.values.set(keyOf(path), value);
  }

  /** Undefined where there is nothing. */
  at(path: readonly (string | number)[]): unknown {
    return this.values.get(keyOf(path));
  }
}

function keyOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path.map(String));
}
