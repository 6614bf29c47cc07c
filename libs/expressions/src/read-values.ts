/** An output of which only some values were read: it stands for the output where those are asked for, and has nothing else. */
export class ReadValues {
  private readonly values = new Map<string, unknown>();

  /** @param value undefined: there is nothing at that path */
  set(path: readonly (string | number)[], value: unknown): void {
    if (value !== undefined) this.values.set(keyOf(path), value);
  }

  /** As one object, with what was read on the way to each of these: all of a list that a path goes through. */
  pick(paths: readonly (readonly string[])[]): unknown {
    const all = this.at([]);
    if (all !== undefined) return all;
    const picked = empty();
    for (const path of paths) {
      const length = path.findIndex((_, i) => this.at(path.slice(0, i + 1)) !== undefined) + 1;
      if (length === 0) continue;
      let at = picked;
      for (const step of path.slice(0, length - 1)) at = (at[step] ??= empty()) as Record<string, unknown>;
      at[path[length - 1] as string] = this.at(path.slice(0, length));
    }
    return picked;
  }

  /** Undefined where there is nothing. */
  at(path: readonly (string | number)[]): unknown {
    return this.values.get(keyOf(path));
  }
}

/** Without a prototype, also a field called __proto__ is only a field. */
function empty(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function keyOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path.map(String));
}
