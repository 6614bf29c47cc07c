/**
 * An output of which only some values were read. It replaces the output where those values are needed, and has no
 * others.
 */
export class ReadValues {
  private readonly values = new Map<string, unknown>();

  /** @param value undefined: there is no value at that path */
  set(path: readonly (string | number)[], value: unknown): void {
    if (value !== undefined) this.values.set(pathKeyOf(path), value);
  }

  /** One object with the values that were read along these paths; a list that a path goes through is whole. */
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

  /** Undefined when there is no value. */
  at(path: readonly (string | number)[]): unknown {
    return this.values.get(pathKeyOf(path));
  }
}

/** Without a prototype, so that a field called __proto__ is an ordinary field. */
function empty(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function pathKeyOf(path: readonly (string | number)[]): string {
  return JSON.stringify(path.map(String));
}
