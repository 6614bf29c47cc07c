/** Of `INFO`: the used share of Redis' memory, from 0 to 1; null: it has no limit, or does not say. */
export function memoryShareOf(info: string): number | null {
  const numberOf = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1]);
  const [used, most] = [numberOf('used_memory'), numberOf('maxmemory')];
  return most > 0 && used >= 0 ? used / most : null;
}
