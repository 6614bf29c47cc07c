import { useEffect, useEffectEvent, useState } from 'react';
import { isElsewhere } from '../ui/is-elsewhere';

interface ListKeys {
  readonly count: number;
  readonly onMove: (index: number) => void;
  readonly onOpen: (index: number) => void;
  readonly onMark: (index: number) => void;
  readonly onMarkAll?: () => void;
  readonly onClear: () => void;
  readonly onShow: () => void;
}

/** j and k move the cursor, enter opens, x selects, X selects all, escape clears, a dot shows what is newer. @returns the cursor, or -1 */
export function useListKeys({ count, onMove, onOpen, onMark, onMarkAll, onClear, onShow }: ListKeys): number {
  const [cursor, setCursor] = useState(-1);
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isElsewhere(event)) return;
    const move = (to: number): void => {
      const index = Math.max(0, Math.min(count - 1, to));
      setCursor(index);
      onMove(index);
    };
    if (event.key === 'j') move(cursor + 1);
    else if (event.key === 'k') move(cursor - 1);
    else if (event.key === 'x' && cursor >= 0) onMark(cursor);
    else if (event.key === 'X') onMarkAll?.();
    else if (event.key === 'Enter' && cursor >= 0) onOpen(cursor);
    else if (event.key === '.') onShow();
    else if (event.key === 'Escape') {
      setCursor(-1);
      onClear();
    } else return;
    event.preventDefault();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => press(event);
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return Math.min(cursor, count - 1);
}
