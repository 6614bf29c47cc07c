import { useEffectEvent, useEffect, useState, type PointerEvent, type RefObject } from 'react';

interface Drag {
  readonly key: string;
  /** Before which layer it would be put; their number: at the end. */
  readonly to: number;
}

const EDGE_PX = 48;
const SCROLL_PX = 12;

/**
 * Dragging by pointer. Alt and the arrows do the same by key, and so does the menu of each layer.
 *
 * @param list has the layers, each with `data-layer`
 */
export function useDrag(list: RefObject<HTMLElement | null>, onDrop: (key: string, position: number) => void) {
  const [drag, setDrag] = useState<Drag | null>(null);
  const drop = useEffectEvent(onDrop);
  const key = drag?.key;
  useEffect(() => {
    if (key === undefined) return;
    let to = -1;
    const move = (event: globalThis.PointerEvent): void => {
      const rows = [...(list.current?.querySelectorAll<HTMLElement>('[data-layer]') ?? [])];
      const found = rows.findIndex((row) => {
        const { top, height } = row.getBoundingClientRect();
        return event.clientY < top + height / 2;
      });
      to = found === -1 ? rows.length : found;
      setDrag((now) => (now?.to === to ? now : { key, to }));
      if (event.clientY < EDGE_PX) scrollBy(0, -SCROLL_PX);
      else if (event.clientY > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX);
    };
    const end = (event: globalThis.PointerEvent): void => {
      setDrag(null);
      if (event.type === 'pointercancel' || to === -1) return;
      const keys = [...(list.current?.querySelectorAll<HTMLElement>('[data-layer]') ?? [])].map(
        (row) => row.dataset.layer,
      );
      drop(key, to > keys.indexOf(key) ? to - 1 : to);
    };
    const escape = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') setDrag(null);
    };
    addEventListener('pointermove', move);
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
    addEventListener('keydown', escape);
    return () => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      removeEventListener('keydown', escape);
    };
  }, [key, list]);
  return {
    drag,
    start: (event: PointerEvent, layerKey: string): void => {
      if (event.button !== 0) return;
      event.preventDefault();
      setDrag({ key: layerKey, to: -1 });
    },
  };
}
